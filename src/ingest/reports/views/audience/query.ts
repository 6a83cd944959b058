import { type AudienceDimension, SOURCE_COLUMNS } from "../../../ports/reader.ts";
import { AUDIENCE_DIMENSIONS } from "../../../ports/report_filters.ts";
import { GOAL_PARAMETERS, type GoalQuery } from "../../query/goal_query.ts";
import { listParametersWith, type ListQuery } from "../../query/list_query.ts";
import { oneOf, type ParametersOf } from "../../query/parameter.ts";

/** The query of the audience. */
export interface AudienceQuery extends ListQuery, GoalQuery {
  /** Dimension that people are listed by. */
  readonly dimension: AudienceDimension;
}

/** The parameters of the audience. */
export const AUDIENCE_PARAMETERS: ParametersOf<AudienceQuery> = {
  dimension: oneOf("dimension", {
    words: AUDIENCE_DIMENSIONS,
    description: "What people are listed by, with the view audience.",
    code: "bad_dimension",
  }),
  ...listParametersWith(SOURCE_COLUMNS),
  ...GOAL_PARAMETERS,
};
