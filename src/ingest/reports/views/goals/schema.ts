import type { Schema } from "../../query/parameter.ts";
import {
  COMPARE,
  COUNT,
  describe,
  listOf,
  objectOf,
  PERIOD,
  schemaOf,
  SHARE,
  TEXT,
  viewOf,
} from "../../view/schema.ts";

/** Rows of goals. */
export const GOAL_ROWS: Schema = listOf(objectOf({
  name: TEXT,
  event: { ...TEXT, description: "What reaches it, as a stage of a funnel is written." },
  current: schemaOf("GoalCounts"),
  before: schemaOf("GoalCounts"),
}));

/** Schemas of the view, by their names in the OpenAPI document. */
export const GOALS_SCHEMAS: Readonly<Record<string, Schema>> = {
  GoalsView: viewOf("goals", {
    ...COMPARE,
    current: objectOf({ ...PERIOD, visitors: COUNT }),
    before: objectOf({ ...PERIOD, visitors: COUNT }),
    rows: GOAL_ROWS,
  }),
  GoalCounts: objectOf({
    visitors: COUNT,
    completions: describe("completions", COUNT),
    conversionRate: describe("conversionRate", SHARE),
    value: describe("value", { type: ["number", "null"], description: "Null for a goal without a value." }),
  }),
};
