import { assert } from "@std/assert";
import { createBrowserEnvironment } from "../../src/client/platform/browser.ts";
import { createInstance } from "../../src/client/instance.ts";
import { createBareWindow } from "../../scripts/bench/client/unit/bare_window.ts";
import { buildSampleProperties } from "../../scripts/bench/client/unit/sample_properties.ts";
import { findMedian } from "../../scripts/bench/client/statistics.ts";
import { measureBestRatio } from "./measure_best.ts";

/**
 * Most that a step may cost, in calls of `JSON.stringify()` with the finished event. Most of it is the replacer, which
 * engines call for each member; it was 3 while the client copied objects by itself, in 400 bytes more.
 */
const MAX_STEP_RATIO = 4;

const CALLS_PER_ROUND = 1000;
const WARM_UP_ROUNDS = 20;
const ROUNDS = 101;
/** Other programs on the machine can only make a round slower, and a step more than its yardstick: the fastest count. */
const COUNTED_ROUNDS = 21;

/** Returns the cost of steps and of their yardstick: the medians of the fastest rounds, which measure both in turn. */
function measureStep(): readonly [step: number, yardstick: number] {
  const event = JSON.parse(captureEventText());
  const steps: number[] = [];
  const yardsticks: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const times = [timeSteps(), time(() => JSON.stringify(event))] as const;
    if (round < WARM_UP_ROUNDS) continue;
    steps.push(times[0]);
    yardsticks.push(times[1]);
  }
  return [findFast(steps), findFast(yardsticks)];
}

function findFast(times: readonly number[]): number {
  return findMedian(times.toSorted((a, b) => a - b).slice(0, COUNTED_ROUNDS));
}

/** Returns the text of an event that a page sent, without what its batch adds. */
function captureEventText(): string {
  const { scope, bodies, runTimers } = createBareWindow();
  const instance = createInstance(createBrowserEnvironment(scope));
  instance.init({ apiKey: "bench", maxBatchSize: 1 });
  instance.step("signup", buildSampleProperties(1));
  runTimers();
  return JSON.stringify(JSON.parse(`${bodies[0]}`).events[0]);
}

/** Times steps of a client of its own, so that its queue never fills up. */
function timeSteps(): number {
  const instance = createInstance(createBrowserEnvironment(createBareWindow().scope));
  instance.init({ apiKey: "bench" });
  const properties = buildSampleProperties(1);
  return time(() => instance.step("signup", properties));
}

function time(call: () => unknown): number {
  const startMs = performance.now();
  for (let i = 0; i < CALLS_PER_ROUND; i++) call();
  return performance.now() - startMs;
}

Deno.test(`step() costs at most ${MAX_STEP_RATIO} times JSON.stringify() of its event`, async () => {
  const ratio = await measureBestRatio(MAX_STEP_RATIO, measureStep);
  console.log(`step() costs ${ratio.toFixed(2)} times JSON.stringify() of its event`);

  assert(ratio <= MAX_STEP_RATIO, `${ratio}`);
});
