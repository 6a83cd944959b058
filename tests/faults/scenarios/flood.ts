import type { DropCounts } from "../../../src/client/mod.ts";
import { script } from "../../browser/html.ts";
import type { Tab } from "../engines/engine.ts";
import { KEY } from "../injector.ts";
import { buildFlood, type FloodOptions, MEASURE_SCRIPT, type Measured } from "../measures.ts";
import { poll } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Longest task that the SDK may cause, in milliseconds. */
const MAX_TASK_MS = 50;

/** Bounds of memory, and the largest batch, which may be under way beside them. */
const MAX_EVENTS = 20_000;
const MAX_BYTES = 16_777_216;
const BATCH_EVENTS = 100;

/** Growth of the heap that 16 MiB of text and the objects around it explain, in bytes. */
const MAX_HEAP_BYTES = 2 * MAX_BYTES;

/** Longest flood, in milliseconds. */
const MAX_FLOOD_MS = 300_000;

/** How often a run is repeated whose longest task may have been the machine's doing. */
const MAX_RUNS = 3;

interface Flood {
  readonly amount: number;
  /** Those made at one a millisecond; the others come faster. */
  readonly slow: number;
  readonly characters: number;
}

async function openFlooded(stage: Stage): Promise<Tab> {
  stage.site.serve("/flooded", {
    before: MEASURE_SCRIPT,
    scripts: ["/client.js"],
    after: script((config) => {
      globalThis.client = VendorClient.createClient(config);
    }, { apiKey: KEY, endpoint: stage.injector.endpoint, flushInterval: 1000, maxBatchSize: BATCH_EVENTS }),
  });
  return await stage.open("/flooded");
}

const readHeap = (tab: Tab): Promise<number> =>
  tab.evaluate<number>(script(() => {
    globalThis.gc?.();
    return Reflect.get(performance, "memory")?.usedJSHeapSize ?? 0;
  }));

async function pour(stage: Stage, tab: Tab, options: Omit<FloodOptions, "first">): Promise<void> {
  const [name = ""] = stage.nameEvents(options.amount);
  await tab.evaluate(buildFlood({ ...options, first: Number(name.split(" ")[1]) }));
  if (!await poll(() => tab.evaluate<boolean>("isFlooded"), MAX_FLOOD_MS)) throw new Error("the page hangs");
}

async function flood(stage: Stage, { amount, slow, characters }: Flood): Promise<void> {
  const { injector } = stage;
  const tab = await openFlooded(stage);
  const heapBefore = await readHeap(tab);
  await injector.away();
  let longestMs = Infinity;
  for (let run = 1; run <= MAX_RUNS && longestMs > MAX_TASK_MS; run++) {
    await tab.evaluate("measured.longestMs = measured.stallMs = measured.longTasks = 0");
    await pour(stage, tab, { amount: slow, perMs: 1, characters });
    const { longestMs: longest, stallMs, longTasks } = await tab.evaluate<Measured>("measured");
    longestMs = stallMs < longest ? longest : 0; // a thread that waits for the machine may be ours as well
    if (slow > 0) {
      const times = `longest task at one step a ms: ${longest.toFixed(1)} ms, longest stall of the machine: ${
        stallMs.toFixed(1)
      } ms`;
      stage.note(`${times}; long tasks of the page: ${longTasks}`);
    }
  }
  if (longestMs > MAX_TASK_MS) throw new Error(`a task of ${longestMs.toFixed(0)} ms`);
  if (amount > slow) {
    await pour(stage, tab, { amount: amount - slow, perMs: 10, characters });
  }
  const growth = await readHeap(tab) - heapBefore;
  if (stage.form.engine === "chromium") stage.note(`heap ${(growth / 1_048_576).toFixed(1)} MiB larger`);
  await injector.back();
  await tab.evaluate(`void dispatchEvent(new Event("online"))`); // ends the backoff
  await settle(stage, tab);
  if (growth > MAX_HEAP_BYTES) throw new Error(`the heap grew by ${growth} bytes`);
}

/** Waits until every event is stored or counted as dropped, and holds the bounds against what was stored. */
async function settle(stage: Stage, tab: Tab): Promise<void> {
  const { made } = stage.ledger();
  const readDropped = async (): Promise<number> => (await tab.evaluate<DropCounts>("client.drops()")).queue_full ?? 0;
  await poll(async () => stage.injector.stored.length + await readDropped() >= made.length, 60_000);
  const stored = new Map(stage.injector.stored.map((event) => [event.name, event]));
  const absent = made.filter((name) => !stored.has(name));
  const dropped = await readDropped();
  const drops = await tab.evaluate<DropCounts>("client.drops()");
  if (dropped === absent.length) stage.excuse(absent, `${dropped} counted as dropped: queue_full`);
  else stage.note(`drops(): ${JSON.stringify(drops)}`);
  const bytes = stage.injector.stored.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
  stage.note(`${stored.size} events, ${(bytes / 1_048_576).toFixed(1)} MiB, were held`);
  if (stored.size > MAX_EVENTS + BATCH_EVENTS) throw new Error("more events were held than the bound says");
  if (bytes > MAX_BYTES * 1.01) throw new Error("more bytes were held than the bound says");
}

/** Scenario 10: far more events than can be kept. */
export const FLOOD: readonly Scenario[] = [
  {
    id: "10a",
    title: "100,000 steps with the server down",
    run: (stage) => flood(stage, { amount: 100_000, slow: stage.form.isShort ? 5000 : 100_000, characters: 0 }),
  },
  {
    id: "10b",
    title: "1,000 steps of 30 KB with the server down",
    run: (stage) => flood(stage, { amount: 1000, slow: 0, characters: 30_000 }),
  },
];
