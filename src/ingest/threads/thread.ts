import { findBuiltin, NO_SQLITE } from "../platform/builtin.ts";
import { readThreadProgram } from "./thread_program.ts";

/** Functions of a thread. */
export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

/** A thread of its own, for work that blocks the one that it runs on. */
export interface Thread<C> {
  /** Asks for something; rejects with what is thrown there. Calls arrive in order. */
  call<N extends keyof C & string>(name: N, ...args: C[N] extends (...args: infer A) => unknown ? A : never): Promise<
    C[N] extends (...args: never[]) => infer R ? Awaited<R> : never
  >;
  /** Ends it, whatever it does. */
  end(): Promise<void>;
}

/** A call on its way to the thread. */
export interface CallMessage {
  /** Tells calls apart. */
  readonly id: number;
  /** Name of the function. */
  readonly name: string;
  /** With what. */
  readonly args: readonly unknown[];
}

/** Outcome of a call: its result, or the message of what was thrown. */
export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: string };

/** The part of `node:worker_threads` in use. */
interface ThreadModule {
  readonly Worker: new (url: URL) => Worker;
}

interface Worker {
  postMessage(message: CallMessage): void;
  on(event: "message", listener: (reply: ReplyMessage) => void): void;
  on(event: "error", listener: (error: unknown) => void): void;
  on(event: "exit", listener: () => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Starts a thread that runs the program, which is a text: an address behind https, as on JSR, is none that
 * `node:worker_threads` takes.
 *
 * @throws {Error} Where the runtime has no `node:worker_threads`, and so no SQLite.
 */
export function startThread<C extends Calls>(): Thread<C> {
  const threads = findBuiltin<ThreadModule>("node:worker_threads");
  if (threads === undefined) throw new Error(NO_SQLITE);
  const worker = new threads.Worker(new URL(`data:text/javascript,${encodeURIComponent(readThreadProgram())}`));
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let fault: unknown;

  function settle(reply: ReplyMessage): void {
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if (pending.size === 0) worker.unref();
    if ("fault" in reply) call?.reject(new Error(reply.fault));
    else call?.resolve(reply.result);
  }

  function fail(error: unknown): void {
    fault ??= error;
    for (const { reject } of pending.values()) reject(fault);
    pending.clear();
  }

  worker.on("message", settle);
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the thread of the database has ended")));
  // An open database keeps no process alive; only what is under way does.
  worker.unref();

  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (fault !== undefined) throw fault;
        lastId += 1;
        // What comes back is what the program's function of this name returns.
        pending.set(lastId, { resolve: resolve as (result: unknown) => void, reject });
        worker.ref();
        worker.postMessage({ id: lastId, name, args });
      }),
    end: async () => {
      await worker.terminate();
    },
  };
}
