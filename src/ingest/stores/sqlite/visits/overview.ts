import { ENGAGED_MS, LONG_SESSION_MS } from "../../../events/visit_facts.ts";
import type { OverviewCounts, ViewCounts, VisitCounts } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { findRank, readViews, VIEWS } from "./select.ts";

/** What is counted of a span of time. Of whom it is are numbers, so that spans can be joined: people don't add up. */
interface Span {
  readonly counts: Omit<VisitCounts, "visitors" | "users">;
  readonly visitors: readonly number[];
  readonly users: readonly number[];
}

/** What is counted of the events of a span. */
interface SpanEvents extends Omit<Span, "counts"> {
  readonly pageviews: ViewCounts;
}

/** Counts the bounces among visits `v`. */
export const BOUNCES: string = `sum(v.is_landing AND v.views = 1 AND v.steps = 0 AND v.engaged < ${ENGAGED_MS})`;

/** Counts a whole range, and its parts. */
export function countOverview(
  chosen: Chosen,
  bounds: readonly number[],
): { readonly total: OverviewCounts; readonly parts: readonly VisitCounts[] } {
  const { from, to } = chosen.query;
  const parts = bounds.slice(1).map((end, index) => readSpan(chosen, bounds[index] ?? end, end));
  const isCovered = parts.length > 0 && bounds[0] === from && bounds.at(-1) === to;
  const whole = isCovered ? joinSpans(parts) : readSpan(chosen, from, to);
  return { total: { ...countSpan(whole), medianSessionMs: findMedianLength(chosen) }, parts: parts.map(countSpan) };
}

function joinSpans(spans: readonly Span[]): Span {
  const sum = (read: (counts: Span["counts"]) => number): number =>
    spans.reduce((total, { counts }) => total + read(counts), 0);
  return {
    counts: {
      pageviews: {
        full: sum(({ pageviews }) => pageviews.full),
        aggregate: sum(({ pageviews }) => pageviews.aggregate),
      },
      sessions: sum(({ sessions }) => sessions),
      landings: sum(({ landings }) => landings),
      landingViews: sum(({ landingViews }) => landingViews),
      bounces: sum(({ bounces }) => bounces),
      instantSessions: sum(({ instantSessions }) => instantSessions),
    },
    visitors: spans.flatMap(({ visitors }) => visitors),
    users: spans.flatMap(({ users }) => users),
  };
}

function countSpan({ counts, visitors, users }: Span): VisitCounts {
  return { ...counts, visitors: countDistinct(visitors), users: countDistinct(users) };
}

/** Sorted numbers are counted in a quarter of the time that SQL's `DISTINCT` takes. */
function countDistinct(numbers: readonly number[]): number {
  const sorted = Float64Array.from(numbers).sort();
  return sorted.reduce((count, number, index) => number === sorted[index - 1] ? count : count + 1, 0);
}

function readSpan(chosen: Chosen, start: number, end: number): Span {
  const { query, select, visits } = chosen;
  const isWhole = `v.last < ${end} AND v.is_mixed = 0`;
  const row = select.one(
    `SELECT count(*) AS sessions, sum(v.is_landing) AS landings, ${BOUNCES} AS bounces,
      sum(v.views) FILTER (WHERE v.is_landing) AS landing_views,
      sum(v.last = v.start AND v.events = v.views) AS instant_sessions,
      sum(v.views) FILTER (WHERE ${isWhole}) AS whole_views,
      json_group_array(v.visitor) FILTER (WHERE ${isWhole} AND v.visitor IS NOT NULL) AS visitors
    FROM ${visits.table} WHERE ${visits.condition}`,
    start,
    end,
  );
  const hasFilters = query.filters.length > 0;
  const { pageviews, visitors, users } = hasFilters
    ? readChosenEvents(chosen, start, end)
    : readOtherEvents(chosen, start, end);
  return {
    counts: {
      pageviews: hasFilters ? pageviews : { ...pageviews, full: pageviews.full + Number(row.whole_views ?? 0) },
      sessions: Number(row.sessions),
      landings: Number(row.landings ?? 0),
      landingViews: Number(row.landing_views ?? 0),
      bounces: Number(row.bounces ?? 0),
      instantSessions: Number(row.instant_sessions ?? 0),
    },
    visitors: hasFilters ? visitors : [...visitors, ...readNumbers(row.visitors)],
    users,
  };
}

/** Reads events of a span one by one. */
function readChosenEvents({ select, facts }: Chosen, start: number, end: number): SpanEvents {
  const row = select.one(
    `SELECT ${VIEWS}, json_group_array(DISTINCT f.visitor) FILTER (WHERE f.visitor IS NOT NULL) AS visitors,
      json_group_array(DISTINCT f.user) FILTER (WHERE f.user IS NOT NULL) AS users
    FROM facts AS f WHERE ${facts}`,
    start,
    end,
  );
  return { pageviews: readViews(row), visitors: readNumbers(row.visitors), users: readNumbers(row.users) };
}

/**
 * Reads the events of a span that aren't counted with their visit: most visits lie in the span whole and are of one visitor, so
 * that their sums are at hand. The users are those of all events.
 */
function readOtherEvents({ scope, select, findLongVisits }: Chosen, start: number, end: number): SpanEvents {
  const isIn = `f.time >= ${start} AND f.time < ${end}`;
  const startsIn = (first: number, last: number): string =>
    `visits AS v INDEXED BY visits_by_start WHERE v.scope = ${scope} AND v.start >= ${first} AND v.start < ${last}`;
  const counts = `${VIEWS}, json_group_array(DISTINCT f.visitor) FILTER (WHERE f.visitor IS NOT NULL) AS visitors`;
  const rows = [
    select.one(`
      SELECT ${counts} FROM (
        SELECT v.id AS id FROM ${startsIn(start - LONG_SESSION_MS, start)} AND v.last >= ${start}
        UNION ALL SELECT v.id FROM ${startsIn(start, end)} AND (v.last >= ${end} OR v.is_mixed = 1)
        UNION ALL ${findLongVisits(start)}
      ) AS others CROSS JOIN facts AS f ON f.visit = others.id WHERE ${isIn}
    `),
    select.one(`
      SELECT ${counts} FROM facts AS f INDEXED BY facts_alone WHERE f.scope = ${scope} AND f.visit IS NULL AND ${isIn}
    `),
  ];
  const { users } = select.one(`
    SELECT json_group_array(DISTINCT f.user) AS users FROM facts AS f INDEXED BY facts_signed_in
    WHERE f.scope = ${scope} AND f.user IS NOT NULL AND ${isIn}
  `);
  const views = rows.map(readViews);
  return {
    pageviews: {
      full: views.reduce((total, { full }) => total + full, 0),
      aggregate: views.reduce((total, { aggregate }) => total + aggregate, 0),
    },
    visitors: rows.flatMap(({ visitors }) => readNumbers(visitors)),
    users: readNumbers(users),
  };
}

/** Reads who has an event in a span, some of them more than once. */
export function readVisitors(chosen: Chosen, start: number, end: number): readonly number[] {
  return readSpan(chosen, start, end).visitors;
}

/** Reads numbers that go out as one text: a row each takes many times as long. */
export function readNumbers(json: unknown): readonly number[] {
  return JSON.parse(String(json));
}

function findMedianLength({ query: { from, to }, select, visits }: Chosen): number | null {
  const row = select.one(
    `SELECT json_group_array(v.last - v.start) AS lengths FROM ${visits.table}
    WHERE ${visits.condition} AND v.events >= 2`,
    from,
    to,
  );
  const sorted = Float64Array.from(readNumbers(row.lengths)).sort();
  return sorted[findRank(sorted.length, 0.5)] ?? null;
}
