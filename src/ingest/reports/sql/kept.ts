/**
 * Rows that can be counted once and kept beside the events: sessions, each visitor's first event, each user's first
 * visitor. They are a cache, made anew from the events at any time; an engine that keeps none counts in each query.
 *
 * All of it is rows that can be merged in any order, as long as each event is counted once: sums, and firsts and lasts beside the
 * moment that they are of. Moments have to be distinct within a session. Sums are cast, since one of 64 bits has 128 in DuckDB,
 * and such a column takes 50 times as long to read.
 *
 * @module
 */
import { FILTERED_COLUMNS, STORED_COLUMNS } from "../../events/columns.ts";
import { FIGURES } from "../../events/figures.ts";

/** Rows that are kept. */
export interface Kept {
  /** Name of the table. */
  readonly name: "sessions" | "visitors" | "owners";
  /** The column of the key that tells most rows apart: those that share it are merged anew together. */
  readonly id: "session_hash" | "visitor_hash" | "user_hash";
  /** Writes the query that counts events; `events` is what stands behind FROM. */
  readonly count: (events: string, options?: {
    /** Columns that tell rows apart; the key by default. */
    readonly by?: readonly string[];
    /** Further aggregates of the events. */
    readonly further?: readonly string[];
  }) => string;
  /** Writes the query that merges rows. */
  readonly merge: (rows: string) => string;
}

/** A column as it is counted of events, and as it is merged of rows. Both are aggregates. */
interface KeptColumn {
  readonly name: string;
  readonly count: string;
  readonly merge: string;
}

/** Keeps an aggregate whose rows are merged by the same one. */
function keep(aggregate: "min" | "max", name: string, value: string): KeptColumn {
  return { name, count: `${aggregate}(${value})`, merge: `${aggregate}(p.${name})` };
}

function keepSum(name: string, count: string): KeptColumn {
  return { name, count: `toInt64(${count})`, merge: `toInt64(sum(p.${name}))` };
}

/** Keeps what the first event has. */
function keepFirst(name: string, count: string): KeptColumn {
  return { name, count, merge: `argMin(p.${name}, p.first_moment)` };
}

const FIRST_MOMENT = keep("min", "first_moment", "moment");

const SOURCE_COLUMNS = STORED_COLUMNS.filter(({ isOfSource }) => isOfSource).map(({ name }) => name);

const IS_TAGGED = SOURCE_COLUMNS.filter((name) => name.startsWith("utm_")).map((name) => `${name} <> ''`).join(" OR ");

/**
 * Rank of an event that says where its session came from: 0 a tag, 1 an arrival or a referrer, 2 nothing. An arrival
 * without a referrer counts, so that a bank's page midway isn't the source of who came by themselves.
 */
const SOURCE_RANK = `if(${IS_TAGGED}, 0, if(is_arrival OR source_referrer <> '', 1, 2))`;

/** Whether an event says where its session came from: few do. */
const HAS_SOURCE = "source_rank < 2";

/** Writes what the event has that says where its session came from. */
export function writeOfSource(value: string): string {
  return `coalesce(argMinIf(${value}, source_moment, ${HAS_SOURCE}), '')`;
}

const MOMENTS =
  `${FIGURES.moment.sql} AS moment, ${SOURCE_RANK} AS source_rank, ${FIGURES.sources.sql} AS source_moment`;

function defineKept(
  { name, key, where, columns }: Pick<Kept, "name"> & {
    readonly key: readonly [...string[], Kept["id"]];
    readonly where: string;
    readonly columns: readonly KeptColumn[];
  },
): Kept {
  const list = (by: "count" | "merge"): readonly string[] => columns.map((column) => `${column[by]} AS ${column.name}`);
  return {
    name,
    id: key.at(-1) as Kept["id"],
    count: (events, { by = key, further = [] } = {}) =>
      `SELECT ${[...by, ...list("count"), ...further].join(", ")}
      FROM (SELECT *, ${MOMENTS} FROM ${events} WHERE ${where}) AS e GROUP BY ${by.join(", ")}`,
    merge: (rows) => `SELECT ${[...key, ...list("merge")].join(", ")} FROM ${rows} AS p GROUP BY ${key.join(", ")}`,
  };
}

/** The sessions. */
export const SESSIONS: Kept = defineKept({
  name: "sessions",
  key: ["key_hash", "site", "flag", "session_hash"],
  where: FIGURES.sessions.sql,
  columns: [
    keep("min", "start", "time"),
    keep("max", "finish", "time"),
    keepSum("events", "count()"),
    keepSum("views", "countIf(is_view)"),
    keepSum("steps", `countIf(${FIGURES.ownSteps.sql})`),
    keepSum("engaged", "sum(engaged_ms)"),
    FIRST_MOMENT,
    keepFirst("is_landing", FIGURES.landings.sql),
    keepFirst("first_path", "argMin(path, moment)"),
    keepFirst("session_visitor", "argMin(visitor_hash, moment)"),
    { name: "last_moment", count: "maxIf(moment, is_view)", merge: "max(p.last_moment)" },
    {
      name: "last_path",
      count: "coalesce(argMaxIf(path, moment, is_view), '')",
      merge: "coalesce(argMax(p.last_path, p.last_moment), '')",
    },
    { name: "source_moment", count: `minIf(source_moment, ${HAS_SOURCE})`, merge: "min(p.source_moment)" },
    { name: "is_from_somewhere", count: `countIf(${HAS_SOURCE}) > 0`, merge: "max(p.is_from_somewhere)" },
    ...SOURCE_COLUMNS.map((name): KeptColumn => ({
      name: `s_${name}`,
      count: writeOfSource(name),
      merge: `coalesce(argMin(p.s_${name}, p.source_moment), '')`,
    })),
  ],
});

/** Each visitor's first event, with what filters ask of it. */
export const VISITORS: Kept = defineKept({
  name: "visitors",
  key: ["key_hash", "site", "flag", "visitor_hash"],
  where: `is_full AND ${FIGURES.visitors.sql}`,
  columns: [
    FIRST_MOMENT,
    keep("min", "first_time", "time"),
    ...["path", "session_hash", "is_arrival", ...FILTERED_COLUMNS.map(({ name }) => name)].map((name) =>
      keepFirst(name, `argMin(${name}, moment)`)
    ),
  ],
});

/** Each user's first visitor, of all sites of the key. */
export const OWNERS: Kept = defineKept({
  name: "owners",
  key: ["key_hash", "user_hash"],
  where: "is_full AND visitor_hash <> 0 AND user_hash <> 0",
  columns: [FIRST_MOMENT, keepFirst("owner", FIGURES.stepVisitor.sql)],
});

/** All that can be kept. */
export const KEPT: readonly Kept[] = [SESSIONS, VISITORS, OWNERS];
