import { hashKey } from "../../platform/digest.ts";
import type { EventTail, TailOptions } from "../../ports/event_tail.ts";
import { startThread, type Thread } from "../../threads/thread.ts";

/** Options of {@linkcode createFileTail}. */
export interface FileTailOptions extends TailOptions {
  /** Path of the folder of a sink of files. */
  readonly path: string;
}

/** Rows that were read of a folder. */
export interface FollowedRows {
  /** Events as JSON, in the order of arrival. */
  readonly texts: readonly string[];
  /** Place of the last event that was looked at. */
  readonly last: number;
  /** Whether there are more than these. */
  readonly isMore: boolean;
}

/** Calls to the thread of a tail. Each opens the folder, and locks no writer out. */
export type TailCalls = {
  /** Reads the newest events of a key, or of all where it is null; at most so many. */
  readonly fileTailNewest: (folder: string, keyHash: string | null, count: number) => Promise<FollowedRows>;
  /** Reads events behind a place. */
  readonly fileTailAfter: (folder: string, keyHash: string | null, after: number) => Promise<FollowedRows>;
};

const INTERVAL_MS = 250;

/**
 * Opens the folder of a sink of files to watch what is stored: also what was sealed into a file before it was read. It only
 * reads, and locks no writer out.
 *
 * @throws {Error} Where there is no `node:sqlite`, and for a folder that no sink of files has opened yet.
 */
export async function createFileTail(options: FileTailOptions): Promise<EventTail> {
  return await openFileTail(options, startThread());
}

/** Opens it in a thread that was started for it, and is ended with it. */
export async function openFileTail(
  { path, apiKey, lines }: FileTailOptions,
  thread: Thread<TailCalls>,
): Promise<EventTail> {
  const keyHash = apiKey === undefined ? null : await hashKey(apiKey);
  // Once, so that a folder that can't be read is said at once.
  let first: FollowedRows | undefined = await thread.call("fileTailNewest", path, keyHash, lines).catch(
    async (error) => {
      await thread.end();
      throw error;
    },
  );
  let { last } = first;

  return {
    intervalMs: INTERVAL_MS,
    async next() {
      const { texts, isMore, ...rows } = first ?? await thread.call("fileTailAfter", path, keyHash, last);
      first = undefined;
      last = rows.last;
      return { events: texts.map((text) => JSON.parse(text)), isMore, isCut: false };
    },
    close: () => thread.end(),
  };
}
