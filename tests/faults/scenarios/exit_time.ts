import { startBareChromium } from "../../browser/bare_chromium.ts";
import { script } from "../../browser/html.ts";
import { always, type Planner } from "../fault.ts";
import { KEY } from "../injector.ts";
import { MEASURE_SCRIPT, type Measured, median } from "../measures.ts";
import { poll } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/**
 * What the client has made of the events when the page goes: `finished` ones, a few tasks after their calls, or the
 * `drafts` of calls in the very task of the exit, which the handler has to finish.
 */
type EventForm = "finished" | "drafts";

/** What is queued when a page goes, and the most that its handlers may take in Chromium, in milliseconds. */
interface ExitCase {
  readonly id: string;
  readonly amount: number;
  readonly eventForm: EventForm;
  readonly maxMs: number;
}

const CASES: readonly ExitCase[] = [
  { id: "12a", amount: 50, eventForm: "finished", maxMs: 3 },
  { id: "12b", amount: 50, eventForm: "drafts", maxMs: 3 },
  { id: "12c", amount: 1000, eventForm: "finished", maxMs: 20 },
  { id: "12d", amount: 1000, eventForm: "drafts", maxMs: 20 },
];

/**
 * Runs, each in a page of its own, since a page goes once. The fastest count: what slows a run down is the rest of the
 * machine.
 */
const RUNS = 15;
const COUNTED_RUNS = 5;

/** Runs in CI's form, which has company, and so can only see whether all events are saved. */
const SHORT_RUNS = 1;

/** How long the browser is left to finish loading a page, in milliseconds. */
const LOADING_MS = 500;

/** How long a page is in use before it goes, in milliseconds: it has saved an event and looked for those of others. */
const USE_MS = 1500;

/** How long the client has to finish its events, in milliseconds: too short for it to save them as well. */
const FINISHING_MS = 50;

/** How long the requests of an exit are waited for, in milliseconds, before the page makes room for the next one. */
const LEAVING_MS = 1000;

/** Longest time for all runs, in milliseconds. */
const LIMIT_MS = 120_000;

interface ExitTime extends Measured {
  readonly totalMs: number;
  /** Events that were on the device when the handler returned. */
  readonly saved: number;
}

interface RunOptions {
  readonly amount: number;
  readonly loadingMs: number;
  /** How long the client has between the events and the exit; 0 for the same task. */
  readonly finishingMs: number;
  readonly leavingMs: number;
  /** How long the page is in use; 0 if it never was. */
  readonly useMs: number;
}

/** Pages that are isolated have a clock of 5 microseconds; others one of 100, which is long beside a write. */
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** Does everything itself, since a driver's client makes `fetch()` and whatever calls it slower. */
const QUEUE_AND_GO = ({ amount, loadingMs, useMs, finishingMs, leavingMs }: RunOptions): void => {
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
    if (finishingMs) await pause(finishingMs);
    measured.storageMs = measured.fetchMs = 0;
    const event = new PageTransitionEvent("pagehide"); // the browser has it at hand
    const startMs = performance.now();
    dispatchEvent(event);
    const totalMs = performance.now() - startMs;
    const entries = Object.entries(localStorage).filter(([key]) => key.startsWith("vendor.sdk.outbox."));
    const saved = entries.reduce((sum, [, text]) => sum + text.split(/"index\\*":/).length - 1, 0);
    const body = JSON.stringify({ ...measured, totalMs, saved });
    await Promise.race([Vendor.flush(), pause(leavingMs)]);
    location.href = await (await fetch("/gone", { method: "POST", body })).text();
  });
};

/**
 * Leaves a request that a full batch starts before the exit without an answer. The rest isn't stored: connections of
 * pages that are gone would be in the next one's way.
 */
function planExit(eventForm: EventForm): Planner {
  let isUnderWay = eventForm === "drafts"; // of those no request starts before the exit
  return ({ method }) => {
    if (method !== "POST") return undefined;
    if (isUnderWay) return { kind: "answer", status: 401 };
    isUnderWay = true;
    return { kind: "hang" };
  };
}

/** How long a page that goes is held up. */
export const EXIT_TIME: readonly Scenario[] = CASES.map((exitCase) => ({
  id: exitCase.id,
  title: `time of the exit handler with ${exitCase.amount.toLocaleString("en")} events, ${exitCase.eventForm}`,
  async run(stage) {
    const runs = stage.form.isShort ? SHORT_RUNS : RUNS;
    const justLoaded = await measure(stage, { ...exitCase, runs, useMs: 0 });
    const inUse = await measure(stage, { ...exitCase, runs, useMs: USE_MS });
    if (stage.form.isShort) return;
    const { total, storage, fetching, own } = inUse;
    stage.note(
      `medians of the ${COUNTED_RUNS} fastest of ${runs}: ${total} ms; storage ${storage}, fetch() ${fetching}, ` +
        `own ${own}; a page that was never used ${justLoaded.total}, own ${justLoaded.own}`,
    );
    if (stage.form.engine !== "chromium") return;
    for (const { total } of [inUse, justLoaded]) {
      if (Number(total) >= exitCase.maxMs) {
        throw new Error(`the exit handler takes ${total} ms, limit ${exitCase.maxMs}`);
      }
    }
  },
}));

interface MeasureOptions extends ExitCase {
  readonly runs: number;
  /** How long each page is in use; 0 if it never was. */
  readonly useMs: number;
}

/** Times the exit of pages; in milliseconds with two decimals. */
async function measure(
  { injector, site, form, visitor }: Stage,
  { amount, eventForm, runs, useMs }: MeasureOptions,
): Promise<Record<"total" | "storage" | "fetching" | "own", string>> {
  const finishingMs = eventForm === "finished" ? FINISHING_MS : 0;
  const times: ExitTime[] = [];
  // Each page is of another site: what one left on the device is none of another's, and a browser that keeps sites apart
  // has compiled nothing of it before.
  const nextUrl = (): string =>
    site.origin.replace(/127\.0\.0\.1|localhost/, `${useMs ? "used" : "new"}${times.length}.localhost`) + "/timed";
  site.serve("/timed", {
    before: MEASURE_SCRIPT,
    after: script((config) => Vendor.init(config), {
      apiKey: KEY,
      endpoint: injector.endpoint,
      flushInterval: 60_000,
    }) + script(QUEUE_AND_GO, { amount, loadingMs: LOADING_MS, useMs, finishingMs, leavingMs: LEAVING_MS }),
  }, ISOLATION);
  site.handle("/going", () => {
    injector.plan(planExit(eventForm));
    return new Response();
  });
  site.handle("/gone", async (request) => {
    times.push(await request.json());
    injector.plan(always({ kind: "answer", status: 202 }));
    return new Response(times.length < runs ? nextUrl() : "/plain");
  });
  injector.plan(always({ kind: "answer", status: 202 }));
  const browser = form.engine === "chromium" ? await startBareChromium(nextUrl()) : await visitor.open(nextUrl());
  const isOver = await poll(() => times.length === runs, LIMIT_MS);
  await browser.close();
  if (!isOver) throw new Error(`only ${times.length} pages went`);
  const other = times.find(({ saved }) => saved !== amount);
  if (other) throw new Error(`${other.saved} of ${amount} events were saved`);
  const fastest = times.sort((a, b) => a.totalMs - b.totalMs).slice(0, COUNTED_RUNS);
  const middle = (pick: (time: ExitTime) => number): string => median(fastest.map(pick)).toFixed(2);
  return {
    total: middle(({ totalMs }) => totalMs),
    storage: middle(({ storageMs }) => storageMs),
    fetching: middle(({ fetchMs }) => fetchMs),
    own: middle(({ totalMs, storageMs, fetchMs }) => totalMs - storageMs - fetchMs),
  };
}
