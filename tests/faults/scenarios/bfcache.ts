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
const COUNT_RESTORES = script(() => {
  Object.assign(globalThis, { restores: 0 });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) Object.assign(globalThis, { restores: Reflect.get(globalThis, "restores") + 1 });
  });
});

async function leaveTwice(stage: Stage): Promise<void> {
  const { injector, site } = stage;
  stage.serve("/", { parts: { after: COUNT_RESTORES } });
  injector.plan(always({ kind: "hang" }));
  const tab = await stage.open();
  for (let round = 0; round < 2; round++) {
    const before = injector.attempts.length;
    await stage.track(tab, EVENTS);
    await poll(() => injector.attempts.length > before, LIMIT_MS);
    await tab.goto(`${site.origin}/plain`);
    await pause(500);
    if (round === 1) injector.plan();
    await tab.back("/");
    await pause(500);
  }
  const restores = await tab.evaluate("restores");
  stage.note(`${restores} of 2 returns from the back/forward cache`);
}

/** Scenario 7: the back/forward cache. */
export const BFCACHE: readonly Scenario[] = [
  { id: "7a", title: "left with requests hanging, and back, twice", run: leaveTwice },
  {
    id: "7b",
    title: "left with requests hanging, and closed while in the back/forward cache",
    async run(stage) {
      stage.injector.plan(always({ kind: "hang" }));
      const tab = await stage.open();
      await stage.track(tab, EVENTS);
      await poll(() => stage.injector.attempts.length > 0, LIMIT_MS);
      await tab.goto(`${stage.site.origin}/plain`);
      await tab.close();
      stage.injector.plan();
      await stage.openLater();
    },
  },
];
