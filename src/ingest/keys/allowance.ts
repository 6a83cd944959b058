import type { ReceivedBatch, StoreResult } from "../events/received_batch.ts";
import { isPageview, monthOf } from "../events/stored_event.ts";

/** The use of its key's allowance by a batch. */
export interface AllowanceUse {
  /** Pageviews of the batch that were stored now, full and aggregate. */
  readonly pageviews: number;
  /** Number of those among them that were past the allowance. */
  readonly overAllowance: number;
}

/** Counts the pageviews of a key per month. */
export interface Allowance {
  /** Counts what was stored now. */
  use(batch: ReceivedBatch, result: StoreResult): AllowanceUse;
}

/**
 * Creates the count of one key (SPEC 1: pageviews count against the plan's allowance). The months are those of the
 * arrival: a visitor's clock may be anywhere. The sink's own count, which outlives the process, comes first.
 */
export function createAllowance(perMonth: number = Infinity): Allowance {
  // By month: a batch that arrived before the turn of the month may be stored after one that arrived behind it.
  const counts = new Map<string, number>();

  return {
    use: (batch, result) => {
      const pageviews = countPageviews(batch, result);
      const month = monthOf(batch.events[0]?.receivedAt ?? "");
      const counted = result.pageviewsThisMonth ?? (counts.get(month) ?? 0) + pageviews;
      counts.set(month, counted);
      return { pageviews, overAllowance: Math.min(pageviews, Math.max(0, counted - perMonth)) };
    },
  };
}

function countPageviews({ events }: ReceivedBatch, { accepted, events: stored }: StoreResult): number {
  const pageviews = (stored ?? events).filter(isPageview).length;
  // A sink that can't tell which events were new is given the benefit of the doubt, for repeats are rare.
  return Math.min(pageviews, accepted);
}
