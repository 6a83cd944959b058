import { findBuiltin, NO_SQLITE } from "../builtin.ts";
import { createDigest, hashKey } from "../keys/digest.ts";
import type { ClickHouseTarget } from "../sinks/clickhouse/clickhouse_target.ts";
import { toDay } from "../sinks/clickhouse/clickhouse_row.ts";
import {
  createErasureCheck,
  type Erasure,
  type EventOwner,
  parseErasures,
  parseOwnerId,
  toErasuresPath,
} from "../sinks/erasures.ts";
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
  /** Events that this call left out, since an erasure names them. */
  readonly erased: number;
  /** Events of the database, but for those that an erasure names; 0 where not all was copied. */
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
    iterate(...values: readonly number[]): Iterable<Row>;
  };
  close(): void;
}

/** The part of `node:fs` in use. */
interface FileSystem {
  existsSync(path: string): boolean;
  readFileSync(path: string, encoding: "utf8"): string;
}

type Row = Readonly<Record<string, unknown>>;

/** Events that are stored at a time. */
const BLOCK_EVENTS = 20_000;

const FIRST = "SELECT seq, api_key, id FROM events ORDER BY seq LIMIT 1";

const AT = "SELECT id FROM events WHERE seq = ?";

const NEXT = "SELECT seq, api_key, id, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?";

const COUNTS =
  "SELECT api_key, timestamp, count(*) AS count FROM events WHERE seq <= ? GROUP BY api_key, substr(timestamp, 1, 10)";

const OWNERS = `
  SELECT api_key, event -> '$.identity.userId' AS user_id, event -> '$.identity.anonymousId' AS anonymous_id,
    timestamp, received_at
  FROM events WHERE seq <= ?
`;

const HAS_ERASURES = "SELECT 1 FROM sqlite_schema WHERE name = 'erasures'";

const ERASURES = "SELECT key_hash AS key, kind, id_hash AS id, erased_at AS erasedAt FROM erasures";

/**
 * Copies the events of a SQLite database into a ClickHouse. A copy that was broken off, at whatever moment, goes on where
 * it was. It may run beside loaders and beside the ingest that writes to the database: each event is counted once. At the
 * end the events of each key and day are counted on both sides. Records of erasures come along: nobody who was erased,
 * on either side, is back.
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
    await target.keepErasures(readErasures(database, path));
    let last = await findStart(database, target, source);
    let [copied, erased] = [0, 0];
    while (!signal?.aborted) {
      const rows = database.prepare(NEXT).all(last, BLOCK_EVENTS);
      const end = rows.at(-1);
      if (end === undefined) {
        // Somebody may have been erased since, whose events had come over.
        await target.keepErasures(readErasures(database, path));
        await target.correct();
        const { events, missing } = await compare(database, { last, target, hashOf });
        return { isWhole: true, copied, erased, events, missing, unfit };
      }
      const block = await Promise.all(rows.map(async (row): Promise<KeyedEvent> => ({
        keyHash: await hashOf(String(row.api_key)),
        event: JSON.parse(String(row.event)),
      })));
      const stored = await target.store(block);
      unfit.push(...stored.unfit);
      erased += stored.erased;
      last = Number(end.seq);
      await target.writeMark(source, { seq: last, id: String(end.id) });
      copied += rows.length - stored.erased;
      onProgress?.(copied);
    }
    return { isWhole: false, copied, erased, events: 0, missing: 0, unfit };
  } finally {
    database.close();
  }
}

/** Returns the records of a database, and those of its file: a backup that no sink has opened yet lacks some. */
function readErasures(database: Database, path: string): readonly Erasure[] {
  const rows = database.prepare(HAS_ERASURES).get() === undefined ? [] : database.prepare(ERASURES).all();
  const fileSystem = findBuiltin<FileSystem>("node:fs");
  const file = toErasuresPath(path);
  const ofFile = fileSystem?.existsSync(file) ? parseErasures(fileSystem.readFileSync(file, "utf8")) : [];
  // The columns are those of the record, each text.
  return [...rows as unknown as readonly Erasure[], ...ofFile];
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
  const erased = await countErased(database, { last, target, hashOf });
  const byKey = Map.groupBy(database.prepare(COUNTS).all(last), ({ api_key }) => String(api_key));
  for (const [apiKey, rows] of byKey) {
    const there = await target.countByDay(await hashOf(apiKey));
    const here = new Map<string, number>();
    for (const { timestamp, count } of rows) {
      const day = toDay(String(timestamp));
      here.set(day, (here.get(day) ?? 0) + Number(count));
    }
    for (const [day, all] of here) {
      const count = all - (erased.get(nameDay(apiKey, day)) ?? 0);
      events += count;
      missing += Math.max(0, count - (there.get(day) ?? 0));
    }
  }
  return { events, missing };
}

/** Counts the events of each key and day that records name: ClickHouse doesn't have them. */
async function countErased(
  database: Database,
  { last, target, hashOf }: Compared,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const erasures = await target.readErasures();
  if (erasures.length === 0) return counts;
  const isErased = createErasureCheck(erasures);
  for (const row of database.prepare(OWNERS).iterate(last)) {
    const [apiKey, timestamp] = [String(row.api_key), String(row.timestamp)];
    const owner: EventOwner = {
      keyHash: await hashOf(apiKey),
      userId: parseOwnerId(row.user_id),
      anonymousId: parseOwnerId(row.anonymous_id),
      timestamp,
      receivedAt: String(row.received_at),
    };
    if (!await isErased(owner)) continue;
    const name = nameDay(apiKey, toDay(timestamp));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function nameDay(apiKey: string, day: string): string {
  return `${day} ${apiKey}`;
}
