import { ENGAGED_MS, LONG_SESSION_MS } from "../../../events/visit_facts.ts";
import type { OverviewCounts, VisitCounts } from "../../../ports/reader.ts";
import type { Chosen } from "./chosen.ts";
import { findRank, readViews, VIEWS } from "./select.ts";

/** What is counted of the events of a span. */
type EventCounts = Pick<VisitCounts, "pageviews" | "visitors" | "users">;

/** Counts the bounces among visits `v`. */
export const BOUNCES: string = `sum(v.is_landing AND v.views = 1 AND v.steps = 0 AND v.engaged < ${ENGAGED_MS})`;

/** Counts a whole range, and its parts. */
export function countOverview(
  chosen: Chosen,
  bounds: readonly number[],
): { readonly total: OverviewCounts; readonly parts: readonly VisitCounts[] } {
  const { from, to } = chosen.query;
  return {
    total: { ...countSpan(chosen, from, to), medianSessionMs: findMedianLength(chosen) },
    parts: bounds.slice(1).map((end, index) => countSpan(chosen, bounds[index] ?? end, end)),
  };
}

function countSpan(chosen: Chosen, start: number, end: number): VisitCounts {
  const { query, select, visits } = chosen;
  const sessions = select.one(
    `SELECT count(*) AS sessions, sum(v.is_landing) AS landings, ${BOUNCES} AS bounces,
      sum(v.views) FILTER (WHERE v.is_landing) AS landing_views,
      sum(v.last = v.start AND v.events = v.views) AS instant_sessions
    FROM ${visits.table} WHERE ${visits.condition}`,
    start,
    end,
  );
  return {
    ...(query.filters.length > 0 ? countChosen(chosen, start, end) : countAll(chosen, start, end)),
    sessions: Number(sessions.sessions),
    landings: Number(sessions.landings ?? 0),
    landingViews: Number(sessions.landing_views ?? 0),
    bounces: Number(sessions.bounces ?? 0),
    instantSessions: Number(sessions.instant_sessions ?? 0),
  };
}

/** Counts events of a span one by one. */
function countChosen({ select, facts }: Chosen, start: number, end: number): EventCounts {
  const row = select.one(
    `SELECT ${VIEWS}, count(DISTINCT f.visitor) AS visitors, count(DISTINCT f.user) AS users
    FROM facts AS f WHERE ${facts}`,
    start,
    end,
  );
  return { pageviews: readViews(row), visitors: Number(row.visitors), users: Number(row.users) };
}

/**
 * Counts all events of a span. Most are of visits that lie in it whole and are of one visitor: their sums are at hand. The
 * events of the other visits, and those of none, are counted one by one.
 */
function countAll({ scope, select, findLongVisits }: Chosen, start: number, end: number): EventCounts {
  const isIn = `>= ${start} AND f.time < ${end}`;
  const near = `visits AS v INDEXED BY visits_by_start
    WHERE v.scope = ${scope} AND v.start >= ${start - LONG_SESSION_MS} AND v.start < ${end}`;
  const isWhole = `v.start >= ${start} AND v.last < ${end} AND v.is_mixed = 0`;
  const others = `SELECT v.id AS id FROM ${near} AND v.last >= ${start} AND NOT (${isWhole})
    UNION ALL ${findLongVisits(start)}`;
  const ofOthers = `FROM (${others}) AS others
    CROSS JOIN facts AS f ON f.visit = others.id WHERE f.time ${isIn}`;
  const alone =
    `FROM facts AS f INDEXED BY facts_alone WHERE f.scope = ${scope} AND f.visit IS NULL AND f.time ${isIn}`;
  const whole = select.one(`SELECT sum(v.views) AS full_views FROM ${near} AND ${isWhole}`);
  const rows = [select.one(`SELECT ${VIEWS} ${ofOthers}`), select.one(`SELECT ${VIEWS} ${alone}`), whole].map(
    readViews,
  );
  const visitors = select.one(`
    SELECT count(*) AS count FROM (
      SELECT v.visitor AS visitor FROM ${near} AND ${isWhole} AND v.visitor IS NOT NULL
      UNION SELECT f.visitor ${ofOthers} AND f.visitor IS NOT NULL
      UNION SELECT f.visitor ${alone} AND f.visitor IS NOT NULL
    )
  `);
  const users = select.one(`
    SELECT count(DISTINCT f.user) AS count FROM facts AS f INDEXED BY facts_signed_in
    WHERE f.scope = ${scope} AND f.user IS NOT NULL AND f.time ${isIn}
  `);
  return {
    pageviews: {
      full: rows.reduce((total, { full }) => total + full, 0),
      aggregate: rows.reduce((total, { aggregate }) => total + aggregate, 0),
    },
    visitors: Number(visitors.count),
    users: Number(users.count),
  };
}

function findMedianLength({ query: { from, to }, select, visits }: Chosen): number | null {
  const ofLengths = `FROM ${visits.table} WHERE ${visits.condition} AND v.events >= 2`;
  const lengths = Number(select.one(`SELECT count(*) AS count ${ofLengths}`, from, to).count);
  if (lengths === 0) return null;
  const place = findRank(lengths, 0.5);
  const sql = `SELECT v.last - v.start AS length ${ofLengths} ORDER BY 1 LIMIT 1 OFFSET ?`;
  return Number(select.one(sql, from, to, place).length);
}
