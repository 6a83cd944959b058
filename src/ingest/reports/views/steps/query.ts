import { GOAL_PARAMETERS, type GoalQuery } from "../../query/goal_query.ts";
import { VALUE_COLUMNS } from "../../../ports/reader.ts";
import { listParametersWith, type ListQuery, offsetNamed } from "../../query/list_query.ts";
import { anyText, type ParametersOf } from "../../query/parameter.ts";
import type { Problem } from "../../query/query.ts";

/** The query of steps. */
export interface StepsQuery extends ListQuery, GoalQuery {
  /** Name of the steps whose values are listed. */
  readonly step?: string | undefined;
  /** Property of the step. */
  readonly key?: string | undefined;
  /** Number of rows of the events off the plan that is passed over. */
  readonly violationOffset: number;
}

/** The parameters of steps. */
export const STEPS_PARAMETERS: ParametersOf<StepsQuery> = {
  step: anyText("step", "Name of the steps whose values are listed, with the view steps."),
  key: anyText("key", "Property of the step; the most frequent one by default."),
  violationOffset: offsetNamed("violationOffset", "How many rows of the events off the plan are passed over."),
  ...listParametersWith(VALUE_COLUMNS),
  ...GOAL_PARAMETERS,
};

/** Says what is wrong with a property that is of no step. */
export function checkStepsQuery({ step, key }: Partial<StepsQuery>): Problem | undefined {
  if (key === undefined || step !== undefined) return undefined;
  return { status: 400, code: "bad_key", message: "key goes with the step that has it" };
}
