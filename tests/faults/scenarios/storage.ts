import { script } from "../../browser/html.ts";
import { pause } from "../pauses.ts";
import { type Scenario, UNHEARD } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Events of a visit. */
const EVENTS = 30;

/** Events that a page makes as it's closed leave with it alone: none is under way before. */
const UNHURRIED = { flushInterval: 1000 };

/** An hour, in milliseconds. */
const HOUR_MS = 3_600_000;

/** Fills the storage of the origin to the last byte, as another script of the site may. */
const FILL = script(() => {
  let size = 1_000_000;
  for (let index = 0; size >= 1; index++) {
    try {
      localStorage.setItem(`app${index}`, "x".repeat(size));
    } catch {
      size = Math.floor(size / 2); // full for this size
    }
  }
});

const setClock = (offsetMs: number): string => script((offsetMs: number) => setClock(offsetMs), offsetMs);

/** The server is away for a moment while the page lives, and away again when it's closed. */
async function visitWithoutStorage(stage: Stage, reason: string): Promise<void> {
  const tab = await stage.open();
  await stage.injector.away();
  await stage.track(tab, EVENTS);
  await pause(2000);
  await stage.injector.back();
  await stage.untilStored(20_000);
  await stage.track(tab, EVENTS);
  await tab.close(); // the server is there: these leave with the page
  await stage.untilStored(5000);
  const last = await stage.open();
  await stage.injector.away();
  stage.excuse(await stage.track(last, EVENTS), reason);
  await last.close();
  await stage.backAfterExit();
  await stage.open();
}

/** Scenario 8: the device. */
export const STORAGE: readonly Scenario[] = [
  {
    id: "8a",
    title: "storage full; away in between, and away at the last close",
    async run(stage) {
      stage.serve("/", { config: UNHURRIED, parts: { before: FILL } });
      await visitWithoutStorage(
        stage,
        "nothing can be kept in a full storage: what the last page held is gone with it",
      );
    },
  },
  {
    id: "8b",
    title: "storage blocked; away in between, and away at the last close",
    async run(stage) {
      stage.serve("/", { config: UNHURRIED, page: { isStorageBlocked: true } });
      await visitWithoutStorage(
        stage,
        "nothing can be kept in a blocked storage: what the last page held is gone with it",
      );
    },
  },
  {
    id: "8c",
    title: "storage emptied by the visitor between two visits",
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      stage.excuse(await stage.track(tab, EVENTS), "the visitor erased what the first visit kept");
      await tab.close();
      const other = await stage.open("/plain");
      await other.evaluate("localStorage.clear()");
      await stage.injector.back();
      await stage.track(await stage.open(), EVENTS);
    },
  },
  {
    id: "8d",
    title: "the clock moved an hour forward during a visit, and back before the next one",
    repeats: UNHEARD,
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      await stage.track(tab, EVENTS);
      await pause(1500);
      await tab.evaluate(setClock(HOUR_MS));
      await stage.track(tab, EVENTS);
      await pause(1500);
      await tab.close();
      await stage.backAfterExit();
      await stage.open();
    },
  },
  {
    id: "8e",
    title: "the clock moved an hour back during a visit, and forward before the next one",
    repeats: UNHEARD,
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      await stage.track(tab, EVENTS);
      await pause(1500);
      await tab.evaluate(setClock(-HOUR_MS));
      await stage.track(tab, EVENTS);
      await pause(1500);
      await tab.close();
      await stage.backAfterExit();
      await stage.open();
    },
  },
  {
    id: "8f",
    title: "the clock moved an hour forward and back while the server is away and the page lives",
    async run(stage) {
      const tab = await stage.open();
      await stage.injector.away();
      for (const offsetMs of [HOUR_MS, 0, -HOUR_MS, 0]) {
        await stage.track(tab, EVENTS);
        await tab.evaluate(setClock(offsetMs));
        await pause(500);
      }
      await stage.injector.back();
    },
  },
];
