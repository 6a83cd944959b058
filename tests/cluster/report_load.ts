/**
 * Reports of a year, one after the other in four loops, while batches arrive.
 *
 * @module
 */
import { FULL, headersOf, manyEvents } from "../ingest/fixtures.ts";
import type { RunningIngest } from "./ingest_process.ts";

/** What is asked for, and for how long. */
export interface ReportLoadOptions {
  /** Publishable key of the batches and of the reports. */
  readonly apiKey: string;
  /** Opens the reports. */
  readonly secret: string;
  /** Last UTC day of the year. */
  readonly lastDay: string;
  /** How long batches are sent, in milliseconds. */
  readonly durationMs: number;
}

/** What became of it. */
export interface ReportLoadResult {
  /** Time of each batch from its sending to its answer, in milliseconds, sorted. */
  readonly postsMs: readonly number[];
  /** How many batches were answered otherwise than 202. */
  readonly refused: number;
  /** Time of each report, in milliseconds, sorted. */
  readonly reportsMs: readonly number[];
  /** How many reports were answered otherwise than 200. */
  readonly failed: number;
}

/** How many reports are asked for at a time. */
export const LOOPS = 4;

const EVENTS_PER_BATCH = 50;

/** Between two batches, whatever became of those before: senders don't wait for each other. */
const BATCH_EVERY_MS = 50;

const DAY_MS = 86_400_000;

/** Asks for reports and sends batches, both at once. */
export async function loadWithReports(ingest: RunningIngest, options: ReportLoadOptions): Promise<ReportLoadResult> {
  const { apiKey, secret, lastDay, durationMs } = options;
  const [posts, reports] = [createTimes(202), createTimes(200)];
  const from = new Date(Date.parse(lastDay) - 364 * DAY_MS).toISOString().slice(0, lastDay.length);
  const url = `${ingest.origin}/reports?from=${from}&to=${lastDay}`;
  const prefix = crypto.randomUUID();
  let isOver = false;

  async function ask(): Promise<void> {
    while (!isOver) await reports.take(() => fetch(url, { headers: { Authorization: `Bearer ${secret}` } }));
  }

  const asking = Array.from({ length: LOOPS }, ask);
  const sending: Promise<void>[] = [];
  for (let count = 0; count < durationMs / BATCH_EVERY_MS; count++) {
    const body = JSON.stringify({ ...FULL, events: manyEvents(EVENTS_PER_BATCH, `${prefix}-${count}`) });
    const headers = headersOf({ "X-API-Key": apiKey });
    sending.push(posts.take(() => fetch(ingest.endpoint, { method: "POST", headers, body })));
    await new Promise((resolve) => setTimeout(resolve, BATCH_EVERY_MS));
  }
  await Promise.all(sending);
  isOver = true;
  await Promise.all(asking);
  return { postsMs: posts.sorted(), refused: posts.others(), reportsMs: reports.sorted(), failed: reports.others() };
}

/** Returns the value below which a share of the sorted values is. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

interface Times {
  take(request: () => Promise<Response>): Promise<void>;
  sorted(): readonly number[];
  others(): number;
}

function createTimes(expected: number): Times {
  const times: number[] = [];
  let others = 0;
  return {
    take: async (request) => {
      const startMs = performance.now();
      const answer = await request();
      await answer.arrayBuffer();
      times.push(performance.now() - startMs);
      if (answer.status !== expected) others += 1;
    },
    sorted: () => times.toSorted((one, other) => one - other),
    others: () => others,
  };
}
