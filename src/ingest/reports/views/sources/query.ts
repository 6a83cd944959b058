import { GOAL_PARAMETERS, type GoalQuery } from "../../query/goal_query.ts";
import { SOURCE_COLUMNS } from "../../../ports/reader.ts";
import type { SourceGrouping } from "../../../ports/report_query.ts";
import { listParametersWith, type ListQuery } from "../../query/list_query.ts";
import { oneOf, type ParametersOf } from "../../query/parameter.ts";
import { BY } from "../../query/source_parameters.ts";

/** Whose source sessions are listed under: their own, or that of their visitor's first session. */
export const SOURCES_OF = ["session", "first"] as const;

/** The query of sources. */
export interface SourcesQuery extends ListQuery, GoalQuery {
  /** Dimension that they are grouped by. */
  readonly by: SourceGrouping;
  /** Whose source sessions are listed under. */
  readonly of: typeof SOURCES_OF[number];
}

/** The parameters of sources. */
export const SOURCES_PARAMETERS: ParametersOf<SourcesQuery> = {
  by: BY,
  of: oneOf("of", {
    words: SOURCES_OF,
    description:
      "Whose source sessions are listed under, with the view sources: their own, or that of their visitor's first session.",
    code: "bad_of",
  }),
  ...listParametersWith(SOURCE_COLUMNS),
  ...GOAL_PARAMETERS,
};
