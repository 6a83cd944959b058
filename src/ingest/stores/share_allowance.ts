import { describeError } from "../platform/describe_error.ts";
import { guard } from "../platform/guard.ts";
import { isPageview, monthOf } from "../events/stored_event.ts";
import type { ReportReader } from "../ports/reader.ts";
import type { EventSink } from "../ports/sink.ts";

/** Pageviews of a key in a month, as far as they are known. */
interface Known {
  /** Those that the store had at the last look. */
  stored: number;
  /** Those that this process has stored since then. */
  since: number;
  /** When it looked last, or began to. */
  lookedAtMs: number;
}

/** Greatest age of a count. */
const MAX_AGE_MS = 60_000;

/**
 * Lets the processes that fill one store count a key's pageviews together, against the allowance of its plan: each asks
 * the store, at most once a minute for a key, and adds what it has stored itself since then. No batch waits for that.
 *
 * @example
 * ```ts
 * import { createIngest, type EventSink, type Ingest, type ReportReader, shareAllowance } from "@vendor/ingest";
 *
 * export function openIngest(sink: EventSink, reader: ReportReader): Ingest {
 *   const key = { apiKey: "pk_live_1", origins: ["https://shop.example"], pageviewAllowance: 100_000 };
 *   return createIngest({ keys: [key], sink: shareAllowance(sink, reader) });
 * }
 * ```
 */
export function shareAllowance(
  sink: EventSink,
  counter: Pick<ReportReader, "countPageviews">,
  { onError, now = Date.now }: {
    /** Hears of a count that failed; the last one is kept. What it throws is ignored. */
    readonly onError?: (error: unknown) => void;
    /** Returns the current time in milliseconds since the Unix epoch. */
    readonly now?: () => number;
  } = {},
): EventSink {
  const reportError = guard(onError);
  const counts = new Map<string, Known>();

  function find(apiKey: string, month: string): Known {
    const name = `${month} ${apiKey}`;
    const known = counts.get(name) ?? { stored: 0, since: 0, lookedAtMs: -Infinity };
    counts.set(name, known);
    if (now() - known.lookedAtMs >= MAX_AGE_MS) void look(known, apiKey, month);
    return known;
  }

  async function look(known: Known, apiKey: string, month: string): Promise<void> {
    known.lookedAtMs = now();
    try {
      const stored = await counter.countPageviews(apiKey, month);
      Object.assign(known, { stored, since: 0 });
    } catch (error) {
      reportError(new Error(`pageviews can't be counted: ${describeError(error)}`, { cause: error }));
    }
  }

  return {
    ...(sink.check && { check: sink.check.bind(sink) }),
    close: () => sink.close(),
    async store(batch) {
      const result = await sink.store(batch);
      const [first] = batch.events;
      if (first === undefined || !("accepted" in result) || result.accepted === 0) return result;
      // A sink that counts by itself knows better.
      if (result.pageviewsThisMonth !== undefined) return result;
      const pageviews = (result.events ?? batch.events).filter(isPageview).length;
      if (pageviews === 0) return result;
      const known = find(batch.apiKey, monthOf(first.receivedAt));
      known.since += Math.min(pageviews, result.accepted);
      return { ...result, pageviewsThisMonth: known.stored + known.since };
    },
  };
}
