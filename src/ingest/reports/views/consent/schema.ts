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
    pages: listOf(objectOf({ label: LABEL, ...CONSENT })),
    pageCount: COUNT,
    referrers: listOf(objectOf({ label: LABEL, ...CONSENT })),
    referrerCount: COUNT,
  }),
};
