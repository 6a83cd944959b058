/**
 * The program under more than it can take, with a sink that hangs.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { FULL, manyEvents } from "../ingest/fixtures.ts";
import { type IngestProcessOptions, type RunningIngest, startIngest } from "./ingest_process.ts";
import { startNatsCluster } from "./nats_cluster.ts";
import { bundleOnce, KEY_ARGS, send, untilCounted } from "./program.ts";

Deno.test("ingest on Deno: answers 503 under overload, and doesn't grow", () => overload({}));

Deno.test("ingest on Node: answers 503 under overload, and doesn't grow", async () => {
  await overload({ nodeProgram: await bundleOnce() });
});

/** How often NATS hangs: an event waits for it for 10 s, in which a slow machine sends a part of all that. */
const FREEZES = 10;

/** Sends far more than the program takes at a time, while its NATS hangs; what it holds is stored when that goes on. */
async function overload(options: IngestProcessOptions): Promise<void> {
  const nats = await startNatsCluster(1);
  const sink = ["--sink", `nats:${nats.servers.join(",")}`, "--nats-replicas", "1"];
  const ingest = await startIngest([...KEY_ARGS, ...sink, "--max-pending", "8"], options);
  const properties = { text: "y".repeat(9_000) };
  const body = (batchId: string): string => {
    const events = manyEvents(90).map((event) => ({ ...event, id: `${batchId} ${event.id}`, properties }));
    return JSON.stringify({ ...FULL, batchId, events });
  };

  const late = body("late");
  const statuses: string[] = [];
  const stored: Response[] = [];
  let memory = 0;
  for (let freeze = 0; freeze < FREEZES; freeze++) {
    nats.freeze(0);
    const held = Array.from({ length: 8 }, (_, index) => send(ingest, body(`held-${freeze}-${index}`)));
    await untilCounted(ingest, "requests_pending 8");
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(ingest, late)));
    await Promise.all(answers.map((answer) => answer.text()));
    statuses.push(...answers.map(({ status, headers }) => `${status} ${headers.get("Retry-After")}`));
    memory = readMemoryMiB(ingest);
    nats.thaw(0);
    stored.push(...await Promise.all(held));
  }
  await Promise.all(stored.map((answer) => answer.text()));
  await ingest.end();
  const messages = await nats.countMessages("VENDOR_EVENTS");
  await nats.stop();

  console.log(`${memory} MiB after 300 requests of ${late.length} bytes past the limit of 8`);
  assertEquals([statuses.length, new Set(statuses)], [300, new Set(["503 2"])]);
  assertEquals([messages, new Set(stored.map(({ status }) => status))], [FREEZES * 8 * 90, new Set([202])]);
  assert(memory < 400, `${memory} MiB`);
}

function readMemoryMiB({ pid }: RunningIngest): number {
  const kib = /VmRSS:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1];
  return Math.round(Number(kib) / 1_024);
}
