import { type PathRules, toPathExpression } from "../../events/path_rules.ts";
import type { FunnelEvent } from "../../ports/report_query.ts";
import type { FrequentNames } from "../page/page.ts";
import { toGoalEvent } from "../query/goals.ts";
import { findPeriods } from "../query/periods.ts";
import { toQuery } from "./scope.ts";
import type { ViewRequest, ViewSource } from "./view.ts";

/** In how much time names are looked for: those of a year would cost more than the funnel that they are for. */
const NAMES_MS = 30 * 24 * 60 * 60_000;

/** Most pages, and most steps, that the fields of stages propose. */
const FREQUENT_NAMES = 15;

/** Names the most frequent pages and steps of the last of the days, and the goals reached in them, whatever the filters. */
export async function readNames({ reader, now }: ViewSource, request: ViewRequest): Promise<FrequentNames> {
  const { startMs, endMs: lastMs } = findPeriods(request, now()).current;
  const endMs = Math.max(startMs, Math.min(lastMs, now()));
  const query = toQuery({ ...request, filters: [] }, { startMs: Math.max(startMs, endMs - NAMES_MS), endMs });
  const goals = Object.entries(request.goals).map(([name, goal]) => ({
    name,
    event: toGoalEvent(goal, request.pathRules),
  }));
  const [pages, steps, counted] = await Promise.all([
    reader.pages(query, FREQUENT_NAMES),
    reader.steps(query, FREQUENT_NAMES),
    goals.length === 0 ? [] : reader.countEvents(query, goals, []),
  ]);
  const paths = pages.rows.map(({ path }) => path);
  return {
    pages: paths,
    otherPages: paths.filter((path) => !goals.some(({ event }) => isReachedBy(path, event, request.pathRules))),
    steps: steps.rows.map(({ name }) => name),
    goals: goals.map(({ name }, index) => ({ name, visitors: counted[index]?.total.visitors ?? 0 }))
      .filter(({ visitors }) => visitors > 0)
      .toSorted((one, other) => other.visitors - one.visitors)
      .map(({ name }) => name),
  };
}

function isReachedBy(path: string, event: FunnelEvent, rules: PathRules): boolean {
  if ("pages" in event) return path === event.pages || toPathExpression(event.pages, rules).test(path);
  return "page" in event && path === event.page;
}
