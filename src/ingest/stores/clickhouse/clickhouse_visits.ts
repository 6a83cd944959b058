import type {
  CountedEvent,
  EventTotals,
  Listed,
  NumberCounts,
  OverviewCounts,
  PageCounts,
  ReportReader,
  SourceCounts,
  StepCounts,
  StepValues,
  Traffic,
  ValueCounts,
  ViewCounts,
  VisitCounts,
} from "../../ports/reader.ts";
import { FARTHEST_MS, MAX_PROPERTY_KEYS, parseViolation, TRAFFIC_FLAGS } from "../../ports/reader.ts";
import { findLeftOut } from "../../events/left_out.ts";
import { createFunnelFold } from "../../events/funnel_fold.ts";
import type { PathRules } from "../../events/path_rules.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import { hashKey } from "../../platform/digest.ts";
import type { Parameters, Row } from "./clickhouse_port.ts";
import { readRow, STORED_COLUMNS } from "./clickhouse_row.ts";
import { EVENTS_TABLE, EXACTLY } from "./clickhouse_schema.ts";
import { buildPoint } from "./clickhouse_visit_filters.ts";
import {
  buildFlaggedRange,
  buildVisitTables,
  type ListedSources,
  nameListed,
  OF_SITE,
  TIME,
  type VisitTables,
} from "./clickhouse_visit_tables.ts";
import { quote, type Select } from "./clickhouse_visit_words.ts";

const VIEWS = "countIf(is_view AND is_full) AS full, countIf(is_view AND NOT is_full) AS aggregate";

const VISITORS = "uniqExactIf(visitor_hash, visitor_hash <> 0)";

/** What a session is counted by, but for its length. */
const SESSIONS = `
  count() AS sessions, countIf(is_landing) AS landings, sumIf(views, is_landing) AS landing_views,
  countIf(is_bounce) AS bounces, countIf(is_instant) AS instant_sessions
`;

const LENGTH = "countIf(events >= 2) AS long_sessions, quantileExactLowIf(0.5)(length, events >= 2) AS median_length";

/** Only paths with pageviews in the range: the sum of theirs is above 0. */
const PAGES = `
  SELECT *, count() OVER () AS rows, sum(full) OVER () AS all_full, sum(aggregate) OVER () AS all_aggregate,
    sum(entries) OVER () AS all_entries, sum(exits) OVER () AS all_exits, sum(bounces) OVER () AS all_bounces,
    sum(engaged) OVER () AS all_engaged
  FROM (
  SELECT path, sum(full) AS full, sum(aggregate) AS aggregate, sum(visitors) AS visitors, sum(entries) AS entries,
    sum(exits) AS exits, sum(bounces) AS bounces, sum(engaged) AS engaged
  FROM (
    SELECT page AS path, ${VIEWS}, uniqExactIf(visitor_hash, is_view AND visitor_hash <> 0) AS visitors, 0 AS entries,
      0 AS exits, 0 AS bounces, sum(engaged_ms) AS engaged
    FROM chosen_events WHERE is_view OR engaged_ms > 0 GROUP BY path
    UNION ALL
    SELECT end.1 AS path, 0 AS full, 0 AS aggregate, 0 AS visitors, sum(end.2) AS entries, sum(end.3) AS exits,
      sum(end.4) AS bounces, 0 AS engaged
    FROM (
      SELECT arrayJoin([(first_page, entries, 0, bounces), (last_page, 0, exits, 0)]) AS end
      FROM (
        SELECT first_page, last_page, countIf(is_landing) AS entries, countIf(views > 0) AS exits,
          countIf(is_bounce) AS bounces
        FROM chosen_sessions GROUP BY first_page, last_page
      )
    )
    GROUP BY path
  )
  GROUP BY path HAVING full + aggregate > 0
  )
  ORDER BY full + aggregate DESC, path LIMIT {rows:UInt32}
`;

const STEPS = `
  SELECT *, count() OVER () AS rows, sum(count) OVER () AS all_count
  FROM (
    SELECT toString(name) AS step, count() AS count, ${VISITORS} AS visitors
    FROM chosen_events WHERE is_action GROUP BY step
  )
  ORDER BY count DESC, step LIMIT {rows:UInt32}
`;

const VIOLATIONS = `
  SELECT *, count() OVER () AS rows, sum(count) OVER () AS all_count
  FROM (
    SELECT concat(violation, ' ', name) AS label, count() AS count
    FROM chosen_events WHERE violation <> '' GROUP BY label
  )
  ORDER BY count DESC, label LIMIT {rows:UInt32}
`;

const OF_STEP = "FROM chosen_events WHERE is_action AND name = {step:String}";

const KEYS = `
  SELECT toString(arrayJoin(mapKeys(scalars))) AS key, count() AS count ${OF_STEP}
  GROUP BY key ORDER BY count DESC, key LIMIT ${MAX_PROPERTY_KEYS}
`;

/** One row: the largest values, and what all of them are together. A number's JSON begins with a digit or a minus. */
const VALUES = `
  SELECT groupArraySorted({rows:UInt32})((-toInt64(count), value, visitors)) AS values, count() AS distinct, sum(count) AS all_count,
    sumIf(count, is_number) AS numbers,
    toString(sumIf(toFloat64OrZero(value) * count, is_number)) AS sum,
    quantilesExactWeightedIf(0.5, 0.9)(toFloat64OrZero(value), count, is_number) AS ranks
  FROM (
    SELECT scalars[{key:String}] AS value, match(value, '^[0-9-]') AS is_number, count() AS count, ${VISITORS} AS visitors
    ${OF_STEP} AND mapContains(scalars, {key:String}) GROUP BY value
  )
`;

/** The visitors who were first seen in the range, and the arrivals before a choice. */
const NEWCOMERS = `
  SELECT argMin(time, moment) AS first, 1 AS newly, toUInt8(argMin(is_arrival, moment)) AS arrivals FROM all_events
  WHERE is_full AND visitor_hash <> 0 AND visitor_hash NOT IN (
    SELECT visitor_hash FROM ${EVENTS_TABLE} FINAL
    WHERE ${OF_SITE} AND flag = {flag:String} AND collection = 'full' AND ${TIME} < {from:Int64}
  )
  GROUP BY visitor_hash HAVING argMin(is_counted, moment)
  UNION ALL
  SELECT time AS first, 0 AS newly, 1 AS arrivals FROM chosen_events WHERE NOT is_full AND is_arrival
`;

/** Creates the functions that count visits in a ClickHouse whose tables are there. */
export function createVisitStore(
  select: Select,
): Omit<ReportReader, "sites" | "countPageviews" | "lastTime" | "close"> {
  const run = async (
    { definitions, parameters }: VisitTables,
    query: string,
    more: Parameters = {},
  ): Promise<readonly Row[]> => await select(`${definitions} ${query} ${EXACTLY}`, { ...parameters, ...more });

  return {
    async overview(query, bounds) {
      const tables = await buildVisitTables(select, query);
      const [events, sessions] = await Promise.all([
        run(
          tables,
          buildByPart(
            "time",
            `${VIEWS}, ${VISITORS} AS visitors, uniqExactIf(user_hash, user_hash <> 0) AS users`,
            "chosen_events",
            bounds,
          ),
        ),
        run(tables, buildByPart("start", `${SESSIONS}, ${LENGTH}`, "chosen_sessions", bounds)),
      ]);
      const [ofEvents, ofSessions] = [pickParts(events, bounds), pickParts(sessions, bounds)];
      return {
        total: readOverview({ ...events.find(isTotal), ...sessions.find(isTotal) }),
        parts: ofEvents.map((row, index) => readVisits({ ...row, ...ofSessions[index] })),
      };
    },
    async countFlagged(query) {
      const { condition, parameters } = await buildFlaggedRange(select, query);
      const found = await select(
        `SELECT flag, countIf(collection = 'full') AS full, countIf(collection <> 'full') AS aggregate
        FROM ${EVENTS_TABLE} FINAL WHERE ${condition} AND name = '${PAGEVIEW_NAME}' GROUP BY flag ${EXACTLY}`,
        parameters,
      );
      const count = (traffic: Traffic): ViewCounts =>
        readViews(found.find(({ flag }) => flag === TRAFFIC_FLAGS[traffic]) ?? {});
      return { bots: count("bots"), own: count("own") };
    },
    async pages(query, rows) {
      const found = await run(await buildVisitTables(select, query), PAGES, { rows });
      return list(found, readPage, readPageSums);
    },
    async sources(query, listed, rows) {
      const found = await run(await buildVisitTables(select, query, listed), buildSources(listed), { rows });
      return list(found, readSource, readSourceSums);
    },
    async steps(query, rows) {
      const found = await run(await buildVisitTables(select, query), STEPS, { rows });
      return list(found, readStep, readCount);
    },
    async violations(query, rows) {
      const found = await run(await buildVisitTables(select, query), VIOLATIONS, { rows });
      return list(found, (row) => ({ ...parseViolation(String(row.label)), ...readCount(row) }), readCount);
    },
    async stepValues(query, { step, key }, rows) {
      const tables = await buildVisitTables(select, query);
      const [keys, [values = {}]] = await Promise.all([
        run(tables, KEYS, { step: step.toWellFormed() }),
        key === undefined ? [] : run(tables, VALUES, { step: step.toWellFormed(), key: key.toWellFormed(), rows }),
      ]);
      return { keys: keys.map((row) => String(row.key)), ...readValues(values) };
    },
    async countEvents(query, events, bounds) {
      if (events.length === 0) return [];
      const tables = await buildVisitTables(select, query);
      const found = await run(
        tables,
        buildByPart("time", buildCounts(events, query.pathRules), "chosen_events", bounds),
      );
      const parts = pickParts(found, bounds);
      return events.map((_, index) => ({
        total: readTotals(found.find(isTotal) ?? {}, index),
        parts: parts.map((row) => readTotals(row, index)),
      }));
    },
    async funnel(query, { stages, within, order }) {
      const isSession = within === "session";
      const tables = await buildVisitTables(select, query);
      const mask = stages
        .map((events, stage) =>
          `bitShiftLeft(toUInt8(${events.map((event) => buildPoint(event, query.pathRules)).join(" OR ")}), ${stage})`
        ).join(" + ");
      const found = await run(
        tables,
        `SELECT toString(visitor_hash) AS visitor,
          arrayMap(point -> (point.2, point.3), arraySort(groupArray((moment, time, stages)))) AS points
        FROM (SELECT *, ${mask} AS stages FROM chosen_events WHERE is_full AND visitor_hash <> 0)
        WHERE (stages <> 0 ${order === "strict" ? "OR is_view OR is_step" : ""}) ${isSession ? "AND has_session" : ""}
        GROUP BY visitor_hash ${isSession ? ", session_hash" : ""}
        HAVING bitAnd(groupBitOr(stages), 1) = 1 ORDER BY visitor_hash`,
      );
      const fold = createFunnelFold({ stages: stages.length, withinMs: isSession ? Infinity : within, order });
      for (const { visitor, points } of found) {
        fold.add(
          String(visitor),
          (points as readonly (readonly unknown[])[]).map(([time, passed]) => ({
            time: Number(time),
            stages: Number(passed),
          })),
        );
      }
      return fold.finish();
    },
    async retention(query, { bounds, returns: events }) {
      const tables = await buildVisitTables(select, { ...query, from: -FARTHEST_MS, to: FARTHEST_MS });
      const firsts = `
        SELECT visitor_hash, argMin(time, moment) AS first, argMin(is_counted, moment) AS is_member
        FROM all_events WHERE is_full AND visitor_hash <> 0 GROUP BY visitor_hash
      `;
      const findPeriod = (time: string): string =>
        `arrayCount(bound -> bound <= ${time}, CAST([${bounds.join(", ")}], 'Array(Int64)')) - 1`;
      const isReturn = events === undefined
        ? "is_full"
        : `(${events.map((event) => buildPoint(event, query.pathRules)).join(" OR ")})`;
      const periods = Math.max(bounds.length - 1, 0);
      if (periods === 0) return [];
      const [sizes, returns] = await Promise.all([
        run(
          tables,
          `SELECT ${findPeriod("first")} AS cohort, count() AS count FROM (${firsts}) WHERE is_member GROUP BY cohort`,
        ),
        run(
          tables,
          `SELECT cohort, period, uniqExact(visitor_hash) AS count
          FROM (SELECT visitor_hash, ${
            findPeriod("time")
          } AS period FROM all_events WHERE ${isReturn} AND visitor_hash <> 0) AS returns
          INNER JOIN (SELECT visitor_hash, ${findPeriod("first")} AS cohort FROM (${firsts}) WHERE is_member) AS members
          USING (visitor_hash) GROUP BY cohort, period`,
        ),
      ]);
      const sizeOf = new Map(sizes.map((row) => [Number(row.cohort), Number(row.count)]));
      const countOf = new Map(returns.map((row) => [`${row.cohort} ${row.period}`, Number(row.count)]));
      return Array.from({ length: periods }, (_, cohort) => ({
        from: bounds[cohort] ?? 0,
        size: sizeOf.get(cohort) ?? 0,
        returned: Array.from({ length: periods - cohort }, (_, more) => countOf.get(`${cohort} ${cohort + more}`) ?? 0),
      }));
    },
    async acceptance(query, bounds) {
      const found = await run(
        await buildVisitTables(select, query),
        buildByPart("first", "sum(newly) AS newly, sum(arrivals) AS arrivals", `(${NEWCOMERS})`, bounds),
      );
      return pickParts(found, bounds).map(({ newly = 0, arrivals = 0 }) => ({
        newlyConsented: Number(newly),
        arrivalsBeforeChoice: Number(arrivals),
      }));
    },
    async person({ apiKey, site, ...of }, rows) {
      const [column, id] = "userId" in of ? ["user_id", of.userId] as const : ["anonymous_id", of.anonymousId] as const;
      const found = await select(
        `SELECT ${STORED_COLUMNS.join(", ")} FROM ${EVENTS_TABLE} FINAL
        WHERE key_hash = {keyHash:String} AND site = {site:String} AND collection = 'full' AND ${column} = {id:String} AND {id:String} <> ''
        ORDER BY toUnixTimestamp64Milli(timestamp) + clock_offset_ms DESC, place DESC, id DESC LIMIT {rows:UInt32} ${EXACTLY}`,
        { keyHash: await hashKey(apiKey), site, id: id.toWellFormed(), rows },
      );
      return found.map(readRow);
    },
    progress: () => Promise.resolve(1),
  };
}

/** Builds the columns of what is counted of events, numbered by their place. */
function buildCounts(events: readonly CountedEvent[], rules: PathRules): string {
  return events.flatMap(({ event, sumOf }, index) => {
    const isCounted = buildPoint(event, rules);
    const value = sumOf === undefined || !("step" in event) ? "''" : `scalars[${quote(sumOf)}]`;
    return [
      `countIf(${isCounted}) AS count_${index}`,
      `uniqExactIf(visitor_hash, ${isCounted} AND visitor_hash <> 0) AS visitors_${index}`,
      // A number's JSON begins with a digit or a minus.
      `toString(sumIf(toFloat64OrZero(${value}), ${isCounted} AND match(${value}, '^[0-9-]'))) AS sum_${index}`,
    ];
  }).join(", ");
}

/** Counts rows of a table by the part of the range that a time of theirs is in, and all of them. */
function buildByPart(time: string, counts: string, table: string, bounds: readonly number[]): string {
  const [first, last] = [bounds[0], bounds.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    return `SELECT 1 AS is_total, 0 AS part, ${counts} FROM ${table}`;
  }
  // What is before the first bound is of no part; no part begins at the last.
  const part = `if(${time} < ${first}, ${last}, roundDown(${time}, CAST([${bounds.join(", ")}], 'Array(Int64)')))`;
  return `SELECT ${part} AS part, grouping(part) AS is_total, ${counts} FROM ${table} GROUP BY part WITH ROLLUP`;
}

/** Picks the row of each part; an empty one for a part without any. */
function pickParts(rows: readonly Row[], bounds: readonly number[]): readonly Row[] {
  const rowOf = new Map(rows.filter((row) => !isTotal(row)).map((row) => [Number(row.part), row]));
  return bounds.slice(1).map((end, index) => {
    const start = bounds[index] ?? end;
    return (start < end ? rowOf.get(start) : undefined) ?? {};
  });
}

function buildSources(listed: ListedSources): string {
  return `
    SELECT *, count() OVER () AS rows, sum(full) OVER () AS all_full, sum(aggregate) OVER () AS all_aggregate,
      sum(sessions) OVER () AS all_sessions, sum(landings) OVER () AS all_landings, sum(bounces) OVER () AS all_bounces
    FROM (${listed.of === "first" ? buildOfFirst(listed) : buildOfSession(listed)})
    ORDER BY sessions DESC, full + aggregate DESC, label LIMIT {rows:UInt32}
  `;
}

function buildOfSession(listed: ListedSources): string {
  const { ofEvent, ofSession } = nameListed(listed);
  return `
    SELECT label, sum(full) AS full, sum(aggregate) AS aggregate, sum(sessions) AS sessions, sum(visitors) AS visitors,
      sum(landings) AS landings, sum(bounces) AS bounces
    FROM (
      SELECT ${ofEvent} AS label, ${VIEWS}, 0 AS sessions, 0 AS visitors, 0 AS landings, 0 AS bounces
      FROM chosen_events WHERE is_arrival GROUP BY label
      UNION ALL
      SELECT ${ofSession} AS label, 0 AS full, 0 AS aggregate, count() AS sessions,
        uniqExactIf(visitor, visitor <> 0) AS visitors, countIf(is_landing) AS landings, countIf(is_bounce) AS bounces
      FROM chosen_sessions GROUP BY label
    )
    GROUP BY label
  `;
}

/** What has no first session stands under its own label. */
function buildOfFirst(listed: ListedSources): string {
  const { ofEvent, ofSession } = nameListed(listed);
  return `
    SELECT if(first_visitor <> 0, first_listed, own) AS label, sum(own_views) AS full, 0 AS aggregate,
      sum(own_sessions) AS sessions, uniqExactIf(own_visitor, own_visitor <> 0 AND own_sessions > 0) AS visitors,
      sum(own_landings) AS landings, sum(own_bounces) AS bounces
    FROM (
      SELECT ${ofEvent} AS own, visitor_hash AS own_visitor, count() AS own_views, 0 AS own_sessions, 0 AS own_landings,
        0 AS own_bounces
      FROM chosen_events WHERE is_full AND is_arrival GROUP BY own, own_visitor
      UNION ALL
      SELECT ${ofSession} AS own, visitor AS own_visitor, 0 AS own_views, count() AS own_sessions,
        countIf(is_landing) AS own_landings, countIf(is_bounce) AS own_bounces
      FROM chosen_sessions GROUP BY own, own_visitor
    ) AS counted LEFT JOIN first_sessions AS firsts ON firsts.first_visitor = counted.own_visitor
    GROUP BY label
  `;
}

function isTotal({ is_total }: Row): boolean {
  return Number(is_total) === 1;
}

/** Lists rows. Each has their number, and the sums of all under `all_` and the name of the column. */
function list<T>(
  found: readonly Row[],
  read: (row: Row) => T,
  readSums: (row: Row) => NonNullable<Listed<T>["other"]>,
): Listed<T> {
  const first = found[0] ?? {};
  const sums = Object.entries(first).flatMap(([name, value]) =>
    name.startsWith("all_") ? [[name.slice(4), value]] : []
  );
  const count = readNumber(first.rows);
  const other = findLeftOut(readSums(Object.fromEntries(sums)), { rows: found.map(readSums), count });
  return { rows: found.map(read), count, other };
}

function readNumber(value: unknown): number {
  return Number(value ?? 0);
}

function readViews({ full, aggregate }: Row): ViewCounts {
  return { full: readNumber(full), aggregate: readNumber(aggregate) };
}

function readVisits(row: Row): VisitCounts {
  return {
    pageviews: readViews(row),
    visitors: readNumber(row.visitors),
    users: readNumber(row.users),
    sessions: readNumber(row.sessions),
    landings: readNumber(row.landings),
    landingViews: readNumber(row.landing_views),
    bounces: readNumber(row.bounces),
    instantSessions: readNumber(row.instant_sessions),
  };
}

function readOverview(row: Row): OverviewCounts {
  return { ...readVisits(row), medianSessionMs: readNumber(row.long_sessions) > 0 ? Number(row.median_length) : null };
}

function readPage(row: Row): PageCounts {
  return { path: String(row.path), visitors: readNumber(row.visitors), ...readPageSums(row) };
}

function readPageSums(row: Row): Omit<PageCounts, "path" | "visitors"> {
  return {
    views: readViews(row),
    entries: readNumber(row.entries),
    exits: readNumber(row.exits),
    bounces: readNumber(row.bounces),
    engagedMs: readNumber(row.engaged),
  };
}

function readSource(row: Row): SourceCounts {
  return {
    label: row.label === "" ? null : String(row.label),
    visitors: readNumber(row.visitors),
    ...readSourceSums(row),
  };
}

function readSourceSums(row: Row): Omit<SourceCounts, "label" | "visitors"> {
  return {
    views: readViews(row),
    sessions: readNumber(row.sessions),
    landings: readNumber(row.landings),
    bounces: readNumber(row.bounces),
  };
}

function readTotals(row: Row, index: number): EventTotals {
  return {
    count: readNumber(row[`count_${index}`]),
    visitors: readNumber(row[`visitors_${index}`]),
    sum: readSum(row[`sum_${index}`] ?? 0),
  };
}

function readStep(row: Row): StepCounts {
  return { name: String(row.step), visitors: readNumber(row.visitors), ...readCount(row) };
}

function readCount({ count }: Row): { readonly count: number } {
  return { count: readNumber(count) };
}

function readValues(row: Row): Omit<StepValues, "keys"> {
  const found = (row.values ?? []) as readonly (readonly [unknown, string, unknown])[];
  const values = found.map(([count, json, visitors]): ValueCounts => ({
    value: JSON.parse(json),
    count: -Number(count),
    visitors: Number(visitors),
  }));
  const distinct = readNumber(row.distinct);
  return {
    values,
    distinct,
    other: findLeftOut({ count: readNumber(row.all_count) }, {
      rows: values.map(({ count }) => ({ count })),
      count: distinct,
    }),
    numbers: readNumber(row.numbers) > 0 ? readNumbers(row) : null,
  };
}

function readNumbers({ numbers, sum, ranks }: Row): NumberCounts {
  const [median, p90] = (ranks as readonly unknown[]).map(Number);
  return { count: Number(numbers), sum: readSum(sum), median: median ?? NaN, p90: p90 ?? NaN };
}

/** Reads a sum, which is a text: JSON has no infinity. */
function readSum(sum: unknown): number {
  return Number(String(sum).replace("inf", "Infinity"));
}
