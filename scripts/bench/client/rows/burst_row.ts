import type { Row } from "../row.ts";
import { pause, type Session, withSession } from "../session.ts";

/** What takes longer to send than that has sent what counts. The table says so. */
const MAX_DRAIN_MS = 30_000;
const REST_MS = 300;
/** What every SDK gets through. */
const FEW = 1000;
/** A page that is at work answers later. */
const PROMPT_MS = 200;

/** Many events in one task, until all of them have arrived. */
export function createBurstRow(amount: number, isDetailed: boolean): Row {
  const label = amount.toLocaleString("en");
  return {
    id: `burst-${amount}`,
    columns: [
      { figure: `cpu-${amount}`, title: `${label} events until sent, CPU µs each`, reference: "floor" },
      { figure: `arrived-${amount}`, title: `arrived of ${label}, within 30 s`, pick: "worst" },
      { figure: `longest-${amount}`, title: `longest task after ${label}, ms` },
      ...isDetailed
        ? [
          { figure: "requests", title: "requests per 1,000", reference: "floor" },
          { figure: "bytes", title: "bytes per event", reference: "floor" },
          { figure: "preflights", title: "preflights" },
        ]
        : [],
    ],
    isFor: ({ isForMany }) => amount <= FEW || isForMany === true,
    measure: (subject, bench) =>
      withSession(subject, bench, async ({ page, collector, settle, burst }) => {
        const isSending = subject.id !== "no-op";
        await settle();
        await page.readHeapBytes(); // so that earlier garbage isn't collected now
        const before = collector.requests.length;
        const beforeMs = await page.readCpuMs();
        const { startMs, ms, calls } = await burst(amount);
        if (isSending) await drain({ page, collector }, { calls, quietMs: subject.quietMs });
        await pause(REST_MS);
        const cpuMs = await page.readCpuMs() - beforeMs;
        const longest = await page.evaluate<number>(`longTasks
          .filter(({ startTime }) => startTime >= ${startMs + ms})
          .reduce((longest, { duration }) => Math.max(longest, duration), 0)`);
        const requests = collector.requests.slice(before);
        const posts = requests.filter(({ method }) => method !== "OPTIONS");
        const arrived = collector.countArrived();
        return {
          [`cpu-${amount}`]: cpuMs / calls * 1000,
          [`longest-${amount}`]: longest,
          ...isSending && { [`arrived-${amount}`]: arrived },
          ...isDetailed && isSending && {
            requests: posts.length / arrived * 1000,
            bytes: posts.reduce((sum, { bytes }) => sum + bytes, 0) / arrived,
            // All of the visit: the first request of a page may have cost one, later ones must not.
            preflights: collector.requests.length -
              collector.requests.filter(({ method }) => method !== "OPTIONS").length,
          },
        };
      }),
  };
}

/** An SDK that is silent may still be working: it's done when nothing came of a whole pause on a page that answers. */
async function drain(
  { page, collector }: Pick<Session, "page" | "collector">,
  { calls, quietMs }: Amounts,
): Promise<void> {
  const endMs = performance.now() + MAX_DRAIN_MS;
  let isDone = false;
  while (!isDone && collector.countArrived() < calls) {
    const maxMs = endMs - performance.now();
    if (maxMs <= 0) return;
    const before = collector.countArrived();
    await collector.drain(calls, { quietMs, maxMs });
    const askedMs = performance.now();
    await page.readCpuMs();
    isDone = collector.countArrived() === before && performance.now() - askedMs < PROMPT_MS;
  }
}

interface Amounts {
  readonly calls: number;
  readonly quietMs: number;
}
