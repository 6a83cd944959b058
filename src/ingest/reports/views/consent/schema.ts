import type { Schema } from "../../query/parameter.ts";
import {
  ACCEPTANCE,
  COMPARE,
  CONSENT,
  COUNT,
  describe,
  LABEL,
  listOf,
  NOTES,
  objectOf,
  PAGEVIEWS,
  PART_FROM,
  PERIOD,
  RATIO,
  UNIT,
  viewOf,
} from "../../view/schema.ts";

/** Rows of a list, each beside the period before. */
const ROWS: Schema = listOf(objectOf({
  label: LABEL,
  ...CONSENT,
  before: {
    oneOf: [objectOf(CONSENT), { type: "null" }],
    description: "The same in the period before; null where it has nothing there.",
  },
}));

/** Schemas of the view, by their names in the OpenAPI document. */
export const CONSENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  ConsentView: viewOf("consent", {
    ...COMPARE,
    current: objectOf({
      ...PERIOD,
      ...CONSENT,
      ...ACCEPTANCE,
      arrivals: PAGEVIEWS,
      viewsPerArrival: describe("viewsPerArrival", RATIO),
      viewsPerSession: describe("viewsPerSession", RATIO),
    }),
    before: objectOf({ ...PERIOD, ...CONSENT, ...ACCEPTANCE }),
    unit: UNIT,
    parts: listOf(objectOf({ from: PART_FROM, ...CONSENT, ...ACCEPTANCE })),
    notes: NOTES,
    pages: ROWS,
    pageCount: COUNT,
    referrers: ROWS,
    referrerCount: COUNT,
  }),
};
