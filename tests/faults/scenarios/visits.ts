import { pause } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";

/** Events of the visit during which the server is away. */
const EVENTS = 30;

/** Text of an event of 30,000 bytes: three bytes a character, and twenty make 600 KB. */
const TEXT = "語".repeat(10_000);

/** Scenarios 3 and 4: what a visit leaves is sent by the next one. */
export const VISITS: readonly Scenario[] = [
  {
    id: "3a",
    title: "the server away for a whole visit, then a new visit",
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      await stage.track(tab, EVENTS);
      await pause(3000);
      await tab.close();
      await stage.injector.back();
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
      await stage.injector.back();
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
    async run(stage) {
      const tab = await stage.open();
      await stage.track(tab, 20, { text: TEXT });
      await tab.close();
      await pause(1000);
      stage.note(`${stage.injector.stored.length} arrived before the new visit`);
      await stage.openLater(); // Firefox ends a handler that takes as long as this now and then, and the lease stays
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
      await stage.injector.back();
      await stage.openLater();
    },
  },
];
