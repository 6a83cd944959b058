import type { StepCounts } from "../../../ports/report_counts.ts";
import type { SourceGrouping } from "../../../ports/report_query.ts";
import { toZoneDay } from "../../query/zones.ts";
import { type PageRow, type SourceRow, toPageRow, toSourceRow } from "../../view/rows.ts";
import { readScope, toQuery, type ViewScope } from "../../view/scope.ts";
import { type PartCounts, type SpanCounts, toParts, toSpanCounts } from "../../view/spans.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import type { LiveQuery } from "./query.ts";

/** Live: the last 30 minutes. The days are those of the zone that they are in. */
export interface LiveView extends ViewScope {
  /** Which view it is. */
  readonly view: "live";
  /** Distinct visitors with an event in the last 5 minutes. */
  readonly visitorsNow: number;
  /** The 30 minutes. */
  readonly current: SpanCounts;
  /** Each of them, the oldest first. */
  readonly parts: readonly PartCounts[];
  /** Pages, the most viewed first. */
  readonly pages: readonly PageRow[];
  /** Dimension that sources are grouped by. */
  readonly by: SourceGrouping;
  /** Sources of the sessions that began, those of the most sessions first. */
  readonly sources: readonly SourceRow[];
  /** Steps, the most frequent first. */
  readonly steps: readonly StepCounts[];
}

const MINUTE_MS = 60_000;

/** Minutes of the view, and those of them that are now. */
const [LIVE_MINUTES, NOW_MINUTES] = [30, 5] as const;

/** Counts the last 30 minutes. */
export async function readLive(
  source: ViewSource,
  request: ViewRequest & LiveQuery,
  rows: number,
): Promise<LiveView> {
  const { reader, now } = source;
  const { zone, by, filters } = request;
  const endMs = now();
  const startMs = endMs - LIVE_MINUTES * MINUTE_MS;
  const bounds = Array.from({ length: LIVE_MINUTES + 1 }, (_, minute) => startMs + minute * MINUTE_MS);
  const query = toQuery(request, { startMs, endMs });
  const [{ total, parts }, { total: { visitors } }, pages, sources, steps] = await Promise.all([
    reader.overview(query, bounds),
    reader.overview({ ...query, from: endMs - NOW_MINUTES * MINUTE_MS }, []),
    reader.pages(query, rows),
    reader.sources(query, { by }, rows),
    reader.steps(query, rows),
  ]);
  return {
    view: "live",
    ...await readScope(source, { ...request, from: toZoneDay(zone, startMs), to: toZoneDay(zone, endMs) }),
    visitorsNow: visitors,
    current: toSpanCounts(total, { startMs, endMs, filters }),
    parts: toParts({ period: { bounds }, parts }, { zone, unit: "minute", filters }),
    pages: pages.rows.map((row) => toPageRow(row, request)),
    by,
    sources: sources.rows.filter(({ sessions }) => sessions > 0).map((row) => toSourceRow(row)),
    steps: steps.rows,
  };
}

/** Returns whether nothing happened in the last minutes. */
export function isQuiet(
  { current: { pageviews: { full, aggregate }, visitors, users, sessions }, steps }: LiveView,
): boolean {
  return full + aggregate + visitors + users + sessions + steps.length === 0;
}
