import { startThread, type Thread } from "../../threads/thread.ts";
import type { EventTail, TailBlock, TailOptions } from "../../ports/event_tail.ts";

/** What {@linkcode createSqliteTail} takes. */
export interface SqliteTailOptions extends TailOptions {
  /** Path of the database file of a SQLite sink. */
  readonly path: string;
}

/** An event, as it lies in the database. */
export interface TailRow {
  /** Its place in the order of arrival. */
  readonly seq: number;
  /** Its id, unique per key. */
  readonly id: string;
  /** All of it, as JSON. */
  readonly event: string;
}

/** What was read. */
export interface TailRows {
  /** In the order of arrival. */
  readonly rows: readonly TailRow[];
  /** Place of the newest event of any key; 0 where there is none. */
  readonly newest: number;
  /** Whether there are more than these. */
  readonly isMore: boolean;
}

/** Which events are read. */
export interface TailScope {
  /** Place behind which they are. */
  readonly after: number;
  /** Those that are known, as {@linkcode toTailName} names them. */
  readonly known: readonly string[];
}

/** What the thread of a tail does. Each call opens the database, as those of a reader do. */
export type TailCalls = {
  /** Reads the newest events of a key, or of all where it is null; at most so many. */
  readonly tailNewest: (path: string, apiKey: string | null, count: number) => TailRows;
  /** Reads events behind a place, but for those that are known. */
  readonly tailAfter: (path: string, apiKey: string | null, scope: TailScope) => TailRows;
};

/** Names an event. */
export function toTailName({ seq, id }: Pick<TailRow, "seq" | "id">): string {
  return `${seq} ${id}`;
}

const INTERVAL_MS = 250;

/** Places that are read again: the place of a newest event that was deleted is given to the next one. */
const READ_AGAIN = 100;

/**
 * Opens the database of a SQLite sink to watch what is stored. It only reads, and locks no writer out.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a file that no SQLite sink has opened yet.
 */
export async function createSqliteTail(options: SqliteTailOptions): Promise<EventTail> {
  return await openSqliteTail(options, startThread());
}

/** Opens it in a thread that was started for it, and is ended with it. */
export async function openSqliteTail(
  { path, apiKey, lines }: SqliteTailOptions,
  thread: Thread<TailCalls>,
): Promise<EventTail> {
  const key = apiKey ?? null;
  // Once, so that a path that can't be read is said at once.
  let first: TailRows | undefined = await thread.call("tailNewest", path, key, Math.max(lines, READ_AGAIN))
    .catch(async (error) => {
      await thread.end();
      throw error;
    });
  let last = first.newest;
  /** Place behind which everything was seen, or is seen. */
  let floor = first.isMore ? (first.rows[0]?.seq ?? 1) - 1 : last - READ_AGAIN;
  /** Places of what was seen. */
  const seen = new Map<string, number>();

  function take(rows: readonly TailRow[]): TailBlock["events"] {
    for (const row of rows) seen.set(toTailName(row), row.seq);
    return rows.map(({ event }) => JSON.parse(event));
  }

  return {
    intervalMs: INTERVAL_MS,
    async next() {
      if (first !== undefined) {
        const events = take(first.rows);
        first = undefined;
        return { events: lines === 0 ? [] : events.slice(-lines), isMore: false, isCut: false };
      }
      const scope = { after: Math.max(last - READ_AGAIN, floor), known: [...seen.keys()] };
      const { rows, newest, isMore } = await thread.call("tailAfter", path, key, scope);
      const events = take(rows);
      // They were deleted, or another file has the name: what is left is no news.
      if (newest < last) floor = newest;
      last = isMore ? Math.max(last, rows.at(-1)?.seq ?? 0) : newest;
      for (const [name, seq] of seen) {
        if (seq <= last - READ_AGAIN) seen.delete(name);
      }
      return { events, isMore, isCut: false };
    },
    close: () => thread.end(),
  };
}
