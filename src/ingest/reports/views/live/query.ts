import type { SourceGrouping } from "../../../ports/report_query.ts";
import type { ParametersOf } from "../../query/parameter.ts";
import { BY } from "../../query/source_parameters.ts";

/** The query of the last minutes. */
export interface LiveQuery {
  /** Dimension that sources are grouped by. */
  readonly by: SourceGrouping;
}

/** The parameters of the last minutes. */
export const LIVE_PARAMETERS: ParametersOf<LiveQuery> = { by: BY };
