/**
 * The goals of a key: what visitors are to do, by names of its owner's choice.
 *
 * @module
 */
import {
  createPathWriter,
  encodePath,
  findPatternProblem,
  isPathPattern,
  type PathRules,
} from "../../events/path_rules.ts";
import { cutScalar } from "../../events/scalars.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import { toFactText, toReferrerText, toTagText } from "../../events/visit_facts.ts";
import type { CountedEvent } from "../../ports/reader.ts";
import { type FunnelEvent, type ReportFilter, SOURCE_DIMENSIONS } from "../../ports/report_query.ts";
import type { Stage } from "./stages.ts";

/** A goal: reached by a view of a page, with consent, or by a step. */
export type Goal = {
  /** Path, as the report lists it, or a pattern such as `/thanks/:order`. */
  readonly page: string;
  /**
   * Worth of each view, in a unit of your own.
   *
   * @default {nothing is summed}
   */
  readonly value?: number;
} | {
  /** Name of the step. */
  readonly step: string;
  /**
   * Property that the step has to have.
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
   * Worth of each step: a number, or the name of the property that says it.
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
  if ("page" in goal) {
    if (!goal.page.startsWith("/")) return "has a page that begins with no slash";
    const problem = findPatternProblem(goal.page);
    return problem && `has a page that ${problem}`;
  }
  if (goal.step === "" || goal.step === PAGEVIEW_NAME) return "must name a step, or a page";
  if (goal.property?.key === "") return "has a property without a key";
  if (typeof goal.property?.value === "number" && !Number.isFinite(goal.property.value)) {
    return "has a property whose value is no number of JSON";
  }
}

/** The settings that goals depend on. */
export interface GoalContext {
  /** Goals of the key. */
  readonly goals: Goals;
  /** Rules by which its paths are written. */
  readonly pathRules: PathRules;
}

/** Returns what reaches a goal. */
export function toGoalEvent(goal: Goal, rules: PathRules): FunnelEvent {
  if ("page" in goal) return toPageEvent(goal.page, rules);
  const { step, property } = goal;
  if (property === undefined) return cutStep({ step });
  return cutStep({ step, property: { key: property.key, value: JSON.stringify(property.value) } });
}

/** Returns the events that reach a goal, and the property that says what they are worth. */
export function toCountedEvent(goal: Goal, rules: PathRules): CountedEvent {
  return {
    event: toGoalEvent(goal, rules),
    ...(typeof goal.value === "string" && { sumOf: cutScalar(goal.value) }),
  };
}

/** Writes what a step is asked by as the store has it, cut and cleaned. */
function cutStep({ step, property }: Extract<FunnelEvent, { readonly step: string }>): FunnelEvent {
  const name = toFactText(step);
  if (property === undefined) return { step: name };
  return { step: name, property: { key: cutScalar(property.key), value: cutJson(property.value) } };
}

/** Writes a scalar, which is JSON, as the store has it. */
function cutJson(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? JSON.stringify(cutScalar(value)) : json;
}

/** Returns what a view of a page, or of one that fits a pattern, passes. */
function toPageEvent(page: string, rules: PathRules): FunnelEvent {
  if (isPathPattern(page)) return { pages: page };
  return { page: writePage(page, rules) };
}

/** Writes a page that is asked for as the lists have it. */
function writePage(page: string, rules: PathRules): string {
  if (rules.patterns.includes(page)) return page;
  const patterns = rules.patterns.filter((one) => !isPathPattern(one));
  return createPathWriter({ ...rules, patterns })(toFactText(encodePath(page)));
}

/** Returns whether the values of a filter are tags or referrers. */
function isSourceFilter(name: ReportFilter["name"]): boolean {
  return name !== "channel" && SOURCE_DIMENSIONS.some((one) => one === name);
}

/** Puts what reaches goals into the filters that name some, and writes the others as the store has what they ask for. */
export function resolveFilters(filters: readonly ReportFilter[], context: GoalContext): readonly ReportFilter[] {
  return filters.map((filter) => {
    const { name, values, key, step } = filter;
    if (name === "goal") return { ...filter, events: values.flatMap((goal) => findEvents(goal, context)) };
    if (isPageFilter(name)) {
      const patterns = listPatterns(values, context.pathRules);
      const pages = values.filter((value) => !patterns.includes(value));
      return { ...filter, values: pages.map((page) => writePage(page, context.pathRules)), patterns };
    }
    const write = isSourceFilter(name) ? (text: string) => toReferrerText(toTagText(text)) : toFactText;
    return {
      ...filter,
      values: values.map(name === "property" ? cutJson : write),
      ...(key !== undefined && { key: cutScalar(key) }),
      ...(step !== undefined && { step: toFactText(step) }),
    };
  });
}

/** Returns what passes stages: of a goal what reaches it, of a page a view of it or of one that fits its pattern. */
export function resolveStages(
  stages: readonly Stage[],
  context: GoalContext,
): readonly (readonly FunnelEvent[])[] {
  return stages.map((stage) =>
    stage.flatMap((event) => {
      if ("goal" in event) return findEvents(event.goal, context);
      if ("page" in event) return [toPageEvent(event.page, context.pathRules)];
      return ["step" in event ? cutStep(event) : event];
    })
  );
}

function findEvents(name: string, { goals, pathRules }: GoalContext): readonly FunnelEvent[] {
  const goal = Object.hasOwn(goals, name) ? goals[name] : undefined;
  return goal === undefined ? [] : [toGoalEvent(goal, pathRules)];
}

function isPageFilter(name: ReportFilter["name"]): boolean {
  return name === "page" || name === "entry" || name === "exit";
}

/** Lists the patterns among pages; those of the rules are rows of the lists. */
function listPatterns(pages: readonly string[], { patterns }: PathRules): readonly string[] {
  return pages.filter((page) => isPathPattern(page) && !patterns.includes(page));
}

/** Says what is wrong with a pattern of a filter; undefined for nothing. */
export function findFilterProblem(filters: readonly ReportFilter[], rules: PathRules): string | undefined {
  const patterns = filters.flatMap(({ name, values }) => isPageFilter(name) ? listPatterns(values, rules) : []);
  const problem = patterns.map(findPatternProblem).find((one) => one !== undefined);
  return problem && `a filter's page ${problem}`;
}

/** Finds a name that is no goal. */
export function findUnknownGoal(names: readonly string[], goals: Goals): string | undefined {
  return names.find((name) => !Object.hasOwn(goals, name));
}
