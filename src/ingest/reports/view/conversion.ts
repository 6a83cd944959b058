import { type ConversionCounts, type ConvertedList, GOAL_COLUMNS } from "../../ports/reader.ts";
import type { ListChoice } from "../../ports/report_query.ts";
import { type Goal, toCountedEvent } from "../query/goals.ts";
import type { GoalQuery } from "../query/goal_query.ts";
import { type ListQuery, toChoice } from "../query/list_query.ts";
import { divide, toNumber } from "./divide.ts";
import { isFew } from "../query/few.ts";
import { toQueryOfDays } from "./scope.ts";
import type { ViewRequest, ViewSource } from "./view.ts";

/** A row that may stand beside a goal. */
export type BesideGoal<T> = T & {
  /** Figures of the goal for its sessions; present where one was asked for. */
  readonly conversion?: {
    /** Sessions of the row: listed under it, or with a pageview or a step of it. */
    readonly sessions: number;
    /** Those of them that reach the goal. */
    readonly conversions: number;
    /** Share of the sessions that reach it, 0 to 1; null without sessions. */
    readonly conversionRate: number | null;
    /** Value of the completions in these sessions; null for a goal without a value. */
    readonly value: number | null;
    /** Of pages alone: exits of sessions that don't reach the goal. */
    readonly exitsWithout?: number;
  };
};

/** Figures of a goal for the sessions of a row. */
type Conversion = NonNullable<BesideGoal<object>["conversion"]>;

/** A list whose rows are to stand beside a goal. */
export interface ConvertedRows<T> {
  readonly list: ConvertedList;
  readonly rows: readonly T[];
  /** Names a row as a list's choice does. */
  readonly nameOf: (row: T) => string;
}

/** Adds to each row of a list what its sessions have of the goal that is asked for, if any. */
export async function addConversions<T extends object>(
  source: ViewSource,
  request: ViewRequest & GoalQuery,
  { list, rows, nameOf }: ConvertedRows<T>,
): Promise<readonly BesideGoal<T>[]> {
  const { reader } = source;
  const goal = request.goal === undefined ? undefined : request.goals[request.goal];
  if (goal === undefined || reader.conversions === undefined) return rows;
  const counted = await reader.conversions(
    toQueryOfDays(source, request),
    { ...list, goal: toCountedEvent(goal, request.pathRules) },
    rows.map(nameOf),
  );
  const known = new Map(counted.map((counts) => [counts.name, counts]));
  return rows.map((row) => {
    const counts = known.get(nameOf(row));
    const ofPage = list.list === "pages" && { exitsWithout: counts?.exitsWithout ?? 0 };
    return { ...row, conversion: { ...toConversion(counts, goal), ...ofPage } };
  });
}

/** Returns what a reader of a list is asked for, with the goal where the list is sorted by it. */
export function toGoalChoice<C extends string>(
  request: ViewRequest & ListQuery & GoalQuery,
  columns: readonly C[],
): ListChoice<C> {
  const choice = toChoice(request, columns);
  const goal = request.goal === undefined ? undefined : request.goals[request.goal];
  if (goal === undefined || !GOAL_COLUMNS.some((column) => column === request.sort)) return choice;
  // Readers sort by how often the goal is reached: worth less than nothing, the most often is the least value.
  const isNegative = request.sort === "goalValue" && typeof goal.value === "number" && goal.value < 0;
  return {
    ...choice,
    isAscending: isNegative !== (choice.isAscending ?? false),
    goal: toCountedEvent(goal, request.pathRules),
  };
}

function toConversion(counts: ConversionCounts | undefined, { value }: Goal): Conversion {
  const { sessions = 0, conversions = 0, completions = 0, sum = 0 } = counts ?? {};
  const worth = typeof value === "number" ? value * completions : sum;
  return {
    sessions,
    conversions,
    conversionRate: divide(conversions, sessions),
    value: value === undefined || isFew(completions) || isFew(conversions) ? null : toNumber(worth),
  };
}
