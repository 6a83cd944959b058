import { type ColumnSource, type EventColumn, type ExportedEvent, readCell } from "../../events/columns.ts";

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
  const filled = columns.map((column) => ({ column, ...createCells(column, events.length) }));
  for (const [row, event] of events.entries()) {
    const source = read(event);
    for (const { fill } of filled) fill(row, source);
  }
  return filled;
}

/** The cells of a column, and the function that fills one. */
interface Cells {
  readonly data: FilledColumn["data"];
  readonly fill: (row: number, source: ColumnSource) => void;
}

function createCells(column: EventColumn, rows: number): Cells {
  const { type } = column;
  if (type === "time") return createTimes(column, rows);
  if (type === "long") return createLongs(column, rows);
  const data: Record<number, unknown> & { readonly length: number } = type === "int"
    ? new Int32Array(rows)
    : Array<unknown>(rows);
  return { data, fill: (row, source) => data[row] = readCell(column, source) };
}

function createLongs(column: EventColumn, rows: number): Cells {
  const data = new BigInt64Array(rows);
  const write = createWriter(data);
  const fill = (row: number, source: ColumnSource): void => {
    const cell = readCell(column, source);
    if (typeof cell === "bigint") data[row] = cell;
    else write(row, Math.trunc(Number(cell)));
  };
  return { data, fill };
}

/** Neighbours often have the same time of arrival. */
function createTimes(column: EventColumn, rows: number): Cells {
  const data = new BigInt64Array(rows);
  const write = createWriter(data);
  let [text, ms]: [unknown, number] = ["", 0];
  const fill = (row: number, source: ColumnSource): void => {
    const cell = readCell(column, source);
    if (cell !== text) [text, ms] = [cell, readTime(cell)];
    write(row, ms);
  };
  return { data, fill };
}

const HIGH = 2 ** 32;

/** Creates the function that writes a whole number, in two halves: a bigint of each would be garbage. */
function createWriter(data: BigInt64Array): (row: number, value: number) => void {
  // The low half first, as on every machine that Node and Deno are made for.
  const halves = new Int32Array(data.buffer);
  return (row, value) => {
    const high = Math.floor(value / HIGH);
    halves[2 * row] = value - high * HIGH;
    halves[2 * row + 1] = high;
  };
}

/** The ingest takes no other times; of what others stored, one that can't be read is the first of all. */
function readTime(value: unknown): number {
  const time = Date.parse(String(value));
  return Number.isNaN(time) ? 0 : time;
}
