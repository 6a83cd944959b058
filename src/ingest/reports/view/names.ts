import type { FrequentNames } from "../page/page.ts";
import { findPeriods } from "../query/periods.ts";
import { toQuery } from "./scope.ts";
import type { ViewRequest, ViewSource } from "./view.ts";

/** In how much time names are looked for: those of a year would cost more than the funnel that they are for. */
const NAMES_MS = 30 * 24 * 60 * 60_000;

/** Most pages, and most steps, that the fields of stages propose. */
const FREQUENT_NAMES = 15;

/** Names the most frequent pages and steps of the last of the days, whatever the filters. */
export async function readNames({ reader, now }: ViewSource, request: ViewRequest): Promise<FrequentNames> {
  const { startMs, endMs: lastMs } = findPeriods(request, now()).current;
  const endMs = Math.max(startMs, Math.min(lastMs, now()));
  const query = toQuery({ ...request, filters: [] }, { startMs: Math.max(startMs, endMs - NAMES_MS), endMs });
  const [pages, steps] = await Promise.all([
    reader.pages(query, FREQUENT_NAMES),
    reader.steps(query, FREQUENT_NAMES),
  ]);
  return { pages: pages.rows.map(({ path }) => path), steps: steps.rows.map(({ name }) => name) };
}
