import type { ClickHouseTarget } from "../stores/clickhouse/clickhouse_target.ts";
import { openForCopy } from "../stores/file/file_data.ts";
import type { KeyedEvent } from "../ports/load_target.ts";

/** Options of {@linkcode copyFiles}. */
export interface CopyFilesOptions {
  /** Path of the folder of a sink of files. An ingest may go on to write to it. */
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
   * Events of the folder's keys that ClickHouse counts after the last block; 0 where not all was copied. It may have more
   * than were copied, for a loader may store there at the same time. If it has fewer, some are missing.
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

/** Events that are stored at a time. */
const BLOCK_EVENTS = 20_000;

/**
 * Copies the events of a folder into a ClickHouse. A copy that was broken off, at whatever moment, begins anew:
 * ClickHouse knows every ID, and takes again what was deleted there. It may run beside loaders and beside the ingest that writes
 * to the folder; each event is counted once. Records of erasures come along: nobody who was erased, on either side, is back.
 *
 * @throws {Error} Where there is no `node:sqlite`, for a folder that no sink of files has opened yet, for a file that is damaged,
 * and when ClickHouse can't store.
 */
export async function copyFiles({ path, target, signal, onProgress }: CopyFilesOptions): Promise<CopyResult> {
  const data = openForCopy(path);
  try {
    const keyHashes = new Set<string>();
    const unfit: CopyResult["unfit"][number][] = [];
    await target.keepErasures(await data.erasures());
    let [copied, erased] = [0, 0];
    const stopped = (): CopyResult => ({ isWhole: false, copied, erased, counted: 0, unfit });
    for await (const block of toBlocks(data.exportAll())) {
      if (signal?.aborted) return stopped();
      for (const { keyHash } of block) keyHashes.add(keyHash);
      const stored = await target.store(block);
      unfit.push(...stored.unfit);
      erased += stored.erased;
      copied += block.length - stored.erased - stored.unfit.length;
      onProgress?.(copied);
    }
    if (signal?.aborted) return stopped();
    const counts = await Promise.all([...keyHashes].map(target.count));
    const counted = counts.reduce((sum, count) => sum + count, 0);
    // Somebody may have been erased since, whose events had come over.
    await target.keepErasures(await data.erasures());
    erased += await target.correct();
    return { isWhole: true, copied, erased, counted, unfit };
  } finally {
    await data.close();
  }
}

async function* toBlocks(events: AsyncIterable<KeyedEvent>): AsyncGenerator<readonly KeyedEvent[]> {
  let block: KeyedEvent[] = [];
  for await (const event of events) {
    block.push(event);
    if (block.length < BLOCK_EVENTS) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}
