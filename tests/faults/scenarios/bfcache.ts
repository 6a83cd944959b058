import { script } from "../../browser/html.ts";
import { always } from "../fault.ts";
import { pause, poll } from "../pauses.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** Events before every departure. */
const EVENTS = 10;

/** Longest wait for a request, in milliseconds. */
const LIMIT_MS = 5000;

/** Counts how often the page came from the back/forward cache. */
export const COUNT_RESTORES: string = script(() => {
  Object.assign(globalThis, { restores: 0 });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) Object.assign(globalThis, { restores: Reflect.get(globalThis, "restores") + 1 });
  });
});

/** Returns how often the page came from the back/forward cache. `isLate`: nothing is sent before it's left. */
async function leaveTwice(stage: Stage, isLate: boolean): Promise<number> {
  const { injector, site } = stage;
  stage.serve("/", { config: { flushInterval: isLate ? 60_000 : 200 }, parts: { after: COUNT_RESTORES } });
  const tab = await stage.open();
  for (let round = 0; round < 2; round++) {
    injector.plan(always({ kind: "hang" }));
    const before = injector.attempts.length;
    await stage.track(tab, EVENTS);
    if (!isLate) await poll(() => injector.attempts.length > before, LIMIT_MS);
    await tab.goto(`${site.origin}/plain`);
    await poll(() => injector.attempts.length > before, LIMIT_MS);
    await pause(500);
    if (isLate || round === 1) injector.plan();
    await tab.back("/");
    await pause(500);
  }
  const restores = await tab.evaluate<number>("restores");
  stage.note(`${restores} of 2 returns from the back/forward cache`);
  return restores;
}

/** Scenario 7: the back/forward cache. */
export const BFCACHE: readonly Scenario[] = [
  {
    id: "7a",
    title: "left with requests hanging, and back, twice",
    async run(stage) {
      // Firefox keeps no page that has a request under way as it's left.
      const restores = await leaveTwice(stage, false);
      if (restores < 2 && stage.form.engine !== "firefox") throw new Error("not from the back/forward cache");
    },
  },
  {
    id: "7b",
    title: "left with events queued, the last request hangs, and back, twice",
    async run(stage) {
      const restores = await leaveTwice(stage, true);
      if (restores < 2) throw new Error("not from the back/forward cache");
    },
  },
  {
    id: "7c",
    title: "left with requests hanging, and closed while in the back/forward cache",
    async run(stage) {
      stage.injector.plan(always({ kind: "hang" }));
      const tab = await stage.open();
      await stage.track(tab, EVENTS);
      await poll(() => stage.injector.attempts.length > 0, LIMIT_MS);
      await tab.goto(`${stage.site.origin}/plain`);
      await poll(() => stage.injector.attempts.length > 1, LIMIT_MS); // the exit's own request hangs as well
      await tab.close();
      stage.injector.plan();
      await stage.open();
    },
  },
];
