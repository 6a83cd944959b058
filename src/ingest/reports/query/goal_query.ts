import { anyText, type ParametersOf } from "./parameter.ts";

/** The goal beside the rows of a list. */
export interface GoalQuery {
  /** Its name. */
  readonly goal?: string | undefined;
}

/** The parameter of a list that a goal stands beside. */
export const GOAL_PARAMETERS: ParametersOf<GoalQuery> = {
  goal: anyText(
    "goal",
    "Name of a goal: each row of pages, sources or a step's values gets the share of its sessions that reach it, and the value.",
  ),
};

/** Lists the goal. */
export function listGoal({ goal }: GoalQuery): readonly string[] {
  return goal === undefined ? [] : [goal];
}
