import { createColumnSource, readCell, SENT_COLUMNS, STORED_COLUMNS } from "../../events/columns.ts";
import type { KeyedEvent } from "../../ports/load_target.ts";
import type { Row } from "./clickhouse_port.ts";

/** Times that the types of ClickHouse hold; a visitor's clock may show any. */
const [MIN_TIME, MAX_TIME] = ["1900-01-01 00:00:00.000", "2299-12-31 23:59:59.999"] as const;

const TIME_LENGTH = MIN_TIME.length;

const DAY_LENGTH = "2026-01-31".length;

/**
 * Builds the rows of events. What a row is known again by, its key, day and id, follows from the event as it was
 * captured: one that comes again, whenever that is, meets its first.
 */
export function buildRows(events: readonly KeyedEvent[]): readonly Row[] {
  const read = createColumnSource();
  return events.map(({ keyHash, event }) => {
    const source = read({ ...event, keyHash });
    const cells = STORED_COLUMNS.map((column) => {
      const cell = readCell(column, source);
      if (column.type === "time") return [column.name, toDateTime(String(cell))];
      // JSON has no bigint.
      return [column.name, typeof cell === "bigint" ? String(cell) : cell];
    });
    return { ...Object.fromEntries(cells), day: toDateTime(event.timestamp).slice(0, DAY_LENGTH) };
  });
}

/** The columns of which an event is made again, with commas. */
export const SENT: string = SENT_COLUMNS.map(({ name }) => name).join(", ");

/** Writes a time of the contract, `2026-01-31T12:00:00Z`, as ClickHouse reads it, to the millisecond. */
export function toDateTime(time: string): string {
  const [whole = "", fraction = ""] = time.slice(0, -1).replace("T", " ").split(".");
  const text = `${whole}.${fraction.padEnd(3, "0")}`.slice(0, TIME_LENGTH);
  if (text < MIN_TIME) return MIN_TIME;
  return text > MAX_TIME ? MAX_TIME : text;
}
