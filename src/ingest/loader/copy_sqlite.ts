import { findBuiltin, NO_SQLITE } from "../platform/builtin.ts";
import { hashKey } from "../platform/digest.ts";
import type { ClickHouseTarget } from "../stores/clickhouse/clickhouse_target.ts";
import { type Erasure, parseErasures, toErasuresPath } from "../events/erasures.ts";
import type { BlockResult, KeyedEvent } from "../ports/load_target.ts";

/** Options of {@linkcode copySqlite}. */
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

/** The result of a copy. */
export interface CopyResult {
  /** Whether all was copied; where it wasn't, the next call begins anew. */
  readonly isWhole: boolean;
  /** Events that were stored, those included that ClickHouse had. */
  readonly copied: number;
  /** Events that were left out, since an erasure names them, or deleted at the end, where it came meanwhile. */
  readonly erased: number;
  /**
   * Events of the database's keys that ClickHouse counts after the last block; 0 where not all was copied. It may have
   * more than were copied, for a loader may store there at the same time. If it has fewer, some are missing.
   */
  readonly counted: number;
  /** Events that ClickHouse doesn't take. */
  readonly unfit: readonly {
    /** Its place in its block. */
    readonly index: number;
    /** Why, in a line. */
    readonly reason: string;
  }[];
}

/** The part of `node:sqlite` in use. Written down here, since the npm package is compiled without Node's types. */
interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => Database;
}

interface Database {
  prepare(query: string): {
    get(): Row | undefined;
    all(...values: readonly number[]): readonly Row[];
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

const NEXT = "SELECT seq, api_key, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?";

const HAS_ERASURES = "SELECT 1 FROM sqlite_schema WHERE name = 'erasures'";

const ERASURES = "SELECT key_hash AS key, kind, id_hash AS id, erased_at AS erasedAt FROM erasures";

/**
 * Copies the events of a SQLite database into a ClickHouse. A copy that was broken off, at whatever moment, begins anew:
 * ClickHouse knows every ID. It may run beside loaders and beside the ingest that writes to the database; each event is
 * counted once. Records of erasures come along: nobody who was erased, on either side, is back.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/ingest/clickhouse";
 * import { copySqlite, type CopyResult } from "@vendor/ingest/load";
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
    const hashes = new Map<string, string>();
    const unfit: BlockResult["unfit"][number][] = [];
    await target.keepErasures(readErasures(database, path));
    let [last, copied, erased] = [0, 0, 0];
    while (!signal?.aborted) {
      const rows = database.prepare(NEXT).all(last, BLOCK_EVENTS);
      const end = rows.at(-1);
      if (end === undefined) {
        const counts = await Promise.all([...hashes.values()].map(target.count));
        const counted = counts.reduce((sum, count) => sum + count, 0);
        // Somebody may have been erased since, whose events had come over.
        await target.keepErasures(readErasures(database, path));
        erased += await target.correct();
        return { isWhole: true, copied, erased, counted, unfit };
      }
      const block: KeyedEvent[] = [];
      for (const { api_key, event } of rows) {
        const apiKey = String(api_key);
        const keyHash = hashes.get(apiKey) ?? await hashKey(apiKey);
        hashes.set(apiKey, keyHash);
        block.push({ keyHash, event: JSON.parse(String(event)) });
      }
      const stored = await target.store(block);
      unfit.push(...stored.unfit);
      erased += stored.erased;
      copied += block.length - stored.erased - stored.unfit.length;
      last = Number(end.seq);
      onProgress?.(copied);
    }
    return { isWhole: false, copied, erased, counted: 0, unfit };
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
