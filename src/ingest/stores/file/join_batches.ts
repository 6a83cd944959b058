import type { ReceivedBatch, StoreResult } from "../../events/received_batch.ts";
import { isPageview, monthOf } from "../../events/stored_event.ts";

/** A batch that waits for its commit. It has an event at least. */
export interface PreparedBatch {
  /** The batch. */
  readonly batch: ReceivedBatch;
  /** Its events as JSON, a line each. */
  readonly texts: string;
  /** Time of its arrival, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  /** Time before which none of its events was captured or arrived, in milliseconds since the Unix epoch. */
  readonly earliestMs: number;
}

/** Batches of a key and a month that are stored as one row: a request of one event would take as long as one of many. */
export interface JoinedBatches {
  /** The batches. */
  readonly batches: PreparedBatch[];
  /** Number of their events. */
  events: number;
  /** UTF-16 units of their texts. */
  units: number;
}

/** Joined batches on their way to the thread, which text crosses faster than objects do. */
export interface PostedBatches {
  /** Publishable key. */
  readonly apiKey: string;
  /** The events as JSON, a line each. */
  readonly texts: string;
  /** Places of the pageviews. */
  readonly pageviews: readonly number[];
  /** Time of the last arrival, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  /** Time before which none of the events was captured or arrived, in milliseconds since the Unix epoch. */
  readonly earliestMs: number;
}

/** Events of joined batches that were stored. */
export interface CommittedBatches {
  /**
   * Places of the events that were stored now.
   *
   * @default {all}
   */
  readonly stored?: readonly number[];
  /**
   * Places of those that an erasure names; the others were known.
   *
   * @default {none}
   */
  readonly erased?: readonly number[];
  /** Pageviews of the key and the month, where there are new ones. */
  readonly pageviewsThisMonth?: number;
}

/** Most events of a row, which is what one request may have. */
const MAX_EVENTS = 100;

/** Most UTF-16 units of a row of several batches. */
const MAX_UNITS = 65_536;

/** Writes a batch of one event or more as text. */
export function prepareBatch(batch: ReceivedBatch): PreparedBatch {
  const { events } = batch;
  const lines: string[] = [];
  let [earliestMs, receivedAtMs] = [Infinity, -Infinity];
  for (const event of events) {
    const arrivedMs = Date.parse(event.receivedAt);
    earliestMs = Math.min(earliestMs, arrivedMs, Date.parse(event.timestamp));
    receivedAtMs = Math.max(receivedAtMs, arrivedMs);
    lines.push(JSON.stringify(event));
  }
  return { batch, texts: lines.join("\n"), receivedAtMs, earliestMs };
}

/** Joins batches that may be stored as one, in their order. */
export function joinBatches(batches: readonly PreparedBatch[]): readonly JoinedBatches[] {
  const all: JoinedBatches[] = [];
  const last = new Map<string, JoinedBatches>();
  for (const one of batches) {
    const { apiKey, events } = one.batch;
    const name = `${monthOf(events[0]?.receivedAt ?? "")} ${apiKey}`;
    let joined = last.get(name);
    if (
      joined === undefined || joined.events + events.length > MAX_EVENTS || joined.units + one.texts.length > MAX_UNITS
    ) {
      joined = { batches: [], events: 0, units: 0 };
      last.set(name, joined);
      all.push(joined);
    }
    joined.batches.push(one);
    joined.events += events.length;
    joined.units += one.texts.length;
  }
  return all;
}

/** Makes the message of joined batches. */
export function toPosted({ batches }: JoinedBatches): PostedBatches {
  const pageviews: number[] = [];
  let place = 0;
  for (const { batch: { events } } of batches) {
    for (const event of events) {
      if (isPageview(event)) pageviews.push(place);
      place += 1;
    }
  }
  return {
    apiKey: batches[0]?.batch.apiKey ?? "",
    texts: batches.map(({ texts }) => texts).join("\n"),
    pageviews,
    receivedAtMs: Math.max(...batches.map(({ receivedAtMs }) => receivedAtMs)),
    earliestMs: Math.min(...batches.map(({ earliestMs }) => earliestMs)),
  };
}

/** Says of each batch what was stored of it; of none where nobody knows. */
export function splitResult(
  { batches }: JoinedBatches,
  committed: CommittedBatches | undefined,
): readonly (readonly [PreparedBatch, StoreResult])[] {
  if (committed === undefined) return [];
  const { stored, erased, pageviewsThisMonth = 0 } = committed;
  const [known, gone] = [stored && new Set(stored), new Set(erased)];
  let place = 0;
  const parts = batches.map((prepared) => {
    const { events } = prepared.batch;
    const from = place;
    place += events.length;
    const fresh = known === undefined ? events : events.filter((_, index) => known.has(from + index));
    const erasedCount = gone.size === 0 ? 0 : events.filter((_, index) => gone.has(from + index)).length;
    return { prepared, fresh, erased: erasedCount, views: fresh.filter(isPageview).length };
  });
  let views = pageviewsThisMonth - parts.reduce((sum, part) => sum + part.views, 0);
  return parts.map(({ prepared, fresh, erased, views: own }) => {
    views += own;
    return [prepared, {
      accepted: fresh.length,
      duplicates: prepared.batch.events.length - fresh.length - erased,
      events: fresh,
      ...(erased > 0 && { erased }),
      ...(own > 0 && { pageviewsThisMonth: views }),
    }];
  });
}
