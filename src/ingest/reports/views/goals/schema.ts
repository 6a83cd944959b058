import type { Schema } from "../../query/parameter.ts";
import { COMPARE, COUNT, listOf, objectOf, PERIOD, schemaOf, SHARE, TEXT, viewOf } from "../../view/schema.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const GOALS_SCHEMAS: Readonly<Record<string, Schema>> = {
  GoalsView: viewOf("goals", {
    ...COMPARE,
    current: objectOf({ ...PERIOD, visitors: COUNT }),
    before: objectOf({ ...PERIOD, visitors: COUNT }),
    rows: listOf(objectOf({
      name: TEXT,
      event: { ...TEXT, description: "What reaches it, as a stage of a funnel is written." },
      current: schemaOf("GoalCounts"),
      before: schemaOf("GoalCounts"),
    })),
  }),
  GoalCounts: objectOf({
    visitors: COUNT,
    completions: COUNT,
    conversionRate: { ...SHARE, description: "Of the visitors; null without any." },
    value: {
      type: ["number", "null"],
      description: "What the completions are worth; null for a goal without value.",
    },
  }),
};
