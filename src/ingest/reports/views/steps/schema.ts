import type { Schema } from "../../query/parameter.ts";
import {
  COMPARE,
  COUNT,
  GOAL_VALUE,
  LABEL,
  LISTED_STEPS,
  listedBeside,
  listOf,
  NOTES,
  objectOf,
  otherOf,
  PART_FROM,
  TEXT,
  UNIT,
  viewOf,
} from "../../view/schema.ts";

const NUMBER: Schema = { type: "number" };

const NUMBERS = objectOf({ count: COUNT, sum: NUMBER, median: NUMBER, p75: NUMBER, p90: NUMBER });

const VALUE: Schema = { value: { type: ["string", "number", "boolean", "null"] } };

const COUNTS: Schema = { count: COUNT, visitors: COUNT };

/** Schemas of the view, by their names in the OpenAPI document. */
export const STEPS_SCHEMAS: Readonly<Record<string, Schema>> = {
  StepsView: viewOf("steps", {
    ...COMPARE,
    ...LISTED_STEPS,
    violations: listOf(objectOf({ name: TEXT, kind: { enum: ["unknown", "missing", "invalid"] }, count: COUNT })),
    violationCount: COUNT,
    targets: listOf(objectOf({
      step: { enum: ["$outbound", "$download", "$form"] },
      key: { enum: ["url", "form", "path"] },
      rows: listOf(objectOf({ ...VALUE, ...COUNTS })),
      count: COUNT,
      other: otherOf({ count: COUNT }),
    })),
  }, {
    values: objectOf({
      step: TEXT,
      unit: UNIT,
      parts: listOf(objectOf({ from: PART_FROM, count: COUNT, visitors: COUNT })),
      notes: NOTES,
      keys: listOf(TEXT),
      key: LABEL,
      ...listedBeside(VALUE, COUNTS, GOAL_VALUE),
      numbers: { oneOf: [NUMBERS, { type: "null" }] },
    }),
  }),
};
