import { listGoalNames } from "../../query/stages.ts";
import type { View } from "../../view/view.ts";
import { toRetentionTable } from "./file.ts";
import { readRetention, type RetentionView } from "./object.ts";
import { buildRetention } from "./page.ts";
import { RETENTION_PARAMETERS, type RetentionQuery } from "./query.ts";
import { RETENTION_SCHEMAS } from "./schema.ts";

export type { RetentionView } from "./object.ts";
export type { RetentionOptions } from "./query.ts";

/** The visitors who come back. */
export const retention: View<RetentionQuery, RetentionView> = {
  name: "retention",
  title: "Retention",
  description: "Counts how many visitors come back, by the day, week or month of their first visit.",
  span: "days",
  subject: "site",
  hasBefore: false,
  parameters: RETENTION_PARAMETERS,
  schemas: RETENTION_SCHEMAS,
  hasStages: true,
  listGoals: ({ event = [] }) => listGoalNames([event]),
  read: readRetention,
  build: buildRetention,
  toTable: toRetentionTable,
};
