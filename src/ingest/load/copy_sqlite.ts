import { findBuiltin, NO_SQLITE } from "../builtin.ts";
import { createDigest, hashKey } from "../keys/digest.ts";
import type { ClickHouseTarget } from "../sinks/clickhouse/clickhouse_target.ts";
import { toDay } from "../sinks/clickhouse/clickhouse_row.ts";
import type { KeyedEvent, UnfitEvent } from "../sinks/load_target.ts";

/** What {@linkcode copySqlite} takes. */
export interface CopyOptions {
  /** Path of the database file of a SQLite sink. An ingest may go on to write to it. */
  readonly path: string;
  /** Where its events go. */
  readonly target: ClickHouseTarget;
  /** Ends the copy after the block that is being stored. */
  readonly signal?: AbortSignal;
  /** Hears after each block how many events were copied by this call. */
  readonly onProgress?: (copied: number) => void;
}

/** What was copied. */
export interface CopyResult {
  /** Whether all was copied; where it wasn't, the next call goes on. */
  readonly isWhole: boolean;
  /** Events that this call copied. */
  readonly copied: number;
  /** Events of the database; 0 where not all was copied. */
  readonly events: number;
  /**
   * Events that a day of a key has less in ClickHouse than in the database, in all; 0 where not all was copied. ClickHouse may have
   * more: a loader may store there at the same time.
   */
  readonly missing: number;
  /** Events that ClickHouse doesn't take. */
  readonly unfit: readonly UnfitEvent[];
}

/** The part of `node:sqlite` in use. Written down here, since the npm package is compiled without Node's types. */
interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => Database;
}

interface Database {
  prepare(query: string): {
    get(...values: readonly number[]): Row | undefined;
    all(...values: readonly number[]): readonly Row[];
  };
  close(): void;
}

type Row = Readonly<Record<string, unknown>>;

/** Events that are stored at a time. */
const BLOCK_EVENTS = 20_000;

const FIRST = "SELECT seq, api_key, id FROM events ORDER BY seq LIMIT 1";

const AT = "SELECT id FROM events WHERE seq = ?";

const NEXT = "SELECT seq, api_key, id, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?";

const COUNTS =
  "SELECT api_key, timestamp, count(*) AS count FROM events WHERE seq <= ? GROUP BY api_key, substr(timestamp, 1, 10)";

/**
 * Copies the events of a SQLite database into a ClickHouse. A copy that was broken off, at whatever moment, goes on where
 * it was. It may run beside loaders and beside the ingest that writes to the database: each event is counted once. At the
 * end the events of each key and day are counted on both sides.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/sdk/ingest/clickhouse";
 * import { copySqlite, type CopyResult } from "@vendor/sdk/ingest/load";
 *
 * export async function moveOut(): Promise<CopyResult> {
 *   const target = await createClickHouseTarget({ url: "http://localhost:8123" });
 *   try {
 *     return await copySqlite({ path: "events.db", target });
 *   } finally {
 *     await target.close();
 *   }
 * }
 * ```
 *
 * @throws {Error} Where there is no `node:sqlite`, for a file that no SQLite sink has opened yet, and when ClickHouse can't store.
 */
export async function copySqlite({ path, target, signal, onProgress }: CopyOptions): Promise<CopyResult> {
  const sqlite = findBuiltin<SqliteModule>("node:sqlite");
  if (sqlite === undefined) throw new Error(NO_SQLITE);
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  try {
    const source = await nameSource(database);
    const hashOf = createHashes();
    const unfit: UnfitEvent[] = [];
    let last = await findStart(database, target, source);
    let copied = 0;
    while (!signal?.aborted) {
      const rows = database.prepare(NEXT).all(last, BLOCK_EVENTS);
      const end = rows.at(-1);
      if (end === undefined) {
        const { events, missing } = await compare(database, { last, target, hashOf });
        return { isWhole: true, copied, events, missing, unfit };
      }
      const block = await Promise.all(rows.map(async (row): Promise<KeyedEvent> => ({
        keyHash: await hashOf(String(row.api_key)),
        event: JSON.parse(String(row.event)),
      })));
      unfit.push(...await target.store(block));
      last = Number(end.seq);
      await target.writeMark(source, { seq: last, id: String(end.id) });
      copied += rows.length;
      onProgress?.(copied);
    }
    return { isWhole: false, copied, events: 0, missing: 0, unfit };
  } finally {
    database.close();
  }
}

/** Names a database by its first event: a file may be moved, or replaced by another one. */
async function nameSource(database: Database): Promise<string> {
  const { seq, api_key, id } = database.prepare(FIRST).get() ?? {};
  return await createDigest()(JSON.stringify([seq, api_key, id]));
}

/** Returns the number of the last row that is in; 0 where the database isn't the one that was copied. */
async function findStart(database: Database, target: ClickHouseTarget, source: string): Promise<number> {
  const mark = await target.readMark(source);
  // A backup that was restored has other events under the numbers that came after it.
  return mark !== undefined && database.prepare(AT).get(mark.seq)?.id === mark.id ? mark.seq : 0;
}

function createHashes(): (apiKey: string) => Promise<string> {
  const hashes = new Map<string, Promise<string>>();
  return (apiKey) => {
    const known = hashes.get(apiKey) ?? hashKey(apiKey);
    hashes.set(apiKey, known);
    return known;
  };
}

interface Compared {
  readonly last: number;
  readonly target: ClickHouseTarget;
  readonly hashOf: (apiKey: string) => Promise<string>;
}

/** Counts the events of each key and day on both sides. */
async function compare(
  database: Database,
  { last, target, hashOf }: Compared,
): Promise<Pick<CopyResult, "events" | "missing">> {
  let [events, missing] = [0, 0];
  const byKey = Map.groupBy(database.prepare(COUNTS).all(last), ({ api_key }) => String(api_key));
  for (const [apiKey, rows] of byKey) {
    const there = await target.countByDay(await hashOf(apiKey));
    const here = new Map<string, number>();
    for (const { timestamp, count } of rows) {
      const day = toDay(String(timestamp));
      here.set(day, (here.get(day) ?? 0) + Number(count));
    }
    for (const [day, count] of here) {
      events += count;
      missing += Math.max(0, count - (there.get(day) ?? 0));
    }
  }
  return { events, missing };
}
