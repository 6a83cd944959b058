import type { SourceGrouping } from "../../../ports/reader.ts";
import type { ParametersOf } from "../../query/parameter.ts";
import { BY } from "../../query/source_parameters.ts";

/** What the last minutes are asked for with. */
export interface LiveQuery {
  /** What sources are grouped by. */
  readonly by: SourceGrouping;
}

/** The parameters of the last minutes. */
export const LIVE_PARAMETERS: ParametersOf<LiveQuery> = { by: BY };
