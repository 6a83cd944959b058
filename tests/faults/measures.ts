import type { Client } from "../../src/client/mod.ts";
import { script } from "../browser/html.ts";

declare global {
  /** The client of a page that is flooded. */
  var client: Client;
  /** What a page with {@linkcode MEASURE_SCRIPT} measured. */
  var measured: Measured;
  /** The page's own timer, which isn't measured. */
  var plainTimeout: typeof setTimeout;
  /** Whether a flood is over. */
  var isFlooded: boolean;
  /** Runs V8's garbage collection, where Chromium exposes it. */
  var gc: (() => void) | undefined;
}

/** Times of what the SDK does, in milliseconds. */
export interface Measured {
  /** Longest task, of a timer or a call. */
  longestMs: number;
  /** What was written to storage. */
  storageMs: number;
  /** Calls of `fetch`. */
  fetchMs: number;
  /** Longest time for which the machine left a thread of the page waiting that had nothing to do but tick. */
  stallMs: number;
  /** Tasks over 50 ms that the browser reports, whoever caused them (Long Tasks API; Chromium only). */
  longTasks: number;
}

/** Runs before the SDK, and times what it does in timers, in storage and in `fetch`. */
export const MEASURE_SCRIPT: string = script(() => {
  const measured = { longestMs: 0, stallMs: 0, storageMs: 0, fetchMs: 0, longTasks: 0 };
  const { setTimeout, fetch } = globalThis;
  const { setItem } = Storage.prototype;
  globalThis.measured = measured;
  globalThis.plainTimeout = setTimeout.bind(globalThis) as typeof setTimeout;
  globalThis.setTimeout = ((callback: () => void, delayMs: number) =>
    plainTimeout(() => {
      const startMs = performance.now();
      callback();
      measured.longestMs = Math.max(measured.longestMs, performance.now() - startMs);
    }, delayMs)) as typeof setTimeout;
  Storage.prototype.setItem = function (key, value) {
    const startMs = performance.now();
    try {
      setItem.call(this, key, value);
    } finally {
      measured.storageMs += performance.now() - startMs;
    }
  };
  globalThis.fetch = (input, init) => {
    const startMs = performance.now();
    const answer = fetch(input, init);
    measured.fetchMs += performance.now() - startMs;
    return answer;
  };
  const tick = (): void => {
    let lastMs = performance.now();
    setInterval(() => {
      const nowMs = performance.now();
      if (nowMs - lastMs > 10) postMessage(nowMs - lastMs);
      lastMs = nowMs;
    }, 5);
  };
  const worker = new Worker(URL.createObjectURL(new Blob([`(${tick})()`], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => {
    measured.stallMs = Math.max(measured.stallMs, data);
  };
  if (PerformanceObserver.supportedEntryTypes.includes("longtask")) {
    new PerformanceObserver((list) => {
      measured.longTasks += list.getEntries().length;
    }).observe({ type: "longtask" });
  }
});

/** How a page is flooded. */
export interface FloodOptions {
  /** Number of the first event's name. */
  readonly first: number;
  /** Events. */
  readonly amount: number;
  /** Steps of a millisecond. */
  readonly perMs: number;
  /** Characters of a text in every event. */
  readonly characters: number;
}

/** Starts to call `step()` at a rate; `isFlooded` says when all calls were made. */
export function buildFlood(options: FloodOptions): string {
  return script(({ first, amount, perMs, characters }: FloodOptions) => {
    globalThis.isFlooded = false;
    const properties = characters > 0 ? { text: "x".repeat(characters) } : { index: 1 };
    const startMs = performance.now();
    let done = 0;
    const run = (): void => {
      const taskMs = performance.now();
      // After a stall of the machine no more than 20 ms are made up for in a task.
      const due = Math.min(amount, Math.floor((taskMs - startMs) * perMs), done + 20 * perMs);
      while (done < due) client.step(`event ${first + done++}`, properties);
      measured.longestMs = Math.max(measured.longestMs, performance.now() - taskMs);
      if (done < amount) plainTimeout(run, 1);
      else globalThis.isFlooded = true;
    };
    run();
  }, options);
}

/** Returns the middle one of some numbers. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
