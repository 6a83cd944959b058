/**
 * Fills a folder of events until it is killed, and says on its output which batches are acknowledged: their numbers, a line each.
 * Files are small, so that most kills come while one is sealed.
 *
 * @module
 */
import { openFileSink } from "../../src/ingest/stores/file/file_sink.ts";
import { startThread } from "../../src/ingest/threads/thread.ts";
import { KEY } from "../ingest/fixtures.ts";
import { anEvent } from "../ingest/stores/data_fixtures.ts";
import { batchOf } from "../ingest/stores/sink_contract.ts";

const [path = "", first = "0"] = Deno.args;

const [BATCH_EVENTS, FILE_EVENTS, AT_ONCE] = [50, 1000, 8] as const;

const sink = await openFileSink({ path, fileEvents: FILE_EVENTS }, { store: startThread(), upkeep: startThread() });
const at = new Date().toISOString();
let next = Number(first);

async function fill(): Promise<void> {
  for (;;) {
    const number = next++;
    const events = Array.from(
      { length: BATCH_EVENTS },
      (_, index) => anEvent(`${number}-${index}`, { userId: `u-${index}`, timestamp: at, receivedAt: at }),
    );
    await sink.store(batchOf(events, KEY));
    // At once: what is written is said.
    Deno.stdout.writeSync(new TextEncoder().encode(`${number}\n`));
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, fill));
