import type { Row } from "../row.ts";
import { pause, type Session, withSession } from "../session.ts";

const THROTTLE = 4;
const REST_MS = 150;

interface FirstCalls {
  readonly initMs: number;
  readonly stepMs: number;
}

/**
 * The first calls of a page that never saw the SDK, on a slow processor, each by itself: the import is over. The time
 * on the wall counts: opening the origin's storage blocks the page without taking its processor.
 */
export const INIT_ROW: Row = {
  id: "init",
  columns: [
    { figure: "init", title: "init() at 4x throttle, ms", reference: "before", digits: 2 },
    { figure: "firstStep", title: "first step() in the task of init() at 4x, ms", reference: "before", digits: 2 },
    { figure: "nextStep", title: "first step() a task after init() at 4x, ms", reference: "before", digits: 2 },
  ],
  async measure(subject, bench) {
    const { initMs, stepMs } = await withSession(subject, bench, (session) => callFirst(session, ""));
    const later = await withSession(
      subject,
      bench,
      (session) => callFirst(session, "await new Promise((resolve) => setTimeout(resolve))"),
    );
    return { init: initMs, firstStep: stepMs, nextStep: later.stepMs };
  },
};

async function callFirst({ page, collector, throttle, load }: Session, between: string): Promise<FirstCalls> {
  await load();
  await throttle(THROTTLE);
  await pause(REST_MS);
  return await page.evaluate(`(async () => {
    const properties = buildProperties(0);
    const initStartMs = performance.now();
    sdk.init("${collector.url}");
    const initMs = performance.now() - initStartMs;
    ${between};
    const stepStartMs = performance.now();
    sdk.track("bench_event", properties);
    return { initMs, stepMs: performance.now() - stepStartMs };
  })()`);
}
