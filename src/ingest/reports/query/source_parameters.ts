import { SOURCE_GROUPINGS, type SourceGrouping } from "../../ports/report_query.ts";
import { oneOf, type Parameter } from "./parameter.ts";

/** Dimension that sources are grouped by. */
export const BY: Parameter<SourceGrouping> = oneOf("by", {
  words: SOURCE_GROUPINGS,
  description: "What sources are grouped by.",
  code: "bad_by",
});
