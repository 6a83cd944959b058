import { script } from "../../browser/html.ts";
import type { Tab } from "../engines/engine.ts";
import { always } from "../fault.ts";
import { pause, poll } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { COUNT_RESTORES } from "./bfcache.ts";

/** Events before the denial. */
const EVENTS = 20;

/** Longest wait for a request, in milliseconds. */
const LIMIT_MS = 5000;

/** How long nothing may be sent after a denial, in milliseconds: several waits of a retry. */
const SILENCE_MS = 3000;

/** How often a page is left until the browser keeps it. */
const MAX_TRIES = 4;

const DENY = script(() => Vendor.setConsent("denied"));

/** Tracks events that a denial is going to forbid, and waits until they were tried. */
async function trackDoomed(stage: Stage, tab: Tab): Promise<void> {
  const before = stage.injector.attempts.length;
  stage.forbid(await stage.track(tab, EVENTS));
  if (!await poll(() => stage.injector.attempts.length > before, LIMIT_MS)) throw new Error("nothing was sent");
}

/** Lets the server work again, and fails if anything is sent or anything is on the device. */
async function expectSilence(stage: Stage, ...tabs: readonly Tab[]): Promise<void> {
  await pause(100);
  const before = stage.injector.attempts.length;
  stage.injector.plan();
  await stage.injector.back();
  for (const tab of tabs) stage.forbid(await stage.track(tab, EVENTS));
  await pause(SILENCE_MS);
  for (const tab of tabs) {
    const keys = await stage.readKeys(tab);
    if (keys.length > 0) throw new Error(`left on the device: ${keys.join(", ")}`);
  }
  for (const tab of tabs) await tab.close();
  const plain = await stage.open("/plain");
  const keys = await stage.readKeys(plain);
  if (keys.length > 0) throw new Error(`left on the device after the tabs were closed: ${keys.join(", ")}`);
  await stage.open(); // granted again: it must find nothing
  await pause(1000);
  const sent = stage.injector.attempts.length - before;
  if (sent > 0) throw new Error(`${sent} requests after the denial`);
}

/** Leaves a page, denies, and comes back; undefined if the browser didn't keep the page, as a busy one may. */
async function denyWhileCached(stage: Stage): Promise<Tab | undefined> {
  const { injector, site } = stage;
  const before = injector.attempts.length;
  const tab = await stage.open();
  stage.forbid(await stage.track(tab, EVENTS));
  await tab.goto(`${site.origin}/other`);
  if (!await poll(() => injector.attempts.length > before, LIMIT_MS)) throw new Error("nothing was sent");
  await tab.evaluate(DENY);
  await tab.back("/");
  if (await tab.evaluate("restores") === 1) return tab;
  await tab.close();
}

/** Scenario 9: denial is a hard stop. */
export const CONSENT: readonly Scenario[] = [
  {
    id: "9a",
    title: "denied during a backoff",
    async run(stage) {
      stage.injector.plan(always({ kind: "answer", status: 503 }));
      const tab = await stage.open();
      await trackDoomed(stage, tab);
      await pause(1500); // the first failure has been written to the device by now
      await tab.evaluate(DENY);
      await expectSilence(stage, tab);
    },
  },
  {
    id: "9b",
    title: "denied during a hanging request",
    async run(stage) {
      stage.injector.plan(always({ kind: "delay", ms: 1500 }));
      const tab = await stage.open();
      await trackDoomed(stage, tab);
      await tab.evaluate(DENY);
      if (!await poll(() => stage.injector.attempts.every(({ isAborted }) => isAborted), LIMIT_MS)) {
        throw new Error("the request wasn't broken off");
      }
      await expectSilence(stage, tab);
    },
  },
  {
    id: "9c",
    title: "denied at the next visit",
    async run(stage) {
      stage.serve("/denied", { config: { consent: "denied" } });
      const tab = await stage.open();
      await stage.injector.away();
      stage.forbid(await stage.track(tab, EVENTS));
      await pause(1500);
      await tab.close();
      const next = await stage.open("/denied");
      await expectSilence(stage, next);
    },
  },
  {
    id: "9d",
    title: "denied in one of two tabs",
    async run(stage) {
      stage.injector.plan(always({ kind: "answer", status: 503 }));
      const [first, second] = [await stage.open(), await stage.open()];
      await trackDoomed(stage, first);
      await trackDoomed(stage, second);
      await pause(1500);
      await first.evaluate(DENY);
      await expectSilence(stage, first, second);
    },
  },
  {
    id: "9e",
    title: "denied while a page with a hanging request is in the back/forward cache",
    async run(stage) {
      stage.injector.plan(always({ kind: "hang" }));
      // Firefox keeps a page only if nothing is under way as it's left: here the request is made at that moment.
      stage.serve("/", { config: { flushInterval: 60_000 }, parts: { after: COUNT_RESTORES } });
      stage.serve("/other");
      let tab: Tab | undefined;
      for (let tries = 0; !tab && tries < MAX_TRIES; tries++) tab = await denyWhileCached(stage);
      if (!tab) throw new Error("not from the back/forward cache");
      await expectSilence(stage, tab);
    },
  },
];
