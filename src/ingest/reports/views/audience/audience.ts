import { SOURCE_COLUMNS } from "../../../ports/reader.ts";
import { listGoal } from "../../query/goal_query.ts";
import type { View } from "../../view/view.ts";
import { toAudienceTable } from "./file.ts";
import { type AudienceView, readAudience } from "./object.ts";
import { buildAudience } from "./page.ts";
import { AUDIENCE_PARAMETERS, type AudienceQuery } from "./query.ts";
import { AUDIENCE_SCHEMAS } from "./schema.ts";

export type { AudienceView } from "./object.ts";

/** People by what they come with. */
export const audience: View<AudienceQuery, AudienceView> = {
  name: "audience",
  title: "Audience",
  description:
    "Lists people by whether they are new, by screen, device, browser, system, country and whether they are signed in, as `dimension` says; beside the period before.",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: AUDIENCE_PARAMETERS,
  columns: SOURCE_COLUMNS,
  listGoals: listGoal,
  schemas: AUDIENCE_SCHEMAS,
  isEmpty: ({ rows }) => rows.length === 0,
  read: readAudience,
  build: buildAudience,
  toTable: toAudienceTable,
};
