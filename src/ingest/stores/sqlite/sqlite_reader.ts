import { startThread, type Thread } from "../../threads/thread.ts";
import type { ReportReader } from "../../ports/reader.ts";

/** A call of a reader, with the path of its database. */
type ReaderCall<C> = C extends (...args: infer A) => Promise<infer R> ? (path: string, ...args: A) => R : never;

/** What the thread of a SQLite reader does. Each call opens the database, and throws where no SQLite sink did before. */
export type ReaderCalls =
  & {
    readonly [N in Exclude<keyof ReportReader, "close" | "conversions" | "damaged" | "until">]: ReaderCall<
      ReportReader[N]
    >;
  }
  & {
    /** Opens the database, and returns its whole path. */
    readonly find: (path: string) => string;
  };

/** How long a read waits for those before it, in milliseconds; less than a proxy waits for an answer. */
const MAX_WAIT_MS = 20_000;

/**
 * Opens the database of a SQLite sink for reading, on a connection of its own: it sees what is committed, by any
 * process, and locks no writer out. A thread of its own reads, one thing at a time; what waits for 20 s rejects.
 *
 * @param options With the `path` of the database file of a SQLite sink.
 * @throws {Error} Where there is no `node:sqlite`, and for a file that no SQLite sink has opened yet.
 */
export async function createSqliteReader({ path }: { readonly path: string }): Promise<ReportReader> {
  return await openSqliteReader(path, startThread());
}

/** Opens a database in a thread that was started for it, and is ended with it. */
export async function openSqliteReader(path: string, thread: Thread<ReaderCalls>): Promise<ReportReader> {
  try {
    return createReader(thread, await thread.call("find", path));
  } catch (error) {
    await thread.end();
    throw error;
  }
}

function createReader(thread: Thread<ReaderCalls>, path: string): ReportReader {
  const enqueue = createQueue(MAX_WAIT_MS);
  return {
    sites: (...args) => enqueue(() => thread.call("sites", path, ...args)),
    violations: (...args) => enqueue(() => thread.call("violations", path, ...args)),
    countPageviews: (...args) => enqueue(() => thread.call("countPageviews", path, ...args)),
    lastTime: (...args) => enqueue(() => thread.call("lastTime", path, ...args)),
    overview: (...args) => enqueue(() => thread.call("overview", path, ...args)),
    countFlagged: (...args) => enqueue(() => thread.call("countFlagged", path, ...args)),
    pages: (...args) => enqueue(() => thread.call("pages", path, ...args)),
    sources: (...args) => enqueue(() => thread.call("sources", path, ...args)),
    steps: (...args) => enqueue(() => thread.call("steps", path, ...args)),
    stepValues: (...args) => enqueue(() => thread.call("stepValues", path, ...args)),
    countEvents: (...args) => enqueue(() => thread.call("countEvents", path, ...args)),
    funnel: (...args) => enqueue(() => thread.call("funnel", path, ...args)),
    retention: (...args) => enqueue(() => thread.call("retention", path, ...args)),
    acceptance: (...args) => enqueue(() => thread.call("acceptance", path, ...args)),
    person: (...args) => enqueue(() => thread.call("person", path, ...args)),
    progress: () => enqueue(() => thread.call("progress", path)),
    close: () => thread.end(),
  };
}

/**
 * Creates a queue: the function that does one piece of work after another. What waits for longer than so many
 * milliseconds rejects, and is left undone.
 */
export function createQueue(maxWaitMs: number): <R>(work: () => Promise<R>) => Promise<R> {
  let last = Promise.resolve();
  return (work) =>
    new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new Error("too many reports at a time"));
      }, maxWaitMs);
      last = last.then(async () => {
        clearTimeout(timer);
        if (!isLate) await work().then(resolve, reject);
      });
    });
}
