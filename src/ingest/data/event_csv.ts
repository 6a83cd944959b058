import { formatRow } from "../reports/files.ts";
import type { StoredEvent } from "../sinks/sink.ts";

/** The columns, and what is in them. Whatever has no column of its own is JSON. */
const COLUMNS: Readonly<Record<string, (event: StoredEvent) => unknown>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  collection: ({ collection }) => collection,
  timestamp: ({ timestamp }) => timestamp,
  received_at: ({ receivedAt }) => receivedAt,
  session_id: ({ sessionId }) => sessionId,
  user_id: ({ identity }) => identity?.userId,
  anonymous_id: ({ identity }) => identity?.anonymousId,
  traits: ({ identity }) => identity?.traits,
  page_url: ({ context }) => context?.pageUrl,
  page_title: ({ context }) => context?.pageTitle,
  referrer: ({ context }) => context?.referrer,
  screen_width: ({ context }) => context?.screenWidth,
  screen_height: ({ context }) => context?.screenHeight,
  sdk_version: ({ context }) => context?.sdkVersion,
  batch_id: ({ batchId }) => batchId,
  violation: ({ violation }) => violation,
  properties: ({ properties }) => properties,
};

/**
 * Writes events as CSV with a line of names. Text that a spreadsheet would run as a formula gets an apostrophe in front;
 * JSON lines keep it as it is.
 *
 * @example
 * ```ts
 * import { writeEventsCsv } from "@vendor/sdk/ingest";
 *
 * let text = "";
 * for await (const chunk of writeEventsCsv([])) text += chunk;
 *
 * if (!text.startsWith('"id","name"')) throw new Error("the first line has the names");
 * ```
 */
export async function* writeEventsCsv(
  events: AsyncIterable<StoredEvent> | Iterable<StoredEvent>,
): AsyncGenerator<string> {
  yield formatRow(Object.keys(COLUMNS));
  for await (const event of events) yield formatRow(Object.values(COLUMNS).map((read) => toCell(read(event))));
}

function toCell(value: unknown): string | number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  return JSON.stringify(value);
}
