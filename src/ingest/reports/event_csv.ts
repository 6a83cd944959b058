import { createColumnSource, type EventColumn, type ExportedEvent, SENT_COLUMNS } from "../events/columns.ts";
import { formatRow, toCell } from "./view/csv.ts";
import type { StoredEvent } from "../events/stored_event.ts";

/**
 * Writes events as CSV with a line of names. Text that a spreadsheet would run as a formula gets an apostrophe in front;
 * JSON lines keep it as it is.
 *
 * @example
 * ```ts
 * import { writeEventsCsv } from "@vendor/ingest";
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
  yield* writeRowsCsv(events, SENT_COLUMNS);
}

/** Writes events as CSV with these columns. */
export async function* writeRowsCsv(
  events: AsyncIterable<ExportedEvent> | Iterable<ExportedEvent>,
  columns: readonly EventColumn[],
): AsyncGenerator<string> {
  const readSource = createColumnSource();
  yield formatRow(columns.map(({ name }) => name));
  for await (const event of events) {
    const source = readSource(event);
    yield formatRow(columns.map(({ read }) => toCell(read(source))));
  }
}
