import { listGoalNames } from "../../query/stages.ts";
import type { View } from "../../view/view.ts";
import { toFunnelTable } from "./file.ts";
import { type FunnelView, readFunnel } from "./object.ts";
import { buildFunnel } from "./page.ts";
import { FUNNEL_PARAMETERS, type FunnelQuery } from "./query.ts";
import { FUNNEL_SCHEMAS } from "./schema.ts";

export type { FunnelView } from "./object.ts";
export type { FunnelOptions } from "./query.ts";

/** The visitors who come as far as each stage. */
export const funnel: View<FunnelQuery, FunnelView> = {
  name: "funnel",
  title: "Funnel",
  description: "Counts how many visitors come how far through 2 to 8 stages, which `stage` names in order.",
  span: "days",
  subject: "site",
  hasBefore: false,
  parameters: FUNNEL_PARAMETERS,
  schemas: FUNNEL_SCHEMAS,
  hasStages: true,
  listGoals: ({ stages }) => listGoalNames(stages),
  read: readFunnel,
  build: buildFunnel,
  toTable: toFunnelTable,
};
