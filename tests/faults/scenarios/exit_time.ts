import { script } from "../../browser/html.ts";
import { always } from "../fault.ts";
import { KEY } from "../injector.ts";
import { MEASURE_SCRIPT, type Measured, median } from "../measures.ts";
import type { Scenario } from "../scenario.ts";

/** Events that are queued when the page goes. */
const EVENTS = 1000;

/** Runs, each in a tab of its own: a real exit runs the handler once, and cold. */
const RUNS = 9;

/** Most that the handler, and its own part of that, may take in Chromium, in milliseconds. */
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
    const total = median(times.map(({ totalMs }) => totalMs));
    const own = median(times.map(({ totalMs, storageMs }) => totalMs - storageMs));
    const fetching = median(times.map(({ fetchMs }) => fetchMs));
    stage.note(
      `medians of ${RUNS}: ${total.toFixed(2)} ms, without the storage write ${own.toFixed(2)} ms, of which fetch() ${
        fetching.toFixed(2)
      } ms`,
    );
    if (stage.form.engine !== "chromium") return;
    if (total >= MAX_TOTAL_MS) throw new Error(`the exit handler takes ${total.toFixed(2)} ms`);
    if (own >= MAX_OWN_MS) throw new Error(`the exit handler's own work takes ${own.toFixed(2)} ms`);
  },
}];
