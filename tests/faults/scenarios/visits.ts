import { script } from "../../browser/html.ts";
import type { Tab } from "../engines/engine.ts";
import { always } from "../fault.ts";
import { pause } from "../pauses.ts";
import { type Scenario, UNHEARD } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Events of the visit during which the server is away. */
const EVENTS = 30;

/** Text of an event of 30,000 bytes: three bytes a character, and twenty make 600 KB. */
const TEXT = "語".repeat(10_000);

/** Events of 6 KB that are queued at a close: ten batches, of which the page takes one with it as it goes. */
const QUEUED_EVENTS = 99;
const QUEUED_TEXT = "x".repeat(5700);

/** How long a server takes for an answer that is still under way when the page goes, in milliseconds. */
const SLOW_MS = 1000;

/** Longest time from a load until everything is stored that the page before left, in milliseconds. */
const ADOPTION_LIMIT_MS = 5000;

/** How long a page stays in a walk through the site, how many there are, and by when everything is stored. */
const STAY_MS = 4000;
const LOADS = 4;
const LAST_LOAD = 2;

/** Returns how long ago the page was loaded, in milliseconds. */
const readAge = (tab: Tab): Promise<number> =>
  tab.evaluate(script(() => {
    const [entry] = performance.getEntriesByType("navigation");
    return performance.now() - (entry instanceof PerformanceNavigationTiming ? entry.loadEventStart : 0);
  }));

/** Tracks and closes the tab while the first request is under way, so that the rest is queued. */
async function closeWithQueue(stage: Stage): Promise<void> {
  stage.serve("/", { config: { flushInterval: 60_000 } });
  const tab = await stage.open();
  stage.injector.plan(always({ kind: "delay", ms: SLOW_MS }));
  await stage.track(tab, QUEUED_EVENTS, { text: QUEUED_TEXT });
  await tab.close();
  stage.injector.plan();
}

/** Scenarios 3 and 4: what a visit leaves is sent by the next one. */
export const VISITS: readonly Scenario[] = [
  {
    id: "3a",
    title: "the server away for a whole visit, then a new visit",
    repeats: UNHEARD,
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      await stage.track(tab, EVENTS);
      await pause(3000);
      await tab.close();
      await stage.backAfterExit();
      await stage.open();
    },
  },
  {
    id: "3b",
    title: "the server away, the renderer crashes 2 s after the last event, then a new visit",
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      await stage.track(tab, EVENTS);
      await pause(2000);
      await tab.crash();
      await stage.backAfterExit();
      await stage.openLater();
    },
  },
  {
    id: "3c",
    title: "the renderer crashes 2 s after the last event, before anything was sent",
    async run(stage) {
      stage.serve("/", { config: { flushInterval: 60_000 } });
      const tab = await stage.open();
      await stage.track(tab, EVENTS);
      await pause(2000);
      await tab.crash();
      await stage.openLater();
    },
  },
  {
    id: "4a",
    title: "600 KB of multi-byte text queued at close, then a new visit",
    repeats: UNHEARD,
    async run(stage) {
      const tab = await stage.open();
      await stage.track(tab, 20, { text: TEXT });
      await tab.close();
      await pause(1000);
      stage.note(`${stage.injector.stored.length} arrived before the new visit`);
      await stage.open();
    },
  },
  {
    id: "4b",
    title: "600 KB of multi-byte text queued while the server is away, then a new visit",
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      await stage.track(tab, 20, { text: TEXT });
      await tab.close();
      await stage.backAfterExit();
      await stage.open();
    },
  },
  {
    id: "4c",
    title: "99 events of 6 KB queued at close, then a page that stays",
    repeats: UNHEARD,
    async run(stage) {
      await closeWithQueue(stage);
      const tab = await stage.open();
      const leftMs = ADOPTION_LIMIT_MS - await readAge(tab);
      const arrived = stage.injector.stored.length;
      const isStored = await stage.untilStored(leftMs);
      const seconds = (await readAge(tab) / 1000).toFixed(1);
      stage.note(`${arrived} had arrived at the load, ${stage.injector.stored.length} ${seconds} s later`);
      if (!isStored) throw new Error(`not all arrived within ${ADOPTION_LIMIT_MS / 1000} s of the load`);
    },
  },
  {
    id: "4d",
    title: "99 events of 6 KB queued at close, then four pages of 4 s each",
    repeats: UNHEARD,
    async run(stage) {
      await closeWithQueue(stage);
      const arrived: number[] = [];
      let tab: Tab | undefined;
      for (let load = 1; load <= LOADS; load++) {
        if (tab) await tab.goto(`${stage.site.origin}/`);
        else tab = await stage.open();
        await pause(STAY_MS - await readAge(tab));
        arrived.push(stage.injector.stored.length);
      }
      stage.note(`arrived by the end of each: ${arrived.join(", ")}`);
      if (arrived[LAST_LOAD - 1] !== QUEUED_EVENTS) throw new Error(`not all arrived by the end of load ${LAST_LOAD}`);
    },
  },
];
