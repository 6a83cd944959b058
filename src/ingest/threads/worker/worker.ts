/**
 * The program of the threads of sinks, readers and data stores on files: all that waits for the disk or for another process.
 *
 * @module
 */
import { parentPort } from "node:worker_threads";
import { describeError } from "../../platform/describe_error.ts";
import { muteExperimental } from "../../platform/mute_experimental.ts";
import { createFileReaderCalls } from "../../stores/file/worker/reader_calls.ts";
import { createSinkCalls } from "../../stores/file/worker/sink_calls.ts";
import { createDataCalls } from "../../stores/file/worker/data_calls.ts";
import { createBackupCalls } from "../../stores/file/worker/backup_calls.ts";
import { createTailCalls } from "../../stores/file/worker/tail_calls.ts";
import { createUpkeepCalls } from "../../stores/file/worker/upkeep_calls.ts";
import type { CallMessage, Calls, ReplyMessage } from "../thread.ts";

muteExperimental();

const calls: Calls = {
  ...createFileReaderCalls(),
  ...createSinkCalls(),
  ...createUpkeepCalls(),
  ...createDataCalls(),
  ...createTailCalls(),
  ...createBackupCalls(),
};

parentPort?.on("message", async (message: CallMessage) => parentPort?.postMessage(await answer(message)));

async function answer({ id, name, args }: CallMessage): Promise<ReplyMessage> {
  try {
    // Who calls knows the functions by the same type.
    return { id, result: await calls[name]?.(...args as never[]) };
  } catch (error) {
    return { id, fault: describeError(error) };
  }
}
