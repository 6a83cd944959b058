import { SOURCE_COLUMNS } from "../../../ports/reader.ts";
import { listGoal } from "../../query/goal_query.ts";
import type { View } from "../../view/view.ts";
import { toSourcesTable } from "./file.ts";
import { readSources, type SourcesView } from "./object.ts";
import { buildSources } from "./page.ts";
import { SOURCES_PARAMETERS, type SourcesQuery } from "./query.ts";
import { SOURCES_SCHEMAS } from "./schema.ts";

export type { SourcesView } from "./object.ts";

/** Where sessions came from. */
export const sources: View<SourcesQuery, SourcesView> = {
  name: "sources",
  title: "Sources",
  description:
    "Lists where sessions came from: by channel, or by source, campaign, landing page and more, as `by` says; beside the period before.",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: SOURCES_PARAMETERS,
  columns: SOURCE_COLUMNS,
  listGoals: listGoal,
  schemas: SOURCES_SCHEMAS,
  isEmpty: ({ rows }) => rows.length === 0,
  read: readSources,
  build: buildSources,
  toTable: toSourcesTable,
};
