import { parentPort } from "node:worker_threads";
import type { CallMessage, Calls, ReplyMessage } from "./thread.ts";

/** Answers the calls of a thread, within that thread. */
export function serveCalls(calls: Calls): void {
  const answer = async ({ id, name, args }: CallMessage): Promise<ReplyMessage> => {
    try {
      // Who calls knows the functions by the same type.
      return { id, result: await calls[name]?.(...args as never[]) };
    } catch (error) {
      return { id, fault: error instanceof Error ? error.message : String(error) };
    }
  };
  parentPort?.on("message", async (request: CallMessage) => parentPort?.postMessage(await answer(request)));
}
