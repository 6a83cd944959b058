import type { Tab } from "../engines/engine.ts";
import { slowPreflight } from "../fault.ts";
import { poll } from "../pauses.ts";
import { type Scenario, UNHEARD } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Events of a round. */
const EVENTS = 30;

/** How long what left with the page may be under way, in milliseconds. */
const UNDER_WAY_MS = 1500;

/** How long the next visit may take to bring in what didn't, in milliseconds. */
const LATER_MS = 60_000;

/** Nothing but the page's end sends these events. */
const LATE = { config: { flushInterval: 60_000 } } as const;

/** Tracks and goes at once, as often as there are rounds; whatever didn't leave with the page comes with the next one. */
async function repeat(stage: Stage, leave: (tab: Tab) => Promise<void>, isClosed = false): Promise<void> {
  let arrived = 0;
  for (let round = 0; round < stage.form.rounds; round++) {
    const tab = await stage.open();
    const before = stage.injector.stored.length;
    await stage.track(tab, EVENTS);
    await leave(tab);
    await poll(() => stage.injector.stored.length >= before + EVENTS, UNDER_WAY_MS);
    // Not before: Chromium kills the process of a page that was left, its handlers half way, with the tab.
    if (!isClosed) await tab.close();
    arrived += stage.injector.stored.length - before;
  }
  expectArrivals(stage, arrived);
  await stage.open();
}

/** What the next visit brings in is late: most has to leave with the page. */
function expectArrivals({ form, note }: Stage, arrived: number): void {
  note(`${form.rounds} rounds, ${arrived} arrived before the next one`);
  if (arrived < form.rounds * EVENTS / 2) throw new Error(`only ${arrived} events left with their page`);
}

/** Scenario 1: thirty events, and the page goes at once. */
export const EXIT: readonly Scenario[] = [
  {
    id: "1a",
    title: "30 events, then the tab is closed",
    repeats: UNHEARD,
    async run(stage) {
      stage.serve("/", LATE);
      await repeat(stage, (tab) => tab.close(), true);
    },
  },
  {
    id: "1b",
    title: "30 events, then a navigation to another origin",
    repeats: UNHEARD,
    async run(stage) {
      stage.serve("/", LATE);
      await repeat(stage, (tab) => tab.goto(`${stage.otherSite.origin}/`));
    },
  },
  {
    id: "1c",
    title: "30 events, then a reload",
    repeats: UNHEARD,
    async run(stage) {
      stage.serve("/", LATE);
      await repeat(stage, (tab) => tab.reload());
    },
  },
  {
    id: "1d",
    title: "30 events of a first visit, then the tab is closed while the preflight takes 300 ms",
    repeats: UNHEARD,
    async run(stage) {
      stage.serve("/", LATE);
      const { injector, form } = stage;
      injector.plan(slowPreflight(300));
      let arrived = 0;
      for (let round = 0; round < form.rounds; round++) {
        await stage.replaceVisitor();
        const tab = await stage.open();
        const before = injector.stored.length;
        await stage.track(tab, EVENTS);
        await tab.close();
        await stage.untilStored(UNDER_WAY_MS);
        arrived += injector.stored.length - before;
        await stage.open();
        await stage.untilStored(LATER_MS);
      }
      expectArrivals(stage, arrived);
    },
  },
  {
    id: "1e",
    title: "30 events, then the page is hidden and shown again",
    async run(stage) {
      stage.serve("/", LATE);
      const tab = await stage.open();
      for (let round = 0; round < stage.form.rounds; round++) {
        await stage.track(tab, EVENTS);
        await tab.hide();
        await stage.untilStored(UNDER_WAY_MS);
        await tab.show();
      }
      stage.note(`${stage.form.rounds} rounds`);
    },
  },
];
