import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import { ENGAGED_MS, LONG_SESSION_MS, SCREEN_WIDTHS } from "../../events/visit_facts.ts";
import { hashKey } from "../../platform/digest.ts";
import {
  type ReportQuery,
  SOURCE_DIMENSIONS,
  type SourceDimension,
  type SourceGrouping,
  TRAFFIC_FLAGS,
} from "../../ports/reader.ts";
import type { Parameters } from "./clickhouse_port.ts";
import { EVENTS_TABLE } from "./clickhouse_schema.ts";
import { buildFilters, joinAll } from "./clickhouse_visit_filters.ts";
import {
  buildPage,
  buildSourceWords,
  type Select,
  type SourceWords,
  type WordRange,
} from "./clickhouse_visit_words.ts";

/** Tables for a query of counts. */
export interface VisitTables {
  /**
   * Begins the query: `chosen_events` has the events of the range that the filters choose, `chosen_sessions` the sessions
   * that begin in it.
   */
  readonly definitions: string;
  /** Values of the bound parameters. */
  readonly parameters: Parameters;
}

/** What sources are counted by, as a reader is asked for them. */
export interface ListedSources {
  readonly by: SourceGrouping;
  readonly of?: "session" | "first";
}

/** The labels of sources, and the name of their columns: `first_label` of an event, `session_first` of a session. */
interface NamedWords extends SourceWords {
  readonly name: string;
}

/** Of which events the days are. */
export type SiteRange = Pick<ReportQuery, "apiKey" | "site" | "from" | "to">;

/** Days that the table has; others are in the first or the last of them. */
const [FIRST_DAY, LAST_DAY] = ["1900-01-01", "2299-12-31"] as const;

const [FIRST_MS, LAST_MS] = [Date.parse(FIRST_DAY), Date.parse(LAST_DAY)] as const;

/** Condition of an event of the site. */
export const OF_SITE = "key_hash = {keyHash:String} AND site = {site:String}";

/** Time of an event, by the clock of the ingest where the visitor's was wrong. */
export const TIME = "(toUnixTimestamp64Milli(timestamp) + clock_offset_ms)";

/**
 * Builds the condition of the days that the other events of a session may be of which has one in the range, and the events of a
 * clock that is wrong by less than that. Those of other clocks are of the odd days.
 */
function buildAround(oddDays: readonly string[]): string {
  const isOdd = oddDays.length === 0 ? "" : `OR day IN (${oddDays.map((day) => `toDate32('${day}')`).join(", ")})`;
  return `${OF_SITE} AND (day BETWEEN toDate32({dayBefore:String}) AND toDate32({dayBehind:String}) ${isOdd})`;
}

const IN_RANGE = `${TIME} >= {from:Int64} AND ${TIME} < {to:Int64}`;

/** Condition of an event of the site that has the flag, whenever it was. */
const AT_ANY_TIME = `${OF_SITE} AND flag = {flag:String}`;

/** Days whose events are in the range all the same: the visitor's clock was wrong by days, or by years. */
const ODD_DAYS = `
  SELECT DISTINCT toString(day) AS odd_day FROM ${EVENTS_TABLE}
  WHERE ${OF_SITE} AND clock_offset_ms <> 0 AND abs(clock_offset_ms) > {margin:Int64}
    AND ${TIME} >= {from:Int64} - {margin:Int64} AND ${TIME} < {to:Int64} + {margin:Int64} LIMIT 10000
`;

/** Stands for the session of an event that has none. */
const NO_SESSION = "sipHash64('')";

const SCREEN = `
  multiIf(
    ifNull(screen_width, 0) <= 0, 0,
    ${SCREEN_WIDTHS.map((width, index) => `screen_width < ${width}, ${index + 1}`).join(", ")},
    ${SCREEN_WIDTHS.length + 1}
  )
`;

/**
 * What counts of an event: see `VisitFacts`. Moments order the events of a session, and source moments those that say where
 * it came from: the first with a tag, then the first with a referrer.
 */
const COUNTED_COLUMNS = `
  name, violation, visitor_hash, user_hash, session_hash, engaged_ms, scalars,
  ${TIME} AS time,
  (time, place, id) AS moment,
  collection = 'full' AS is_full,
  is_full AND session_hash <> ${NO_SESSION} AS has_session,
  name = '${PAGEVIEW_NAME}' AS is_view,
  NOT is_view AS is_action,
  is_action AND NOT startsWith(name, '$') AS is_step,
  is_view AND (referrer <> {site:String} OR {site:String} = '') AS is_arrival,
  ${SCREEN} AS screen,
  multiIf(utm_source <> '', 0, source_referrer <> '', 1, 2) AS source_rank,
  (source_rank, moment) AS source_moment
`;

/** What counts of a session. The first event of a landing is a pageview. */
const SESSION_COLUMNS = `
  session_hash,
  min(time) AS start,
  min(moment) AS first_moment,
  max(time) - start AS length,
  count() AS events,
  argMin(is_arrival, moment) AS is_landing,
  countIf(is_view) AS views,
  is_landing AND views = 1 AND countIf(is_step) = 0 AND sum(engaged_ms) < ${ENGAGED_MS} AS is_bounce,
  length = 0 AND views = events AS is_instant,
  argMin(page, moment) AS first_page,
  argMaxIf(page, moment, is_view) AS last_page,
  argMin(visitor_hash, moment) AS visitor,
  max(is_chosen) AS has_chosen
`;

/**
 * Makes the tables of a query. A view of sources has what {@linkcode nameListed} names; of the first, `first_sessions` has what the
 * first session of each `first_visitor` is listed under, `first_listed`.
 */
export async function buildVisitTables(
  select: Select,
  query: ReportQuery,
  listed?: ListedSources,
): Promise<VisitTables> {
  const { filters, pathRules, ownOrigins } = query;
  const isOfFirst = listed?.of === "first";
  const { ofEvents, ofSessions } = buildFilters(filters, pathRules);
  const parameters = { ...await bindRange(query), flag: TRAFFIC_FLAGS[query.traffic] };
  const around = `${buildAround(await readOddDays(select, parameters))} AND flag = {flag:String}`;
  const inRange = `${around} AND ${IN_RANGE}`;
  const range = { condition: around, parameters, ownOrigins, inRange: IN_RANGE };
  const everRange = { condition: AT_ANY_TIME, parameters, ownOrigins, inRange: "true" };
  const page = await buildPage(select, pathRules, isOfFirst && listed.by === "landing" ? everRange : range);
  const nameWords = async (name: string, words: Promise<SourceWords>): Promise<NamedWords> => ({
    name,
    ...await words,
  });
  const isNamed = (name: SourceDimension): boolean =>
    (listed?.by === name && !isOfFirst) || filters.some((filter) => filter.name === name);
  const labels = await Promise.all([
    ...SOURCE_DIMENSIONS.filter(isNamed).map((name) => nameWords(name, buildSourceWords(select, name, range))),
    ...(isOfFirst && listed.by !== "landing"
      ? [nameWords("first", buildSourceWords(select, listed.by, everRange))]
      : []),
  ]);
  const eventColumns = [
    COUNTED_COLUMNS,
    `${page} AS page`,
    ...labels.map(({ name, label }) => `${label} AS ${name}_label`),
    `${joinAll(ofEvents)} AS is_chosen`,
  ].join(", ");
  const sessionColumns = [
    SESSION_COLUMNS,
    ...labels.map(({ name, nothing }) =>
      `argMin(if(source_rank = 2, ${nothing}, ${name}_label), source_moment) AS session_${name}`
    ),
  ].join(", ");
  const isOfChosen = "has_session AND session_hash IN (SELECT session_hash FROM all_sessions)";
  const definitions = `
    WITH all_sessions AS (
      SELECT ${sessionColumns} FROM (SELECT ${eventColumns} FROM ${EVENTS_TABLE} FINAL WHERE ${around})
      WHERE has_session GROUP BY session_hash HAVING ${joinAll(ofSessions)}
    ),
    chosen_sessions AS (
      SELECT * FROM all_sessions WHERE has_chosen AND start >= {from:Int64} AND start < {to:Int64}
    ),
    all_events AS (
      SELECT *, is_chosen AND ${ofSessions.length === 0 ? "true" : isOfChosen} AS is_counted
      FROM (SELECT ${eventColumns} FROM ${EVENTS_TABLE} FINAL WHERE ${inRange})
    ),
    chosen_events AS (SELECT * FROM all_events WHERE is_counted)
    ${isOfFirst ? `, ${buildFirstSessions(listed, { eventColumns, sessionColumns })}` : ""}
  `;
  return { definitions, parameters };
}

/** Builds the table of what the first session of each visitor, in all that is kept, is listed under. */
function buildFirstSessions(
  listed: ListedSources,
  { eventColumns, sessionColumns }: { readonly eventColumns: string; readonly sessionColumns: string },
): string {
  return `
    first_sessions AS (
      SELECT visitor AS first_visitor, argMin(${nameListed(listed).ofSession}, first_moment) AS first_listed
      FROM (
        SELECT ${sessionColumns} FROM (SELECT ${eventColumns} FROM ${EVENTS_TABLE} FINAL WHERE ${AT_ANY_TIME})
        WHERE has_session GROUP BY session_hash
      )
      WHERE visitor <> 0 GROUP BY visitor
    )
  `;
}

/** Names what an event, and what a session is listed under by itself. */
export function nameListed({ by, of }: ListedSources): { readonly ofEvent: string; readonly ofSession: string } {
  if (by === "landing") return { ofEvent: "toString(page)", ofSession: "toString(if(is_landing, first_page, ''))" };
  const name = of === "first" ? of : by;
  return { ofEvent: `toString(${name}_label)`, ofSession: `toString(session_${name})` };
}

/** Builds the condition of the flagged events of a range. */
export async function buildFlaggedRange(select: Select, query: SiteRange): Promise<WordRange> {
  const parameters = await bindRange(query);
  const around = buildAround(await readOddDays(select, parameters));
  return { condition: `${around} AND flag <> '' AND ${IN_RANGE}`, parameters };
}

async function bindRange({ apiKey, site, from, to }: SiteRange): Promise<Parameters> {
  return {
    ...{ site, from, to },
    keyHash: await hashKey(apiKey),
    dayBefore: toDay(from - LONG_SESSION_MS),
    dayBehind: toDay(to + LONG_SESSION_MS),
  };
}

async function readOddDays(select: Select, parameters: Parameters): Promise<readonly string[]> {
  const rows = await select(ODD_DAYS, { ...parameters, margin: LONG_SESSION_MS });
  return rows.map(({ odd_day: day }) => String(day));
}

function toDay(ms: number): string {
  const known = Math.min(Math.max(ms, FIRST_MS), LAST_MS);
  return new Date(known).toISOString().slice(0, FIRST_DAY.length);
}
