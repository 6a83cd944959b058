import { script } from "../../browser/html.ts";
import { always } from "../fault.ts";
import { KEY } from "../injector.ts";
import { MEASURE_SCRIPT, type Measured, median } from "../measures.ts";
import type { Scenario } from "../scenario.ts";

/** Events that are queued when the page goes. */
const EVENTS = 1000;

/**
 * Runs, each in a tab of its own: a real exit runs the handler once, and cold. The fastest count, since what slows a
 * run down is the rest of the machine.
 */
const RUNS = 15;
const COUNTED_RUNS = 5;

/** Most that the handler may take in Chromium, and its own part without storage and `fetch()`, in milliseconds. */
const MAX_TOTAL_MS = 5;
const MAX_OWN_MS = 2;

interface ExitTime extends Measured {
  readonly totalMs: number;
}

const QUEUE_AND_GO = script((amount: number): ExitTime => {
  for (let index = 0; index < amount; index++) Vendor.step("small", { index });
  measured.storageMs = measured.fetchMs = 0;
  const startMs = performance.now();
  dispatchEvent(new PageTransitionEvent("pagehide"));
  return { ...measured, totalMs: performance.now() - startMs };
}, EVENTS);

/** How long a page that goes is held up. */
export const EXIT_TIME: readonly Scenario[] = [{
  id: "12",
  title: "time of the exit handler with 1,000 queued events",
  async run(stage) {
    stage.injector.plan(always({ kind: "hang" }));
    stage.site.serve("/timed", {
      before: MEASURE_SCRIPT,
      after: script((config) => Vendor.init(config), {
        apiKey: KEY,
        endpoint: stage.injector.endpoint,
        flushInterval: 60_000,
      }),
    });
    const times: ExitTime[] = [];
    for (let run = 0; run < RUNS; run++) {
      const tab = await stage.open("/timed");
      times.push(await tab.evaluate<ExitTime>(QUEUE_AND_GO));
      await tab.evaluate("localStorage.clear()");
      await tab.close();
    }
    const fastest = times.sort((a, b) => a.totalMs - b.totalMs).slice(0, COUNTED_RUNS);
    const [total, storage, fetching, own] = [
      median(fastest.map(({ totalMs }) => totalMs)),
      median(fastest.map(({ storageMs }) => storageMs)),
      median(fastest.map(({ fetchMs }) => fetchMs)),
      median(fastest.map(({ totalMs, storageMs, fetchMs }) => totalMs - storageMs - fetchMs)),
    ].map((ms) => ms.toFixed(2));
    stage.note(
      `medians of the ${COUNTED_RUNS} fastest of ${RUNS}: ${total} ms; storage ${storage}, fetch() ${fetching}, own ${own}`,
    );
    // A limit of milliseconds is for a machine that has nothing else to do; CI's form prints the figures.
    if (stage.form.engine !== "chromium" || stage.form.isShort) return;
    if (Number(total) >= MAX_TOTAL_MS) throw new Error(`the exit handler takes ${total} ms`);
    if (Number(own) >= MAX_OWN_MS) throw new Error(`the exit handler's own work takes ${own} ms`);
  },
}];
