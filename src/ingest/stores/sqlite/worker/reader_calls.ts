import type { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../../events/stored_event.ts";
import { describeError } from "../../../platform/describe_error.ts";
import { pause } from "../../../platform/sqlite_lock.ts";
import { loadSqlite } from "../../../platform/sqlite_module.ts";
import { countAcceptance } from "../visits/acceptance.ts";
import { countFlagged } from "../visits/flagged.ts";
import { type Chosen, openChosen } from "../visits/chosen.ts";
import { countEvents } from "../visits/events.ts";
import { countFunnel } from "../visits/funnel.ts";
import { countOverview } from "../visits/overview.ts";
import { chooseRows, divide } from "../visits/choose_rows.ts";
import { countPages } from "../visits/pages.ts";
import { readPerson } from "../visits/person.ts";
import { countRetention } from "../visits/retention.ts";
import { countSources } from "../visits/sources.ts";
import { countSteps, countValues, countViolations } from "../visits/steps.ts";
import { openFacts } from "../sqlite_facts.ts";
import { readPieces } from "../sqlite_pieces.ts";
import { LONG_LOG_BYTES, readVersion, SCHEMA_VERSION } from "../sqlite_store.ts";
import { measureLog, toWholePath } from "../sqlite_path.ts";
import {
  FARTHEST_MS,
  type Listed,
  MAX_SITES,
  type ReportQuery,
  type StepValues,
  type ValueCounts,
} from "../../../ports/reader.ts";
import type { ReaderCalls } from "../sqlite_reader.ts";
import { type TailCalls, type TailRow, type TailRows, toTailName } from "../sqlite_tail.ts";

/** How long a read waits for a process that is recovering the log, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

/** Memory for pages, in KiB: a view goes through the facts of its range, and from there to properties and visits. */
const CACHE_KIB = 65_536;

/** How long facts are made before an answer. */
const FOLLOW_MS = 100;

/** How long a read waits for a long log to begin anew, in milliseconds, and between two looks. */
const [LOG_WAIT_MS, LOG_LOOK_MS] = [1000, 20] as const;

/** Origins that a key has events of, by their number; a sender may make up any number of origins. */
const SITES: string = `
  SELECT site FROM fact_scopes WHERE api_key = ?1 AND site <> '' AND events > 0
  GROUP BY site ORDER BY sum(events) DESC, site LIMIT ${MAX_SITES}
`;

/** Time of the newest event. */
const LAST_TIME = `
  SELECT max((SELECT max(time) FROM facts WHERE scope = fact_scopes.id)) AS time
  FROM fact_scopes WHERE api_key = ?1 AND site = ?2
`;

/** Pageviews of a key that arrived in the month that is the parameter 2: the sink's own count for the allowance. */
const PAGEVIEWS_OF_MONTH = "SELECT count FROM pageviews WHERE api_key = ?1 AND month = ?2";

/** Of a key, which is the parameter 1, or of all where that is null. */
const OF_KEY = "(?1 IS NULL OR api_key = ?1)";

/** How far behind the newest event is looked for those of a key that rarely sends. */
const MAX_LOOK_BACK = 100_000;

const NEWEST = "SELECT max(seq) AS seq FROM events";

const PROGRESS = "SELECT (SELECT seq FROM facts_mark) AS taken, (SELECT max(seq) FROM events) AS last";

const TAIL_NEWEST = `
  SELECT seq, id, event FROM events WHERE seq > ?2 AND seq < ?3 AND ${OF_KEY} ORDER BY seq DESC LIMIT ?4
`;

const TAIL_AFTER = `SELECT seq, id, event FROM events WHERE seq > ?2 AND ${OF_KEY} ORDER BY seq LIMIT ?3`;

/** How many events are read at a time, and their most UTF-16 units, but for the last one. */
const [TAIL_EVENTS, TAIL_UNITS] = [1000, 4 * 1024 * 1024] as const;

type Row = Readonly<Record<string, unknown>>;

/** Runs a query and returns its rows. */
type Select = (query: string, ...values: readonly (string | number)[]) => readonly Row[];

/**
 * Creates what the thread of a SQLite reader does. The database is open for one read alone: where its files are replaced,
 * the next read opens the new ones.
 */
export function createReaderCalls(): ReaderCalls & TailCalls {
  return {
    find: (path) => {
      withDatabase(path, () => {});
      return toWholePath(path);
    },
    sites: (path, apiKey) => withDatabase(path, (select) => select(SITES, apiKey).map(({ site }) => String(site))),
    countPageviews: (path, apiKey, month) =>
      withDatabase(path, (select) => Number(select(PAGEVIEWS_OF_MONTH, apiKey, month)[0]?.count ?? 0)),
    lastTime: (path, { apiKey, site }) =>
      withDatabase(path, (select) => {
        const time = select(LAST_TIME, apiKey, site)[0]?.time;
        return typeof time === "number" ? time : undefined;
      }),
    overview: (path, query, bounds) => withChosen(path, query, (chosen) => countOverview(chosen, bounds)),
    countFlagged: (path, query) => withDatabase(path, (_select, database) => countFlagged(database, query)),
    pages: (path, query, rows, choice) =>
      withChosen(path, query, (chosen) =>
        chooseRows((most) => countPages(chosen, most), {
          ...{ rows, choice },
          read: ({ path, views: { full, aggregate }, bounces, engagedMs, ...row }) => ({
            ...{ ...row, name: path, path, views: full + aggregate, consentShare: divide(full, full + aggregate) },
            bounceRate: divide(bounces, row.entries),
            engagedMsPerView: engagedMs === 0 ? null : divide(engagedMs, full),
          }),
        })),
    sources: (path, query, grouping, rows, choice) =>
      withChosen(path, query, (chosen) =>
        chooseRows((most) => countSources(chosen, grouping, most), {
          ...{ rows, choice },
          read: ({ label, views: { full, aggregate }, bounces, ...row }) => ({
            ...{ ...row, name: label ?? "", label, views: full + aggregate },
            bounceRate: divide(bounces, row.landings),
          }),
        })),
    steps: (path, query, rows, choice) =>
      withChosen(
        path,
        query,
        (chosen) => chooseRows((most) => countSteps(chosen, most), { rows, choice, read: (row) => ({ ...row }) }),
      ),
    violations: (path, query, rows) => withChosen(path, query, (chosen) => countViolations(chosen, rows)),
    stepValues: (path, query, of, rows, choice) =>
      withChosen(path, query, (chosen) => {
        let whole: StepValues | undefined;
        const listed = chooseRows((most) => {
          const { values, distinct, other } = whole = countValues(chosen, of, most);
          return { rows: values, count: distinct, other: other as Listed<ValueCounts>["other"] };
        }, { rows, choice, read: ({ value, ...row }) => ({ ...row, name: JSON.stringify(value) }) });
        const { keys = [], numbers = null } = whole ?? {};
        const other = listed.other && { count: listed.other.count };
        return { keys, numbers, values: listed.rows, distinct: listed.count, other };
      }),
    countEvents: (path, query, events, bounds) =>
      withChosen(path, query, (chosen) => countEvents(chosen, events, bounds)),
    funnel: (path, query, funnel) => withChosen(path, query, (chosen) => countFunnel(chosen, funnel)),
    retention: (path, query, options) =>
      withChosen(path, { ...query, from: -FARTHEST_MS, to: FARTHEST_MS }, (chosen) => countRetention(chosen, options)),
    acceptance: (path, query, bounds) => withChosen(path, query, (chosen) => countAcceptance(chosen, bounds)),
    person: (path, of, rows) =>
      withDatabase(
        path,
        (_select, database) => readPerson(database, of, rows).map((text): StoredEvent => JSON.parse(text)),
      ),
    progress: (path) =>
      withDatabase(path, (select) => {
        const [{ taken = 0, last = 0 } = {}] = select(PROGRESS);
        return Number(last) === 0 ? 1 : Number(taken) / Number(last);
      }),
    tailNewest: (path, apiKey, count) =>
      withDatabase(path, (select, database) => {
        const newest = Number(select(NEWEST)[0]?.seq ?? 0);
        const read = database.prepare(TAIL_NEWEST);
        const found = readPieces(
          newest + 1,
          (before, most) => read.all(apiKey, newest - MAX_LOOK_BACK, before, most),
        );
        const { rows, isMore } = readTail(found, { count });
        return { rows: rows.toReversed(), newest, isMore };
      }),
    tailAfter: (path, apiKey, { after, known }) =>
      withDatabase(path, (select, database) => {
        const newest = Number(select(NEWEST)[0]?.seq ?? 0);
        const read = database.prepare(TAIL_AFTER);
        const found = readPieces(after, (last, most) => read.all(apiKey, last, most));
        return { ...readTail(found, { count: TAIL_EVENTS, known: new Set(known) }), newest };
      }),
  };
}

/** Takes rows, at most so many, but for those that are known. */
function readTail(
  found: Iterable<Row>,
  { count, known = new Set() }: { readonly count: number; readonly known?: ReadonlySet<string> },
): Pick<TailRows, "rows" | "isMore"> {
  const rows: TailRow[] = [];
  let units = 0;
  for (const { seq, id, event } of found) {
    const row = { seq: Number(seq), id: String(id), event: String(event) };
    if (known.has(toTailName(row))) continue;
    rows.push(row);
    units += row.event.length;
    if (units >= TAIL_UNITS || rows.length >= count) return { rows, isMore: true };
  }
  return { rows, isMore: false };
}

/**
 * Lets a sink begin its log anew, which takes two commits while nobody reads: with a report after the other, the log would
 * grow for ever.
 */
function waitForShortLog(path: string): void {
  const endMs = performance.now() + LOG_WAIT_MS;
  while (isLogLong(path) && performance.now() < endMs) pause(LOG_LOOK_MS);
}

function isLogLong(path: string): boolean {
  return measureLog(path) > LONG_LOG_BYTES;
}

function withDatabase<R>(path: string, read: (select: Select, database: DatabaseSync) => R): R {
  const { DatabaseSync } = loadSqlite();
  let database: DatabaseSync | undefined;
  waitForShortLog(path);
  try {
    const opened = new DatabaseSync(path, { readOnly: true });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA cache_size = -${CACHE_KIB}`);
    if (readVersion(opened) !== SCHEMA_VERSION) throw new Error("no SQLite sink of this version has opened it yet");
    followNow(path);
    // One transaction, so that the parts of a report agree with each other while events come in.
    opened.exec("BEGIN");
    return read((query, ...values) => opened.prepare(query).all(...values), opened);
  } catch (cause) {
    throw new Error(`the SQLite database ${JSON.stringify(path)} can't be read: ${describeError(cause)}`, { cause });
  } finally {
    database?.close();
  }
}

function withChosen<R>(path: string, query: ReportQuery, read: (chosen: Chosen) => R): R {
  return withDatabase(path, (_select, database) => read(openChosen(database, query)));
}

/** Makes facts of what has come since a sink last did, for a while: of a large database that is new to them it takes longer. */
function followNow(path: string): void {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON`);
    const { follow, recount } = openFacts(database);
    const endMs = performance.now() + FOLLOW_MS;
    while (follow() && performance.now() < endMs);
    recount();
  } catch {
    // Who can't write, on a full disk for one, sees what has been made: the share of it comes with each report.
  } finally {
    database.close();
  }
}
