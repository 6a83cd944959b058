import { FIGURES } from "../../events/figures.ts";
import { describeError } from "../../platform/describe_error.ts";
import { hashKey } from "../../platform/digest.ts";
import type { DamagedFile } from "../../ports/reader.ts";
import type { Answer } from "./duckdb.ts";
import { DUCKDB } from "./duckdb_macros.ts";
import { EVENTS, openLiveEvents } from "./live_events.ts";

/** Most rows of an answer: they are in memory. */
const MAX_ROWS = 1_000_000;

/** Beginning of DuckDB's message on a file that it can't read, which it doesn't always name. */
const UNREADABLE = /^(?:Invalid|Invalid Input|IO) Error:/;

/** A query to a folder. */
export interface FolderQuestion {
  readonly folder: string;
  /** One statement that reads. */
  readonly sql: string;
  /** Publishable key whose events the view `e` has; absent for all keys. */
  readonly apiKey?: string;
  /** Ends the query. */
  readonly signal?: AbortSignal;
}

/** Answer of a folder. */
export interface FolderAnswer extends Answer {
  /** Files that can't be read, and whose events are left out. */
  readonly damaged: readonly DamagedFile[];
}

/**
 * Asks a folder of events in SQL, of the view `events`, and of `e`: the events of people, with their `day` in UTC, and the
 * `moment` by which they are in order. The statement reads nothing but the events.
 *
 * @throws {Error} For what isn't one statement that reads, or can't be answered; where DuckDB can't be loaded, and for a
 * folder that no sink has opened yet.
 */
export async function queryFolder({ folder, sql, apiKey, signal }: FolderQuestion): Promise<FolderAnswer> {
  const live = await openLiveEvents({ folder, isCounting: false });
  const close = (): void => void live.close();
  signal?.addEventListener("abort", close, { once: true });
  try {
    await live.refresh();
    await live.define(`CREATE VIEW e AS ${await selectPeople(apiKey)}`);
    const ask = async (): Promise<Answer> => await live.ask({ sql, maxRows: MAX_ROWS });
    const answer = await ask().catch(async (error) => {
      // All files are read for it: a statement that is mistyped isn't to wait for that.
      if (!UNREADABLE.test(describeError(error)) || !await live.recheck(error)) throw error;
      await live.refresh();
      return await ask();
    });
    return { ...answer, damaged: live.damaged() };
  } finally {
    signal?.removeEventListener("abort", close);
    if (!signal?.aborted) await live.close();
  }
}

async function selectPeople(apiKey: string | undefined): Promise<string> {
  const ofKey = apiKey === undefined ? "true" : `key_hash = ${DUCKDB.quote(await hashKey(apiKey))}`;
  return `SELECT *, toDate32(fromUnixTimestamp64Milli(time, 'UTC')) AS day, ${FIGURES.moment.sql} AS moment
    FROM ${EVENTS} WHERE ${ofKey} AND flag = ''`;
}
