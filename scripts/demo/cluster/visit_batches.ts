import type { StoredEvent } from "../../../src/ingest/mod.ts";
import type { AggregatePageviewPayload, EventRequestPayload } from "../../../src/types.ts";
import type { LoadBatch } from "../../../tests/cluster/load.ts";
import { generateVisits } from "../../report_data/generate_visits.ts";

/** More than a demo sends. */
const MAX_EVENTS = 100_000_000;

/** Returns a function that makes up a visit to a shop, which ends now, and what the SDK sends of it. */
export function createVisitBatches(): () => LoadBatch {
  const visits = generateVisits({ events: MAX_EVENTS, lastDay: new Date().toISOString().slice(0, 10), seed: 1 });
  return () => {
    const visit: readonly StoredEvent[] = visits.next().value ?? [];
    return { ids: visit.map(({ id }) => id), body: JSON.stringify(buildPayload(moveToNow(visit))) };
  };
}

function moveToNow(visit: readonly StoredEvent[]): readonly StoredEvent[] {
  const lateMs = Date.now() - Date.parse(visit.at(-1)?.timestamp ?? "");
  return visit.map((event) => ({
    ...event,
    timestamp: new Date(Date.parse(event.timestamp) + lateMs).toISOString(),
  }));
}

function buildPayload(visit: readonly StoredEvent[]): EventRequestPayload | AggregatePageviewPayload {
  const { sessionId, identity, context } = visit[0] ?? {};
  const batch = { type: "event", batchId: crypto.randomUUID(), sentAt: new Date().toISOString() } as const;
  const events = visit.map(({ collection: _, receivedAt: __, batchId: ___, ...event }) => event);
  if (!sessionId || !identity || !context) return { ...batch, collection: "aggregate", events };
  return { ...batch, sessionId, identity, context, events };
}
