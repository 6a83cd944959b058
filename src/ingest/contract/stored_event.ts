import type { Validation } from "./validate.ts";
import type { StoredEvent } from "../sinks/sink.ts";

/**
 * Builds what is stored of a valid body. Session, identity and context are the event's own: the envelope's are those
 * of the first event (SPEC 2.7) and would be a guess for any other. Aggregates are stored without batch.
 */
export function buildStoredEvents(
  { collection, payload }: Exclude<Validation, { readonly collection: "none" }>,
  receivedAt: string,
): readonly StoredEvent[] {
  const { batchId } = payload;
  return collection === "full"
    ? payload.events.map((event) => ({ ...event, collection, receivedAt, batchId }))
    : payload.events.map((event) => ({ ...event, collection, receivedAt }));
}
