import { DEFINITIONS } from "../../reports/sql/definitions.ts";
import { hashKey } from "../../platform/digest.ts";
import type { Answer } from "./duckdb.ts";
import { DUCKDB } from "./duckdb_macros.ts";
import { EVENTS, openLiveEvents } from "./live_events.ts";

/** Most rows of an answer: they are in memory. */
const MAX_ROWS = 1_000_000;

/** What a folder is asked. */
export interface FolderQuestion {
  readonly folder: string;
  /** One statement that reads. */
  readonly sql: string;
  /** Publishable key whose events the view `e` has; absent for all keys. */
  readonly apiKey?: string;
  /** Ends the query. */
  readonly signal?: AbortSignal;
}

/**
 * Asks a folder of events in SQL, of the view `events`, and of `e`: the events of people, with their `day` in UTC, and the
 * `moment` by which they are in order. The statement reads nothing but the events.
 *
 * @throws {Error} For what isn't one statement that reads, or can't be answered; where DuckDB can't be loaded, and for a folder
 * that no sink has opened yet.
 */
export async function queryFolder({ folder, sql, apiKey, signal }: FolderQuestion): Promise<Answer> {
  const live = await openLiveEvents({ folder, isCounting: false });
  const close = (): void => void live.close();
  signal?.addEventListener("abort", close, { once: true });
  try {
    await live.refresh();
    await live.define(`CREATE VIEW e AS ${await selectPeople(apiKey)}`);
    return await live.ask({ sql, maxRows: MAX_ROWS });
  } finally {
    signal?.removeEventListener("abort", close);
    if (!signal?.aborted) await live.close();
  }
}

async function selectPeople(apiKey: string | undefined): Promise<string> {
  const ofKey = apiKey === undefined ? "true" : `key_hash = ${DUCKDB.quote(await hashKey(apiKey))}`;
  return `SELECT *, toDate(fromUnixTimestamp64Milli(time, 'UTC')) AS day, ${DEFINITIONS.moment.sql} AS moment
    FROM ${EVENTS} WHERE ${ofKey} AND flag = ''`;
}
