import type { Schema } from "../../query/parameter.ts";
import {
  COMPARE,
  COUNT,
  describe,
  listOf,
  NOTES,
  objectOf,
  PAGEVIEWS,
  schemaOf,
  TEXT,
  UNIT,
  viewOf,
} from "../../view/schema.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const OVERVIEW_SCHEMAS: Readonly<Record<string, Schema>> = {
  OverviewView: viewOf("overview", {
    ...COMPARE,
    current: schemaOf("ReportPeriod"),
    before: schemaOf("ReportPeriod"),
    unit: UNIT,
    parts: listOf(schemaOf("ReportPart")),
    partsBefore: listOf(schemaOf("ReportPart")),
    notes: NOTES,
    flagged: objectOf({ bots: PAGEVIEWS, own: PAGEVIEWS }),
    allowance: objectOf({ month: TEXT, used: describe("allowance", COUNT), limit: { type: ["number", "null"] } }),
  }),
};
