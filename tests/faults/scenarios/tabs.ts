import type { Tab } from "../engines/engine.ts";
import { pause } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Bursts of events in every tab, and events of a burst. */
const BURSTS = 6;
const EVENTS = 10;

/** Lets the server go and come back until it's told to stop; it's there in the end. */
function flap({ injector, random }: Stage): () => Promise<void> {
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      await injector.away();
      await pause(random.between(200, 900));
      await injector.back();
      await pause(random.between(100, 600));
    }
  };
  const flapping = run();
  return () => {
    isOver = true;
    return flapping;
  };
}

async function useTabs(stage: Stage, amount: number): Promise<void> {
  const tabs: Tab[] = [];
  for (let index = 0; index < amount; index++) tabs.push(await stage.open());
  const settle = flap(stage);
  for (let burst = 0; burst < BURSTS; burst++) {
    for (const tab of tabs) {
      await stage.track(tab, EVENTS);
      await pause(stage.random.between(0, 200));
    }
  }
  await settle();
  await stage.injector.away();
  const [first, ...others] = stage.random.shuffle(tabs);
  await first?.close();
  const reopened = await stage.open();
  await stage.track(reopened, EVENTS);
  for (const tab of others) {
    await stage.track(tab, EVENTS);
    await tab.close();
  }
  await pause(500);
  await reopened.close();
  await stage.backAfterExit();
  await stage.open();
}

/** Scenario 5: several tabs share what is left. */
export const TABS: readonly Scenario[] = [
  {
    id: "5a",
    title: "two tabs on a flapping server, closed during the outage, one reopened",
    run: (stage) => useTabs(stage, 2),
  },
  {
    id: "5b",
    title: "five tabs on a flapping server, closed during the outage, one reopened",
    run: (stage) => useTabs(stage, 5),
  },
  {
    id: "5c",
    title: "three tabs see the server come back while a fourth one opens, and all live on",
    async run(stage) {
      const tabs = [await stage.open(), await stage.open(), await stage.open()];
      await stage.injector.away();
      for (const tab of tabs) await stage.track(tab, EVENTS);
      await pause(2500);
      await stage.injector.back();
      await stage.track(await stage.open(), EVENTS);
    },
  },
];
