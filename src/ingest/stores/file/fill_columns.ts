import {
  type ColumnSource,
  type ColumnType,
  type EventColumn,
  type ExportedEvent,
  readCell,
} from "../../events/columns.ts";

/** A column, and its cells. */
export interface FilledColumn {
  readonly column: EventColumn;
  /** One a row: `long` and `time` are bigints, the latter milliseconds since the Unix epoch. */
  readonly data: ArrayLike<unknown>;
}

/** Fills columns row by row: what an event is read into is garbage at once. */
export function fillColumns(
  columns: readonly EventColumn[],
  events: readonly ExportedEvent[],
  read: (event: ExportedEvent) => ColumnSource,
): readonly FilledColumn[] {
  const filled = columns.map((column) => ({ column, data: createData(column, events.length) }));
  for (const [row, event] of events.entries()) {
    const source = read(event);
    for (const { column, data } of filled) data[row] = toCell(readCell(column, source), column.type);
  }
  return filled;
}

/** Cells that are written. */
type Data = Record<number, unknown> & { readonly length: number };

function createData({ type }: EventColumn, rows: number): Data {
  if (type === "long" || type === "time") return new BigInt64Array(rows);
  return type === "int" ? new Int32Array(rows) : Array<unknown>(rows);
}

function toCell(cell: unknown, type: ColumnType): unknown {
  if (type === "time") return BigInt(readTime(cell));
  return type === "long" && typeof cell !== "bigint" ? BigInt(Math.trunc(Number(cell))) : cell;
}

/** The ingest takes no other times; of what others stored, one that can't be read is the first of all. */
function readTime(value: unknown): number {
  const time = Date.parse(String(value));
  return Number.isNaN(time) ? 0 : time;
}
