import { type ColumnType, createColumnSource, type ExportedEvent, STORED_COLUMNS } from "../../events/columns.ts";
import type { AppendedColumn, DuckDbChange } from "./duckdb.ts";
import { fillColumns } from "./fill_columns.ts";

/** Name of the table of events that are in no file. */
export const TAIL = "tail" as const;

/** Column of an event's place in the order of arrival; sealed files have it too. */
export const SEQ = "seq" as const;

/** An event, and its place in the order of arrival. */
export interface PlacedEvent extends ExportedEvent {
  readonly seq: number;
}

/** Types of columns in DuckDB. */
export const DUCKDB_TYPES: Readonly<Record<ColumnType, AppendedColumn["type"]>> = {
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
export async function createTailTable({ run }: Pick<DuckDbChange, "run">): Promise<void> {
  const columns = STORED_COLUMNS.map(({ name, type }) => `${name} ${DUCKDB_TYPES[type]}`);
  await run(`CREATE TABLE ${TAIL} (${[...columns, `${SEQ} BIGINT`].join(", ")})`);
}

/** Appends events. */
export async function appendEvents(
  { append }: Pick<DuckDbChange, "append">,
  events: readonly PlacedEvent[],
): Promise<void> {
  const filled = fillColumns(STORED_COLUMNS, events, createColumnSource());
  await append(TAIL, [
    ...filled.map(({ column: { type }, data }) => ({ type: DUCKDB_TYPES[type], data })),
    { type: "BIGINT", data: BigInt64Array.from(events, ({ seq }) => BigInt(seq)) },
  ]);
}
