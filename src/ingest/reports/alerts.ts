/**
 * Alerts: figures of a day that are far from those of the same weekday a week before.
 *
 * @module
 */
import { formatWeekday } from "./query/days.ts";
import type { ViewRequest, ViewSource } from "./view/view.ts";
import { readGoals } from "./views/goals/object.ts";
import { readOverviewFigures } from "./views/overview/object.ts";

/** Figures that a rule can watch beside goals, which are `goal:` and a name. */
export const ALERT_FIGURES = ["consentShare", "pageviews", "visitors", "sessions"] as const;

/** A rule: a figure, and which change of it is told. */
export interface AlertRule {
  /** A figure of {@linkcode ALERT_FIGURES}, or a goal such as `goal:Order`, by how often it is reached. */
  readonly figure: string;
  /**
   * Which change is told.
   *
   * @default {"falls"}
   */
  readonly change?: "falls" | "rises";
  /**
   * By how much, in percent of the figure before: of what falls 100 at most.
   *
   * @default {50}
   */
  readonly by?: number;
  /**
   * Fewest that the week before has to have, of consentShare fewest pageviews of both days: of small numbers each day
   * differs.
   *
   * @default {100}
   */
  readonly atLeast?: number;
}

/** A figure that has changed as a rule says. */
export interface Alert {
  /** The figure. */
  readonly figure: string;
  /** Value of the figure; of consentShare a share from 0 to 1. */
  readonly value: number;
  /** Value on the same weekday a week before. */
  readonly before: number;
  /** A sentence. */
  readonly text: string;
}

/** The rule of a key that has none: a banner that fails shows in this figure alone. */
export const USUAL_RULES: readonly AlertRule[] = [{ figure: "consentShare" }];

const GOAL = "goal:";

/** Most that a rule can wait for: nothing falls by more than all of it. */
const MAX_PERCENT = { falls: 100, rises: 1000 } as const;

/** A figure of both days, and how many it is of. */
interface Figure {
  readonly value: number;
  readonly before: number;
  readonly count: number;
}

/** Says what a webhook has to be. */
export const WEBHOOK_RULE = "must be a URL that begins with https:// or http://, without a user and a password";

/** Returns whether a text can be the address of a webhook. */
export function isWebhook(text: string): boolean {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return false;
  // With those, fetch() of Node and of browsers sends nothing.
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** Returns what is wrong with rules; the text continues the name of their field. */
export function findAlertProblem(rules: readonly AlertRule[], goalNames: readonly string[]): string | undefined {
  const known = [...ALERT_FIGURES, ...goalNames.map((name) => GOAL + name)];
  for (const { figure, change = "falls", by = 50, atLeast = 0 } of rules) {
    if (!known.includes(figure)) return `name a figure ${JSON.stringify(figure)}; there are ${known.join(", ")}`;
    if (!(by >= 1 && by <= MAX_PERCENT[change])) {
      return `must have by from 1 to ${MAX_PERCENT[change]} where one ${change}`;
    }
    if (!(atLeast >= 0)) return "must have atLeast from 0";
  }
}

/** Looks at a day that is compared with the same weekday a week before, by the rules. */
export async function findAlerts(
  source: ViewSource,
  request: ViewRequest,
  rules: readonly AlertRule[],
): Promise<readonly Alert[]> {
  const figures = await readFigures(source, request, rules);
  return rules.flatMap(({ figure, change = "falls", by = 50, atLeast = 100 }) => {
    const found = figures.get(figure);
    if (found === undefined || found.count < atLeast) return [];
    const { value, before } = found;
    // In whole numbers: 1 - 0.9 is a little less than 0.1.
    const isTold = change === "falls" ? 100 * value <= before * (100 - by) : 100 * value >= before * (100 + by);
    if (!isTold || value === before) return [];
    return [{ figure, value, before, text: describe(figure, found, request) }];
  });
}

async function readFigures(
  source: ViewSource,
  request: ViewRequest,
  rules: readonly AlertRule[],
): Promise<ReadonlyMap<string, Figure>> {
  const { current, before } = await readOverviewFigures(source, request);
  const [viewsNow, viewsBefore] = [current, before].map(({ pageviews: { full, aggregate } }) => full + aggregate);
  const figures = new Map<string, Figure>([
    ["pageviews", toFigure(viewsNow ?? 0, viewsBefore ?? 0)],
    ["visitors", toFigure(current.visitors, before.visitors)],
    ["sessions", toFigure(current.sessions, before.sessions)],
    ["consentShare", {
      ...toFigure(current.consentShare ?? 0, before.consentShare ?? 0),
      count: Math.min(viewsNow ?? 0, viewsBefore ?? 0),
    }],
  ]);
  if (!rules.some(({ figure }) => figure.startsWith(GOAL))) return figures;
  const { rows } = await readGoals(source, request);
  for (const { name, current: now, before: then } of rows) {
    figures.set(GOAL + name, toFigure(now.completions, then.completions));
  }
  return figures;
}

function toFigure(value: number, before: number): Figure {
  return { value, before, count: before };
}

function describe(figure: string, { value, before }: Figure, { site, from }: ViewRequest): string {
  const write = (count: number): string => figure === "consentShare" ? `${Math.round(100 * count)}%` : `${count}`;
  const name = figure === "consentShare" ? "the share of pageviews with consent" : figure.replace(GOAL, "the goal ");
  return `${site}, ${formatWeekday(from)}: ${name} was ${write(value)}, and ${write(before)} a week before.`;
}
