import type { EventSink, StoredEvent } from "../../../src/ingest/mod.ts";
import type { ReportReader } from "../../../src/ingest/ports/reader.ts";

/** A sink and the reader of what it stored. */
export interface Store {
  readonly sink: EventSink;
  readonly reader: ReportReader;
}

/** Opens a store, and closes it after the test. */
export type WithStore = (use: (store: Store) => Promise<void>) => Promise<void>;

/** Key that the fixtures' scopes belong to. */
export const KEY = "pk_test_1";

/** Stores events, by default under the key of the scopes. */
export async function storeEvents(
  sink: EventSink,
  events: readonly StoredEvent[],
  { apiKey = KEY }: { readonly apiKey?: string } = {},
): Promise<void> {
  await sink.store({ apiKey, events });
}
