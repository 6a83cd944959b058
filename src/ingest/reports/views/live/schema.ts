import { SOURCE_GROUPINGS } from "../../../ports/report_query.ts";
import type { Schema } from "../../query/parameter.ts";
import {
  COUNT,
  describe,
  listOf,
  objectOf,
  PAGE_ROWS,
  schemaOf,
  SOURCE_ROWS,
  SPAN,
  STEP_ROWS,
  viewOf,
} from "../../view/schema.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const LIVE_SCHEMAS: Readonly<Record<string, Schema>> = {
  LiveView: viewOf("live", {
    visitorsNow: describe("visitorsNow", COUNT),
    current: objectOf(SPAN),
    parts: listOf(schemaOf("ReportPart")),
    pages: PAGE_ROWS,
    by: { enum: SOURCE_GROUPINGS },
    sources: SOURCE_ROWS,
    steps: STEP_ROWS,
  }),
};
