import type { Schema } from "../../query/parameter.ts";
import {
  COUNT,
  LABEL,
  listOf,
  NOTES,
  objectOf,
  otherOf,
  PART_FROM,
  STEP_ROWS,
  TEXT,
  UNIT,
  viewOf,
} from "../../view/schema.ts";

const NUMBER: Schema = { type: "number" };

const NUMBERS = objectOf({ count: COUNT, sum: NUMBER, median: NUMBER, p75: NUMBER, p90: NUMBER });

const VALUE = objectOf({ value: { type: ["string", "number", "boolean", "null"] }, count: COUNT, visitors: COUNT });

/** Schemas of the view, by their names in the OpenAPI document. */
export const STEPS_SCHEMAS: Readonly<Record<string, Schema>> = {
  StepsView: viewOf("steps", {
    rows: STEP_ROWS,
    count: COUNT,
    other: otherOf({ count: COUNT }),
    violations: listOf(objectOf({ name: TEXT, kind: { enum: ["unknown", "missing", "invalid"] }, count: COUNT })),
    violationCount: COUNT,
    targets: listOf(objectOf({
      step: { enum: ["$outbound", "$download", "$form"] },
      key: { enum: ["url", "form", "path"] },
      rows: listOf(VALUE),
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
      rows: listOf(VALUE),
      count: COUNT,
      other: otherOf({ count: COUNT }),
      numbers: { oneOf: [NUMBERS, { type: "null" }] },
    }),
  }),
};
