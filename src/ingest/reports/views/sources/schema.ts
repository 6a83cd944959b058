import { SOURCE_GROUPINGS } from "../../../ports/report_query.ts";
import type { Schema } from "../../query/parameter.ts";
import { COMPARE, LISTED_SOURCES, viewOf } from "../../view/schema.ts";
import { SOURCES_OF } from "./query.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const SOURCES_SCHEMAS: Readonly<Record<string, Schema>> = {
  SourcesView: viewOf("sources", {
    ...COMPARE,
    by: { enum: SOURCE_GROUPINGS },
    of: { enum: SOURCES_OF, description: "Whose source sessions are listed under." },
    ...LISTED_SOURCES,
  }),
};
