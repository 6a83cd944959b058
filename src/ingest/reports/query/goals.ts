/**
 * The goals of a key: what visitors are to do, by names of its owner's choice.
 *
 * @module
 */
import { createPathWriter, encodePath, isPathPattern, type PathRules } from "../../events/path_rules.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import type { FunnelEvent, ReportFilter } from "../../ports/reader.ts";
import type { Stage } from "./stages.ts";

/** A goal: reached by a view of a page, with consent, or by a step. */
export type Goal = {
  /** Path, as the report lists it, or a pattern such as `/thanks/:order`. */
  readonly page: string;
  /**
   * What each view is worth, in a unit of your own.
   *
   * @default {nothing is summed}
   */
  readonly value?: number;
} | {
  /** Name of the step. */
  readonly step: string;
  /**
   * What the step has to have.
   *
   * @default {anything}
   */
  readonly property?: {
    /** Name of the property. */
    readonly key: string;
    /** Its value: `1` and `"1"` are two. */
    readonly value: string | number | boolean | null;
  };
  /**
   * What each step is worth: a number, or the name of the property that says it.
   *
   * @default {nothing is summed}
   */
  readonly value?: number | string;
};

/** Goals by their names. */
export type Goals = Readonly<Record<string, Goal>>;

/** Most goals of a key: each is looked for in every event. */
const MAX_GOALS = 50;

/** Longest name, in UTF-16 units. */
const MAX_NAME_UNITS = 100;

/** Returns what is wrong with goals; the text continues the name of their field. Repeats nothing of them. */
export function findGoalProblem(goals: Goals): string | undefined {
  const entries = Object.entries(goals);
  if (entries.length > MAX_GOALS) return ` must be at most ${MAX_GOALS}`;
  for (const [index, [name, goal]] of entries.entries()) {
    const problem = name === "" || name.trim() !== name || name.length > MAX_NAME_UNITS
      ? `must have a name of 1 to ${MAX_NAME_UNITS} characters without spaces around it`
      : findProblem(goal);
    if (problem !== undefined) return `[${index}] ${problem}`;
  }
}

function findProblem(goal: Goal): string | undefined {
  if (typeof goal.value === "number" && !Number.isFinite(goal.value)) return "has a value that is no number";
  if (goal.value === "") return "has a value that names no property";
  if ("page" in goal) return goal.page.startsWith("/") ? undefined : "has a page that begins with no slash";
  if (goal.step === "" || goal.step === PAGEVIEW_NAME) return "must name a step, or a page";
  if (goal.property?.key === "") return "has a property without a key";
  if (typeof goal.property?.value === "number" && !Number.isFinite(goal.property.value)) {
    return "has a property whose value is no number of JSON";
  }
}

/** What goals depend on. */
export interface GoalContext {
  /** Goals of the key. */
  readonly goals: Goals;
  /** How its paths are written. */
  readonly pathRules: PathRules;
}

/** Returns what reaches a goal. */
export function toGoalEvent(goal: Goal, rules: PathRules): FunnelEvent {
  if ("page" in goal) return toPageEvent(goal.page, rules);
  const { step, property } = goal;
  if (property === undefined) return { step };
  return { step, property: { key: property.key, value: JSON.stringify(property.value) } };
}

/** Returns what a view of a page, or of one that fits a pattern, passes. */
function toPageEvent(page: string, rules: PathRules): FunnelEvent {
  if (isPathPattern(page)) return { pages: page };
  return {
    page: createPathWriter({ ...rules, patterns: rules.patterns.filter((one) => !isPathPattern(one)) })(
      encodePath(page),
    ),
  };
}

/** Puts what reaches goals into the filters that name some. */
export function resolveFilters(filters: readonly ReportFilter[], context: GoalContext): readonly ReportFilter[] {
  return filters.map((filter) =>
    filter.name === "goal" ? { ...filter, events: filter.values.flatMap((name) => findEvents(name, context)) } : filter
  );
}

/** Returns what passes stages: of a goal what reaches it, of a page a view of it or of one that fits its pattern. */
export function resolveStages(
  stages: readonly Stage[],
  context: GoalContext,
): readonly (readonly FunnelEvent[])[] {
  return stages.map((stage) =>
    stage.flatMap((event) => {
      if ("goal" in event) return findEvents(event.goal, context);
      return ["page" in event ? toPageEvent(event.page, context.pathRules) : event];
    })
  );
}

function findEvents(name: string, { goals, pathRules }: GoalContext): readonly FunnelEvent[] {
  const goal = Object.hasOwn(goals, name) ? goals[name] : undefined;
  return goal === undefined ? [] : [toGoalEvent(goal, pathRules)];
}

/** Finds a name that is no goal. */
export function findUnknownGoal(names: readonly string[], goals: Goals): string | undefined {
  return names.find((name) => !Object.hasOwn(goals, name));
}
