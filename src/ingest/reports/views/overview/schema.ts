import type { Schema } from "../../query/parameter.ts";
import {
  COMPARE,
  COUNT,
  describe,
  LISTED_SOURCES,
  listedBeside,
  listOf,
  NOTES,
  objectOf,
  PAGEVIEWS,
  schemaOf,
  TEXT,
  UNIT,
  viewOf,
} from "../../view/schema.ts";
import { GOAL_ROWS } from "../goals/schema.ts";

function firstOf({ rows, count }: Schema): Schema {
  return objectOf({ rows, count });
}

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
    lists: objectOf({}, {
      pages: firstOf(listedBeside({ path: TEXT }, { views: PAGEVIEWS })),
      sources: firstOf(LISTED_SOURCES),
      steps: firstOf(listedBeside({ name: TEXT }, { count: COUNT })),
      goals: objectOf({ rows: GOAL_ROWS, count: COUNT }),
    }),
    flagged: objectOf({ bots: PAGEVIEWS, own: PAGEVIEWS }),
    allowance: objectOf({ month: TEXT, used: describe("allowance", COUNT), limit: { type: ["number", "null"] } }),
  }),
};
