import type { Batch } from "../base/batch.ts";
import type { PageEnvironment } from "../platform/environment.ts";
import { parseTimestamp, toIsoTimestamp } from "../platform/time.ts";
import { utf8Length } from "../base/utf8.ts";

/**
 * Creates a batch. What it says of all its events is what its first one says.
 *
 * @throws {Error} Where that one is no event.
 */
export function createBatch({ id, account, events }: Pick<Batch, "id" | "account" | "events">): Batch {
  const { timestamp, sessionId, identity, context } = JSON.parse(`${events[0]}`);
  const envelope = JSON.stringify(sessionId ? { sessionId, identity, context } : { collection: "aggregate" }).slice(
    1,
    -1,
  );
  return {
    id,
    account,
    events,
    isAggregate: !sessionId,
    envelope,
    version: context.sdkVersion,
    timeMs: parseTimestamp(timestamp),
    bytes: utf8Length(buildBody({ id, envelope, events }, 0)),
  };
}

/**
 * Makes two batches of one.
 *
 * @throws {Error} Where it has a single event, or a rule of the application has left no JSON.
 */
export function halve({ account, events }: Batch, page: Pick<PageEnvironment, "randomId">): readonly Batch[] {
  const middle = events.length >> 1;
  return [events.slice(0, middle), events.slice(middle)].map((half) =>
    createBatch({ id: page.randomId(), account, events: half })
  );
}

/**
 * Builds the body of a request: EventRequestPayload (SPEC 2.7) or AggregatePageviewPayload (SPEC 2.8).
 *
 * @param sentAtMs Time of this attempt, in milliseconds since the Unix epoch.
 */
export function buildBody(
  { id, envelope, events }: Pick<Batch, "id" | "envelope" | "events">,
  sentAtMs: number,
): string {
  return `{"type":"event","batchId":"${id}","sentAt":"${toIsoTimestamp(sentAtMs)}",${envelope},"events":[${events}]}`;
}
