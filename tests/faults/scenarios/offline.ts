import { pause } from "../pauses.ts";
import { type Scenario, UNHEARD } from "../scenario.ts";

/** Events before, during and after the time without a network. */
const EVENTS = 20;

/** Scenario 6: no network. */
export const OFFLINE: readonly Scenario[] = [
  {
    id: "6a",
    title: "offline for 10 s in the middle of a visit",
    repeats: "an answer that is under way is lost with the network",
    async run(stage) {
      const tab = await stage.open();
      await stage.track(tab, EVENTS);
      await stage.visitor.setOffline(true);
      for (let second = 0; second < 10; second++) {
        await stage.track(tab, EVENTS);
        await pause(1000);
      }
      await stage.visitor.setOffline(false);
      await stage.track(tab, EVENTS);
    },
  },
  {
    id: "6b",
    title: "offline at close, online at the next visit",
    repeats: UNHEARD,
    async run(stage) {
      const tab = await stage.open();
      await stage.track(tab, EVENTS);
      await stage.visitor.setOffline(true);
      await stage.track(tab, EVENTS);
      await tab.close();
      await stage.visitor.setOffline(false);
      await stage.open();
    },
  },
];
