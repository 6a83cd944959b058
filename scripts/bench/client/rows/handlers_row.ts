import type { Row } from "../row.ts";
import { pause, withSession } from "../session.ts";

const THROTTLE = 4;
const QUEUED = 100;
/** Steps that are timed, each by itself, after so many others: a batch of any size up to 100 is full within them. */
const FILLING = 70;
const BEFORE_FILLING = 40;

const STEP = `sdk.track("bench_event", buildProperties(1))`;

/** What happens to a page, page hide excepted. */
const HANDLERS: Readonly<Record<string, string>> = {
  storage: `dispatchEvent(new StorageEvent("storage", { key: "other" }))`,
  push: `history.pushState(null, "", "?" + Math.random())`,
  pop: `dispatchEvent(new PopStateEvent("popstate"))`,
  step: STEP,
  visible: `document.dispatchEvent(new Event("visibilitychange"))`,
  online: `dispatchEvent(new Event("online"))`,
};
const REST_MS = 150;

/** The longest that an event handler keeps the page busy on a slow processor, with events that wait for their retry. */
export const HANDLERS_ROW: Row = {
  id: "handlers",
  columns: ["full", ...Object.keys(HANDLERS)].map((name) => ({
    figure: `handler-${name}`,
    title: `handler at 4x throttle: ${name === "full" ? "step that fills a batch" : name}, ms`,
    digits: 1,
    pick: "best",
  })),
  measure: (subject, bench) =>
    withSession(subject, bench, async ({ page, collector, settle, burst, throttle }) => {
      const time = (code: string, times: number): Promise<number> =>
        page.evaluate(`(() => {
          let longest = 0;
          for (let i = 0; i < ${times}; i++) {
            const startMs = performance.now();
            ${code};
            longest = Math.max(longest, performance.now() - startMs);
          }
          return longest;
        })()`);
      const figures: Record<string, number> = {};
      await settle();
      await throttle(THROTTLE);
      await burst(BEFORE_FILLING);
      await pause(REST_MS);
      figures["handler-full"] = await time(STEP, FILLING);
      await pause(REST_MS);
      collector.setMode("refuse");
      await burst(QUEUED);
      for (const [name, code] of Object.entries(HANDLERS)) {
        await pause(REST_MS);
        figures[`handler-${name}`] = await time(code, 1);
      }
      return figures;
    }),
};
