import type { Row } from "../row.ts";
import { pause, withSession } from "../session.ts";

/** A phone of the middle range, beside the machine of a developer. */
const THROTTLE = 4;
const REST_MS = 150;
const SETTLE_MS = 1000;

/** Import, evaluation and start on a page that never saw the SDK, on a slow processor. */
export const COLD_ROW: Row = {
  id: "cold",
  columns: [
    { figure: "cold", title: "cold start at 4x throttle, ms", reference: "no-op", digits: 1, pick: "best" },
    { figure: "coldCpu", title: "main-thread CPU until a second later, ms", reference: "no-op", digits: 1 },
  ],
  measure: (subject, bench) =>
    withSession(subject, bench, async ({ page, throttle, prefetch, start }) => {
      await prefetch();
      await throttle(THROTTLE);
      await pause(REST_MS);
      const beforeMs = await page.readCpuMs();
      const cold = await start();
      await pause(SETTLE_MS); // several SDKs put their start off
      return { cold, coldCpu: await page.readCpuMs() - beforeMs };
    }),
};
