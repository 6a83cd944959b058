/**
 * The tables that the counts of visits are queries of: the events of a range, and the sessions that begin in it.
 *
 * @module
 */
import { createPathWriter, type PathRules } from "../../events/path_rules.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import { ENGAGED_MS, labelSource, MAX_FACT_UNITS, SCREEN_WIDTHS } from "../../events/visit_facts.ts";
import { hashKey } from "../../platform/digest.ts";
import {
  EVENT_FILTERS,
  type ReportFilter,
  type ReportQuery,
  SCREEN_CLASSES,
  SOURCE_DIMENSIONS,
  type SourceDimension,
} from "../../ports/report_store.ts";
import type { Parameters, Row } from "./clickhouse_port.ts";
import { toDateTime } from "./clickhouse_row.ts";
import { EVENTS_TABLE } from "./clickhouse_schema.ts";

/** Runs a query and returns its rows. */
export type Select = (query: string, parameters: Parameters) => Promise<readonly Row[]>;

/** What queries of counts are made of. */
export interface VisitQuery {
  /**
   * Begins a query. It makes `chosen_events`, the events of the range that the filters choose, and `chosen_sessions`, the
   * sessions that begin in it and that they choose.
   */
  readonly tables: string;
  /** Ends a query. */
  readonly settings: string;
  /** Values of the bound parameters. */
  readonly parameters: Parameters;
}

/** A source's label in SQL. */
interface Label {
  /** What an event has of it, which takes little to compare. */
  readonly ofEvent: string;
  /** What an event has that came from nowhere. */
  readonly ofNone: string;
  /** Makes a label of what events have. */
  readonly write: (value: string) => string;
}

/** Longest session. One of the SDK ends after a day. */
const MAX_SESSION_MS = 2 * 86_400_000;

/** Times that the table holds, in milliseconds. */
const [FIRST_MS, LAST_MS] = [Date.parse("1900-01-01T00:00:00.000Z"), Date.parse("2299-12-31T23:59:59.999Z")] as const;

/**
 * FINAL leaves out what came twice and isn't merged yet. What came twice is in one partition: each is looked at by itself.
 * An index on another column must not hide the first of two; ClickHouse looks for it where the setting says so.
 */
const SETTINGS = `
  SETTINGS do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1,
    use_skip_indexes_if_final_exact_mode = 1, max_execution_time = 20
`;

/** Stands for the session of an event that has none. */
const NO_SESSION = "sipHash64('')";

const PATH = `substring(path, 1, ${MAX_FACT_UNITS})`;

const SCREEN = `multiIf(
  ifNull(screen_width, 0) <= 0, 0, ${SCREEN_WIDTHS.map((limit, index) => `screen_width < ${limit}, ${index + 1}`)},
  ${SCREEN_CLASSES.length}
)`;

/** Says the same of two sources that are of one channel: all that the channel depends on. */
const CHANNEL_KEY =
  "sipHash64(source_referrer) + 3 * sipHash64(utm_source) + 5 * sipHash64(utm_medium) + 7 * (utm_campaign <> '')";

const REFERRER = "if(has({ownOrigins:Array(String)}, source_referrer), '', source_referrer)";

/** How much an event says of where its session came from: a tag goes before a referrer. */
const SOURCE_RANK = "multiIf(utm_source <> '', 0, source_referrer <> '', 1, 2)";

/** Builds the tables of a query; sources are labelled `by` a dimension: as `label` of a session, and of an event. */
export async function buildVisitQuery(select: Select, query: ReportQuery, by?: SourceDimension): Promise<VisitQuery> {
  const parameters = await bindQuery(query);
  const { filters } = query;
  const page = await buildPage(select, query.pathRules, parameters);
  const labels = new Map<SourceDimension, Label>();
  for (const dimension of SOURCE_DIMENSIONS) {
    const isUsed = dimension === by || filters.some(({ name }) => name === dimension);
    if (isUsed) labels.set(dimension, await buildLabel(select, { by: dimension, query, parameters }));
  }
  const conditions = filters.map((filter, index) => buildCondition(filter, `filter_${index}`));
  const ofEvents = conditions.filter((_, index) => isOfEvents(filters[index]));
  const ofSessions = conditions.filter((_, index) => !isOfEvents(filters[index]));
  const withoutAggregates = filters.every(({ name }) => name === "page") ? [] : ["is_full"];
  const all = (terms: readonly string[]): string => terms.join(" AND ") || "true";
  const columns = `
    name, ${FACTS}, ${page} AS page, ${SCREEN} AS screen, user_hash, visitor_hash, engaged_ms, scalars,
    ${[...labels].map(([dimension, { ofEvent }]) => `${ofEvent} AS event_${dimension}, `).join("")}
    ${all([...withoutAggregates, ...ofEvents])} AS is_chosen
  `;
  const read = (range: string): string => `SELECT ${columns} FROM ${EVENTS_TABLE} FINAL WHERE ${buildRange(range)}`;
  const isOfChosen = ofSessions.length === 0 ? [] : ["has_session AND session_hash IN (SELECT session_hash FROM all_sessions)"];
  return {
    tables: `
      WITH all_sessions AS (
        SELECT session_hash, ${SESSION_FACTS}
          ${[...labels].map(([dimension, label]) => `, ${labelSession(dimension, label)}`).join("")}
        FROM (${read("around")}) WHERE has_session GROUP BY session_hash HAVING ${all(ofSessions)}
      ),
      chosen_sessions AS (
        SELECT * FROM all_sessions WHERE has_chosen AND start >= {from:Int64} AND start < {to:Int64}
      ),
      chosen_events AS (
        SELECT * FROM (${read("range")}) WHERE ${all(["is_chosen", ...isOfChosen])}
      )
    `,
    settings: SETTINGS,
    parameters: { ...parameters, ...bindFilters(filters) },
  };
}
