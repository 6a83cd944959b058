import { type DamagedFile, ReaderFault, type ReportReader } from "../../ports/reader.ts";
import { startThread, type Thread } from "../../threads/thread.ts";
import { readThreadBase } from "../../threads/thread_program.ts";
import { createFairQueue } from "./fair_queue.ts";

/** Functions of a reader that read. */
export type ReadName = Exclude<keyof ReportReader, "close" | "damaged" | "until">;

/** Calls to the thread of a reader of files. */
export type FileReaderCalls = {
  /** Opens a folder, and counts what is there. The package is looked for beside the module `base`, if need be. */
  readonly openFolder: (folder: string, base: string) => Promise<void>;
  /** Returns which share of the files is counted. */
  readonly folderProgress: () => number;
  /** Returns the files that can't be read. */
  readonly folderDamaged: () => readonly DamagedFile[];
  /** Calls a function of the reader; the number stands for the call. */
  readonly readFolder: (id: number, name: ReadName, args: readonly unknown[]) => Promise<unknown>;
  /** Ends a call: it rejects with the message. */
  readonly stopRead: (id: number, message: string) => void;
  /** Ends what runs, and closes the folder. */
  readonly closeFolder: () => Promise<void>;
};

/** Milliseconds that a call may take. */
export const READ_LIMIT_MS = 20_000;

/** Milliseconds that all calls of one report may take, waiting included. */
const REPORT_LIMIT_MS = 30_000;

/** Calls at a time, each of another key. */
export const MAX_READS = 2;

/** Milliseconds that a call waits for those before it, and for the first count; less than a proxy waits. */
const MAX_WAIT_MS = 20_000;

const NOBODY_WAITS = "nobody waits for the report any more";

/** A record, so that no function of the port is forgotten. */
const READS: Readonly<Record<ReadName, true>> = {
  ...{ sites: true, countPageviews: true, lastTime: true, overview: true, countFlagged: true, pages: true },
  ...{ sources: true, audience: true, steps: true, violations: true, stepValues: true, conversions: true },
  ...{ countEvents: true, funnel: true, retention: true, acceptance: true, person: true },
};

/**
 * Creates the reader of a folder of events, which a sink of files fills: what is acknowledged is in the next report. A thread of
 * its own reads, with DuckDB, which is native code: Deno loads it with `--allow-ffi`, and holds it to no other permission. It
 * begins with the first call, which waits until what is there is counted, some 2 s a million events. A call takes 20 s at most,
 * and no key's calls keep those of another waiting. Views leave out the events of a file
 * that is damaged, and name it.
 *
 * @throws {ReaderFault} From each function, where the package `@duckdb/node-api` isn't installed, and for a folder that no sink
 * has opened yet.
 */
export function createFileReader({ path, onError }: {
  /** Path of the folder of a sink of files. */
  readonly path: string;
  /** Hears of each damaged file, once; its events are left out. */
  readonly onError?: (error: Error) => void;
}): ReportReader {
  return openFileReader(path, { ...(onError && { onError }) });
}

/** Creates the reader of a folder, with what a command needs of it. */
export function openFileReader(path: string, options: ThreadReaderOptions): ReportReader {
  return createThreadReader(path, startThread, options);
}

/** The end of a report that is given up. */
interface ReportEnd {
  /** Rejects then. */
  readonly ended: Promise<never>;
  /** Throws if it is. */
  check(): void;
  /** Ends the watch. */
  release(): void;
}

/** A thread, and the opening of the folder there. */
interface Opening {
  readonly thread: Thread<FileReaderCalls>;
  readonly opened: Promise<void>;
}

/** Options of {@linkcode createThreadReader}. */
export interface ThreadReaderOptions extends Pick<Parameters<typeof createFileReader>[0], "onError"> {
  /** Milliseconds that the calls of a reader that `until()` returns may take together. */
  readonly reportLimitMs?: number;
  /** Milliseconds that a call waits for the first count. */
  readonly openingLimitMs?: number;
  /** Hears how far the first count is each time that it took as long. A call that has one waits on; else it rejects. */
  readonly onWait?: (message: string) => void;
}

/** A report that is being read. */
interface Report {
  /** Aborted once nobody waits for it. */
  readonly signal: AbortSignal;
  readonly startMs: number;
}

/** Creates the reader of a folder in a thread that is started at the first call. */
export function createThreadReader(
  folder: string,
  start: () => Thread<FileReaderCalls>,
  { onError = () => {}, onWait, ...limits }: ThreadReaderOptions = {},
): ReportReader {
  const { reportLimitMs = REPORT_LIMIT_MS, openingLimitMs = MAX_WAIT_MS } = limits;
  const queue = createFairQueue({ most: MAX_READS, maxWaitMs: MAX_WAIT_MS });
  let opening: Opening | undefined;
  let lastId = 0;
  let told: readonly string[] = [];

  /** Opens the folder once. A failure isn't remembered: the next call tries again. */
  function open(): Opening {
    if (opening !== undefined) return opening;
    const thread = start();
    const opened = thread.call("openFolder", folder, readThreadBase()).catch(async (error) => {
      opening = undefined;
      await thread.end();
      throw error;
    });
    return opening = { thread, opened };
  }

  async function findProgress(): Promise<number> {
    return await opening?.thread.call("folderProgress") ?? 1;
  }

  async function findDamaged(): Promise<readonly DamagedFile[]> {
    const damaged = await opening?.thread.call("folderDamaged") ?? [];
    for (const { message } of damaged) if (!told.includes(message)) onError(new Error(message));
    told = damaged.map(({ message }) => message);
    return damaged;
  }

  /** Opens the folder, unless that takes too long. */
  async function waitForFolder(): Promise<Thread<FileReaderCalls>> {
    const { thread, opened } = open();
    while (await isLate(opened, openingLimitMs)) {
      const message = `what is stored is being counted, ${Math.floor(await findProgress() * 100)} % so far`;
      if (onWait === undefined) throw new Error(message);
      onWait(message);
    }
    return thread;
  }

  async function read(name: ReadName, args: readonly unknown[], report?: Report): Promise<unknown> {
    const id = ++lastId;
    const end = watch(report, (message) => opening?.thread.call("stopRead", id, message).catch(() => {})); // it has ended
    const work = async (): Promise<unknown> => {
      const thread = await waitForFolder();
      return await queue.add(findKey(args[0]), async () => {
        end.check();
        return await thread.call("readFolder", id, name, args);
      });
    };
    try {
      return await Promise.race([work(), end.ended]);
    } catch (cause) {
      throw new ReaderFault(cause instanceof Error ? cause.message : String(cause), { cause });
    } finally {
      end.release();
    }
  }

  /** Watches whether a report is to be given up. */
  function watch(report: Report | undefined, stop: (message: string) => void): ReportEnd {
    let reason: string | undefined;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {}); // nobody may be waiting
    const end = (message: string): void => {
      reason ??= message;
      reject(new Error(reason));
      stop(reason);
    };
    const check = (): void => {
      if (reason !== undefined) throw new Error(reason);
    };
    if (report === undefined) return { ended, check, release: () => {} };
    const { signal, startMs } = report;
    const onAbort = (): void => end(NOBODY_WAITS);
    const timer = setTimeout(
      () => end(`the report takes longer than ${reportLimitMs / 1000} s`),
      Math.max(startMs + reportLimitMs - performance.now(), 0),
    );
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const release = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    return { ended, check, release };
  }

  function createFunctions(report?: Report): Pick<ReportReader, ReadName> {
    const functions = Object.fromEntries(
      (Object.keys(READS) as readonly ReadName[]).map((name) => [
        name,
        (...args: readonly unknown[]) => read(name, args, report),
      ]),
    );
    // Each is the function of this name in the thread.
    return functions as unknown as Pick<ReportReader, ReadName>;
  }

  const others: Pick<ReportReader, "damaged" | "close"> = {
    damaged: findDamaged,
    async close() {
      const { thread } = opening ?? {};
      opening = undefined;
      await thread?.call("closeFolder").catch(() => {}); // it ends all the same
      await thread?.end();
    },
  };
  return {
    ...createFunctions(),
    ...others,
    until: (signal) => ({ ...createFunctions({ signal, startMs: performance.now() }), ...others }),
  };
}

/** Returns whether something takes longer than a limit. */
async function isLate(done: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<true>((resolve) => timer = setTimeout(() => resolve(true), limitMs));
  try {
    return await Promise.race([done, limit]) === true;
  } finally {
    clearTimeout(timer);
  }
}

function findKey(of: unknown): string {
  return typeof of === "object" && of !== null && "apiKey" in of ? String(of.apiKey) : String(of);
}
