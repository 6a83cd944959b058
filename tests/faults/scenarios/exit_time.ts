import { startBareChromium } from "../../browser/bare_chromium.ts";
import { script } from "../../browser/html.ts";
import { always } from "../fault.ts";
import { KEY } from "../injector.ts";
import { MEASURE_SCRIPT, type Measured, median } from "../measures.ts";
import { poll } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Events that are queued when the page goes. */
const EVENTS = 1000;

/**
 * Runs, each in a page of its own, since a page goes once. The fastest count: what slows a run down is the rest of the
 * machine.
 */
const RUNS = 21;
const COUNTED_RUNS = 5;

/** How long the browser is left to finish loading a page, in milliseconds. */
const LOADING_MS = 500;

/** How long a page is in use before it goes, in milliseconds: it has saved an event and looked for those of others. */
const USE_MS = 1500;

/** Longest time for all runs, in milliseconds. */
const LIMIT_MS = 120_000;

/** Most that the handler may take in Chromium, and its own part without storage and `fetch()`, in milliseconds. */
const MAX_TOTAL_MS = 5;
const MAX_OWN_MS = 2;

interface ExitTime extends Measured {
  readonly totalMs: number;
  /** Events that were on the device when the handler returned. */
  readonly saved: number;
}

interface RunOptions {
  readonly amount: number;
  readonly loadingMs: number;
  /** How long the page is in use; 0 if it never was. */
  readonly useMs: number;
}

/** Pages that are isolated have a clock of 5 microseconds; others one of 100, which is long beside a write. */
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** Does everything itself, since a driver's client makes `fetch()` and whatever calls it slower. */
const QUEUE_AND_GO = ({ amount, loadingMs, useMs }: RunOptions): void => {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => plainTimeout(resolve, ms));
  addEventListener("load", async () => {
    await pause(loadingMs);
    if (useMs) {
      Vendor.step("used");
      await pause(useMs);
      await Vendor.flush();
    }
    await fetch("/going");
    for (let index = 0; index < amount; index++) Vendor.step("small", { index });
    measured.storageMs = measured.fetchMs = 0;
    const event = new PageTransitionEvent("pagehide"); // the browser has it at hand
    const startMs = performance.now();
    dispatchEvent(event);
    const totalMs = performance.now() - startMs;
    const entries = Object.entries(localStorage).filter(([key]) => key.startsWith("vendor.sdk.outbox."));
    const saved = entries.reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0);
    const body = JSON.stringify({ ...measured, totalMs, saved });
    await Vendor.flush();
    location.href = await (await fetch("/gone", { method: "POST", body })).text();
  });
};

/** How long a page that goes is held up. */
export const EXIT_TIME: readonly Scenario[] = [{
  id: "12",
  title: "time of the exit handler with 1,000 queued events",
  async run(stage) {
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
  const { injector, site, form } = stage;
  const times: ExitTime[] = [];
  // Each page is of another site, so that a browser that keeps those apart has compiled nothing of it before.
  const nextUrl = (): string =>
    site.origin.replace(/127\.0\.0\.1|localhost/, `run${times.length}.localhost`) + "/timed";
  site.serve("/timed", {
    before: MEASURE_SCRIPT,
    after: script((config) => Vendor.init(config), {
      apiKey: KEY,
      endpoint: injector.endpoint,
      flushInterval: 60_000,
    }) + script(QUEUE_AND_GO, { amount: EVENTS, loadingMs: LOADING_MS, useMs }),
  }, ISOLATION);
  site.handle("/going", () => {
    // The rest isn't sent: connections of pages that are gone would be in the next one's way.
    injector.plan(always({ kind: "answer", status: 401 }));
    return new Response();
  });
  site.handle("/gone", async (request) => {
    times.push(await request.json());
    injector.plan(always({ kind: "answer", status: 202 }));
    return new Response(times.length < RUNS ? nextUrl() : "/plain");
  });
  injector.plan(always({ kind: "answer", status: 202 }));
  const browser = form.engine === "chromium" ? await startBareChromium(nextUrl()) : await stage.visitor.open(nextUrl());
  const isOver = await poll(() => times.length === RUNS, LIMIT_MS);
  await browser.close();
  if (!isOver) throw new Error(`only ${times.length} pages went`);
  const [first] = times.filter(({ saved }) => saved !== EVENTS);
  if (first) throw new Error(`only ${first.saved} events were saved`);
  const fastest = times.sort((a, b) => a.totalMs - b.totalMs).slice(0, COUNTED_RUNS);
  const middle = (pick: (time: ExitTime) => number): string => median(fastest.map(pick)).toFixed(2);
  return {
    total: middle(({ totalMs }) => totalMs),
    storage: middle(({ storageMs }) => storageMs),
    fetching: middle(({ fetchMs }) => fetchMs),
    own: middle(({ totalMs, storageMs, fetchMs }) => totalMs - storageMs - fetchMs),
  };
}
