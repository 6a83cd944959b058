import type { Row } from "../row.ts";
import { pause, withSession } from "../session.ts";

const THROTTLE = 4;
const QUEUED = 100;

/** What happens to a page, page hide excepted. */
const HANDLERS: Readonly<Record<string, string>> = {
  storage: `dispatchEvent(new StorageEvent("storage", { key: "other" }))`,
  push: `history.pushState(null, "", "?" + Math.random())`,
  pop: `dispatchEvent(new PopStateEvent("popstate"))`,
  step: `sdk.track("bench_event", buildProperties(1))`,
  visible: `document.dispatchEvent(new Event("visibilitychange"))`,
  online: `dispatchEvent(new Event("online"))`,
};
/** Enough for any of the steps to fill a batch, of which the longest is taken. */
const STEPS = 50;
const REST_MS = 150;

/** The longest that an event handler keeps the page busy on a slow processor, with events that wait for their retry. */
export const HANDLERS_ROW: Row = {
  id: "handlers",
  columns: Object.keys(HANDLERS).map((name) => ({
    figure: `handler-${name}`,
    title: `CPU of a handler at 4x throttle: ${name}, ms`,
    reference: "no-op",
    digits: 1,
  })),
  measure: (subject, bench) =>
    withSession(subject, bench, async ({ page, collector, settle, burst, throttle }) => {
      await settle();
      collector.setMode("refuse");
      await burst(QUEUED);
      await throttle(THROTTLE);
      const figures: Record<string, number> = {};
      for (const [name, code] of Object.entries(HANDLERS)) {
        await pause(REST_MS);
        let longest = 0;
        for (let i = 0; i < (name === "step" ? STEPS : 1); i++) {
          const beforeMs = await page.readCpuMs();
          await page.evaluate(`void ${code}`);
          longest = Math.max(longest, await page.readCpuMs() - beforeMs);
        }
        figures[`handler-${name}`] = longest;
      }
      return figures;
    }),
};
