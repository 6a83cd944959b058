import { AUDIENCE_DIMENSIONS } from "../../../ports/report_filters.ts";
import type { Schema } from "../../query/parameter.ts";
import { COMPARE, LISTED_SOURCES, viewOf } from "../../view/schema.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const AUDIENCE_SCHEMAS: Readonly<Record<string, Schema>> = {
  AudienceView: viewOf("audience", {
    ...COMPARE,
    dimension: { enum: AUDIENCE_DIMENSIONS },
    ...LISTED_SOURCES,
  }),
};
