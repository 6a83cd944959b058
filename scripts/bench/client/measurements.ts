import { type Bench, type PreparedSubject, withSession } from "./session.ts";

/** A figure of the tables. */
export interface Figure {
  /** Name in the results. */
  readonly name: string;
  /** Title in the tables, with the unit. */
  readonly title: string;
  /** Digits after the point. @default {0} */
  readonly digits?: number;
}

/** One way to measure an SDK, in a page of its own. */
export interface Measurement {
  /** The figures that it gives, in order. */
  readonly figures: readonly Figure[];
  /** Whether an SDK is measured in that way. @default {true} */
  readonly isFor?: (subject: PreparedSubject) => boolean;
  /** Measures an SDK once: the figures, NaN for one that there isn't. */
  readonly measure: (subject: PreparedSubject, bench: Bench) => Promise<readonly number[]>;
}

/** Time in which a page and an SDK come to rest. */
const REST_MS = 150;
/** Time in which every SDK sends the pageview of its start. */
const SETTLE_MS = 1500;
/** Time in which the page still works on what was sent. */
const ANSWER_MS = 400;
/** Longest time that sending may take. */
const MAX_SEND_MS = 15_000;
/** Shortest task that a browser calls long (https://www.w3.org/TR/longtasks-1/). */
export const LONG_TASK_MS = 50;

const [FEW, MANY] = [1000, 10_000] as const;

/** All that is measured in a browser. */
export const MEASUREMENTS: readonly Measurement[] = [
  measureInit(4),
  measureInit(1),
  {
    figures: [{ name: "few", title: "`step()`, 1,000 in a task, µs each", digits: 1 }],
    measure: (subject, bench) =>
      withSession(subject, bench, async ({ page, start, track }) => {
        await start();
        await pause(SETTLE_MS);
        await page.collectGarbage();
        const { ms } = await track(FEW);
        return [ms / FEW * 1000];
      }),
  },
  {
    figures: [
      { name: "many", title: "`step()`, 10,000 in a task, µs each", digits: 1 },
      { name: "longest", title: "longest task behind these 10,000, ms" },
      { name: "sent", title: "CPU until these 10,000 are sent, µs each", digits: 1 },
    ],
    isFor: ({ isForMany }) => isForMany === true,
    measure: (subject, bench) =>
      withSession(subject, bench, async ({ page, collector, start, track }) => {
        await start();
        await pause(SETTLE_MS);
        await page.collectGarbage();
        const beforeMs = await page.readCpuMs();
        const { ms, endMs } = await track(MANY);
        // What others need for so many says nothing: they send one by one, or not all.
        const limits = { quietMs: subject.quietMs, maxMs: subject.packageName ? 0 : MAX_SEND_MS };
        const isSent = await collector.waitFor(MANY, limits);
        await pause(ANSWER_MS);
        const cpuMs = await page.readCpuMs() - beforeMs;
        return [ms / MANY * 1000, await findLongest(endMs), isSent ? cpuMs / MANY * 1000 : NaN];

        /** Of a task that began before, what is behind that moment counts. */
        async function findLongest(afterMs: number): Promise<number> {
          const tasks = await page.evaluate<{ readonly startTime: number; readonly duration: number }[]>("longTasks");
          return Math.max(
            0,
            ...tasks.map(({ startTime, duration }) => startTime + duration - Math.max(startTime, afterMs)),
          );
        }
      }),
  },
];

/** Measures on the wall: the first use of storage blocks the page without taking its processor. */
function measureInit(rate: number): Measurement {
  return {
    figures: [{ name: `init${rate}`, title: `\`init()\` at ${rate}x CPU, ms`, digits: 2 }],
    measure: (subject, bench) =>
      withSession(subject, bench, async ({ page, start }) => {
        await page.send("Emulation.setCPUThrottlingRate", { rate });
        await pause(REST_MS);
        return [await start()];
      }),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
