/**
 * The ingest on a folder, killed in the middle of load, again and again. `KILL_ROUNDS` says how often, 20 by default.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { KEY, ORIGIN } from "../ingest/fixtures.ts";
import { readIds } from "./folder_events.ts";
import { type RunningIngest, startIngest } from "./ingest_process.ts";
import { startLoad, until } from "./traffic.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 20);

const SENDERS = 8;

/** Each round is killed after that many more acknowledged batches, and a random wait of up to 100 ms. */
const BATCHES_PER_ROUND = 20;

const BATCH_SIZE = 20;

Deno.test(`kill -9 in the middle of load, ${ROUNDS} rounds: what was answered 202 is in the folder, once`, async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/events`;
  let ingest = await start(path);
  const load = startLoad({ endpoint: () => ingest.endpoint, prefix: "kill", senders: SENDERS, batchSize: BATCH_SIZE });

  const missing: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = load.acknowledged.size;
    await until("acknowledged", () => load.acknowledged.size >= before + BATCHES_PER_ROUND * BATCH_SIZE);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
    const { code } = await ingest.end("SIGKILL");
    assertEquals(code, 137);
    // What was acknowledged before the end of the process must be there before the next one has written anything.
    const acknowledged = [...load.acknowledged];
    const stored = new Set(await readIds(path));
    missing.push(...acknowledged.filter((id) => !stored.has(id)));
    ingest = await start(path);
  }
  await until("acknowledged after the last kill", () => (load.statuses.get(202) ?? 0) > 0);
  await load.stop();
  await ingest.end();

  const stored = await readIds(path);
  console.log(`${ROUNDS} kills: ${load.acknowledged.size} events acknowledged, ${stored.length} stored`);
  console.log(`answers by status, 0 for none: ${[...load.statuses].map((entry) => entry.join(": ")).join(", ")}`);
  await Deno.remove(directory, { recursive: true });
  assertEquals(missing, []);
  assertEquals([...load.acknowledged.difference(new Set(stored))], []);
  assertEquals(stored.length, new Set(stored).size);
  assert((load.statuses.get(0) ?? 0) > 0, "no request was cut off");
});

async function start(path: string): Promise<RunningIngest> {
  return await startIngest(["--key", `${KEY}=${ORIGIN}`, "--sink", `file:${path}`]);
}
