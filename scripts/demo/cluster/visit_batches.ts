import type { LoadBatch } from "../../../tests/cluster/traffic.ts";
import { generateVisits } from "../../bench/report_data/generate_visits.ts";

/** More than a demo sends. */
const MAX_EVENTS = 100_000_000;

/** Returns a function that makes up a visit to a shop, which ends now, and what the SDK sends of it. */
export function createVisitBatches(): () => LoadBatch {
  const visits = generateVisits({ events: MAX_EVENTS, lastDay: new Date().toISOString().slice(0, 10), seed: 1 });
  return () => {
    const visit = [...visits.next().value ?? []];
    const { sessionId, identity, context } = visit[0] ?? {};
    const lateMs = Date.now() - Date.parse(visit.at(-1)?.timestamp ?? "");
    const events = visit.map(({ collection: _, receivedAt: __, batchId: ___, timestamp, ...event }) => ({
      ...event,
      timestamp: new Date(Date.parse(timestamp) + lateMs).toISOString(),
    }));
    const batch = { type: "event", batchId: crypto.randomUUID(), sentAt: new Date().toISOString(), events };
    const body = identity ? { ...batch, sessionId, identity, context } : { ...batch, collection: "aggregate" };
    return { ids: events.map(({ id }) => id), body: JSON.stringify(body) };
  };
}
