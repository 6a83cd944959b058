import { type ColumnType, createColumnSource, STORED_COLUMNS } from "../../events/columns.ts";
import type { AppendedColumn, DuckDbChange } from "./duckdb.ts";
import { fillColumns } from "./fill_columns.ts";
import type { SealedEvent } from "./seal_events.ts";

/** Name of the table of events that are in no file. */
export const TAIL = "tail" as const;

/** Column of an event's place among those that were ever added. */
export const ADDED_AS = "added_as" as const;

const TYPES: Readonly<Record<ColumnType, AppendedColumn["type"]>> = {
  text: "VARCHAR",
  label: "VARCHAR",
  time: "TIMESTAMP",
  number: "DOUBLE",
  json: "VARCHAR",
  long: "BIGINT",
  int: "INTEGER",
  boolean: "BOOLEAN",
};

/** Makes the table of events that are in no file. */
export async function createTailTable({ run }: DuckDbChange): Promise<void> {
  const columns = STORED_COLUMNS.map(({ name, type }) => `${name} ${TYPES[type]}`);
  await run(`CREATE TABLE ${TAIL} (${[...columns, `${ADDED_AS} BIGINT`].join(", ")})`);
}

/** Appends events; the first of them is the so many-th that was ever added. */
export async function appendEvents(
  { append }: DuckDbChange,
  { events, first }: { readonly events: readonly SealedEvent[]; readonly first: number },
): Promise<void> {
  const filled = fillColumns(STORED_COLUMNS, events, createColumnSource());
  await append(TAIL, [
    ...filled.map(({ column: { type }, data }) => ({ type: TYPES[type], data })),
    { type: "BIGINT", data: BigInt64Array.from(events, (_, index) => BigInt(first + index)) },
  ]);
}
