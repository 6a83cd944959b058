import { script } from "../../browser/html.ts";
import { always } from "../fault.ts";
import { KEY } from "../injector.ts";
import { MEASURE_SCRIPT, type Measured, median } from "../measures.ts";
import { pause } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Events that are queued when the page goes. */
const EVENTS = 1000;

/**
 * Runs, each in a tab of its own, since a page goes once. The fastest count: what slows a run down is the rest of the
 * machine.
 */
const RUNS = 15;
const COUNTED_RUNS = 5;

/** How long a page is in use before it goes, in milliseconds: it has saved an event and looked for those of others. */
const USE_MS = 1500;

/** Most that the handler may take in Chromium, and its own part without storage and `fetch()`, in milliseconds. */
const MAX_TOTAL_MS = 5;
const MAX_OWN_MS = 2;

interface ExitTime extends Measured {
  readonly totalMs: number;
}

const QUEUE_AND_GO = script((amount: number): ExitTime => {
  for (let index = 0; index < amount; index++) Vendor.step("small", { index });
  measured.storageMs = measured.fetchMs = 0;
  const event = new PageTransitionEvent("pagehide"); // the browser has it at hand
  const startMs = performance.now();
  dispatchEvent(event);
  return { ...measured, totalMs: performance.now() - startMs };
}, EVENTS);

/** How long a page that goes is held up. */
export const EXIT_TIME: readonly Scenario[] = [{
  id: "12",
  title: "time of the exit handler with 1,000 queued events",
  async run(stage) {
    stage.site.serve("/timed", {
      before: MEASURE_SCRIPT,
      after: script((config) => Vendor.init(config), {
        apiKey: KEY,
        endpoint: stage.injector.endpoint,
        flushInterval: 60_000,
      }),
    });
    const justLoaded = await measure(stage, 0);
    const inUse = await measure(stage, USE_MS);
    const { total, storage, fetching, own } = inUse;
    stage.note(
      `medians of the ${COUNTED_RUNS} fastest of ${RUNS}: ${total} ms; storage ${storage}, fetch() ${fetching}, ` +
        `own ${own}; a page that was never used ${justLoaded.total}, own ${justLoaded.own}`,
    );
    // A limit of milliseconds is for a machine that has nothing else to do; CI's form prints the figures.
    if (stage.form.engine !== "chromium" || stage.form.isShort) return;
    for (const { total, own } of [inUse, justLoaded]) {
      if (Number(total) >= MAX_TOTAL_MS) throw new Error(`the exit handler takes ${total} ms`);
      if (Number(own) >= MAX_OWN_MS) throw new Error(`the exit handler's own work takes ${own} ms`);
    }
  },
}];

/** Times the exit of pages that were in use for a while; in milliseconds with two decimals. */
async function measure(stage: Stage, useMs: number): Promise<Record<"total" | "storage" | "fetching" | "own", string>> {
  const times: ExitTime[] = [];
  for (let run = 0; run < RUNS; run++) {
    stage.injector.plan(always({ kind: "answer", status: 202 }));
    const tab = await stage.open("/timed");
    if (useMs) {
      await tab.evaluate(`Vendor.step("used")`);
      await pause(useMs);
      await tab.evaluate(`Vendor.flush()`);
    }
    // Not left open: connections of pages that are gone would be in the next one's way.
    stage.injector.plan(always({ kind: "answer", status: 401 }));
    times.push(await tab.evaluate<ExitTime>(QUEUE_AND_GO));
    await tab.evaluate("localStorage.clear()");
    await tab.close();
  }
  const fastest = times.sort((a, b) => a.totalMs - b.totalMs).slice(0, COUNTED_RUNS);
  const middle = (pick: (time: ExitTime) => number): string => median(fastest.map(pick)).toFixed(2);
  return {
    total: middle(({ totalMs }) => totalMs),
    storage: middle(({ storageMs }) => storageMs),
    fetching: middle(({ fetchMs }) => fetchMs),
    own: middle(({ totalMs, storageMs, fetchMs }) => totalMs - storageMs - fetchMs),
  };
}
