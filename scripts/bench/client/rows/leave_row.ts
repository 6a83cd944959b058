import type { Row } from "../row.ts";
import { withSession } from "../session.ts";

const AMOUNT = 30;
const LIMITS = { quietMs: 2500, maxMs: 6000 };

/** The visitor closes the tab right after some events. */
export const LEAVE_ROW: Row = {
  id: "leave",
  columns: [{ figure: "left", title: `arrived of ${AMOUNT} when the tab is closed`, pick: "worst" }],
  isFor: ({ id }) => id !== "no-op",
  measure: (subject, bench) =>
    withSession(subject, bench, async ({ page, collector, settle, burst }) => {
      await settle();
      await burst(AMOUNT);
      await page.closeTab();
      await collector.drain(AMOUNT, LIMITS);
      return { left: collector.countArrived() };
    }),
};
