import type { EventTotals } from "../../../ports/report_counts.ts";
import { type Goal, toCountedEvent, toGoalEvent } from "../../query/goals.ts";
import { findPeriods, type Period } from "../../query/periods.ts";
import { writeStage } from "../../query/stages.ts";
import { divide, toNumber } from "../../view/divide.ts";
import { isFew } from "../../query/few.ts";
import { readScope, toQuery, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";

/** The goals of the key, in their order there. */
export interface GoalsView extends ViewScope {
  /** Which view it is. */
  readonly view: "goals";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** The days that were asked for. */
  readonly current: {
    /** First day. */
    readonly from: string;
    /** Last day, included. */
    readonly to: string;
    /** Distinct visitors, whatever they did. */
    readonly visitors: number;
  };
  /** The period beside them. It ends at the same hour while they aren't over. */
  readonly before: GoalsView["current"];
  /** Goals; none where the key has none. */
  readonly rows: readonly {
    /** Name. */
    readonly name: string;
    /** The events that reach it, for people to read: `page:/thanks/:order`. As a stage of a funnel write `goal:` and its name. */
    readonly event: string;
    /** In the days that were asked for. */
    readonly current: {
      /** Distinct visitors who reached it. */
      readonly visitors: number;
      /** Number of completions. */
      readonly completions: number;
      /** Share of the visitors who reached it, 0 to 1; null without visitors. */
      readonly conversionRate: number | null;
      /** Value of the completions together; null for a goal without a value. */
      readonly value: number | null;
    };
    /** In those beside them. */
    readonly before: GoalsView["rows"][number]["current"];
  }[];
}

/** A goal, beside the period before. */
export type GoalRow = GoalsView["rows"][number];

/** Counts of a goal. */
export type GoalCounts = GoalRow["current"];

const NOT_REACHED: GoalCounts = { visitors: 0, completions: 0, conversionRate: null, value: null };

/** Distinct visitors of both periods. */
export interface KnownVisitors {
  /** Those of the days that were asked for. */
  readonly current: number;
  /** Those of the days beside them. */
  readonly before: number;
}

/** Counts how often goals are reached, and the visitors unless they are known. */
export async function readGoals(source: ViewSource, request: ViewRequest, known?: KnownVisitors): Promise<GoalsView> {
  const { now } = source;
  const { current, before } = findPeriods(request, now());
  const ofDays = await countGoals(source, request, { period: current, visitors: known?.current });
  const ofBefore = await countGoals(source, request, { period: before, visitors: known?.before });
  return {
    view: "goals",
    ...await readScope(source, request),
    compare: request.compare,
    current: ofDays.period,
    before: ofBefore.period,
    rows: Object.entries(request.goals).map(([name, goal], index) => ({
      name,
      event: writeStage([toGoalEvent(goal, request.pathRules)]),
      current: ofDays.counts[index] ?? NOT_REACHED,
      before: ofBefore.counts[index] ?? NOT_REACHED,
    })),
  };
}

interface ReadGoals {
  readonly period: GoalsView["current"];
  readonly counts: readonly GoalCounts[];
}

async function countGoals(
  { reader }: ViewSource,
  request: ViewRequest,
  { period, visitors: known }: { readonly period: Period; readonly visitors: number | undefined },
): Promise<ReadGoals> {
  const query = toQuery(request, period);
  const goals = Object.values(request.goals);
  const events = goals.map((goal) => toCountedEvent(goal, request.pathRules));
  const visitors = known ?? (await reader.overview(query, [])).total.visitors;
  const counted = await reader.countEvents(query, events, []);
  return {
    period: { from: period.from, to: period.to, visitors },
    counts: counted.map(({ total }, index) => ({
      visitors: total.visitors,
      completions: total.count,
      conversionRate: divide(total.visitors, visitors),
      value: sumValue(goals[index]?.value, total),
    })),
  };
}

function sumValue(value: Goal["value"], { count, visitors, sum }: EventTotals): number | null {
  if (value === undefined || isFew(count) || isFew(visitors)) return null;
  return toNumber(typeof value === "number" ? value * count : sum);
}
