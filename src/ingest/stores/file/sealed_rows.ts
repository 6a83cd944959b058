import { readFileSync } from "node:fs";
import { type ColumnType, createColumnSource, type EventColumn, toNothing } from "../../events/columns.ts";
import { describeError } from "../../platform/describe_error.ts";
import { checkColumns } from "./check_columns.ts";
import { packColumns } from "./event_parquet.ts";
import { fillColumns, type FilledColumn } from "./fill_columns.ts";
import { chooseCodec, DECODERS } from "./parquet_codec.ts";
import { SEALED_COLUMNS, type SealedEvent } from "./seal_events.ts";

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: "BYTE_ARRAY UTF8",
  label: "BYTE_ARRAY UTF8",
  time: "INT64 TIMESTAMP_MILLIS",
  number: "DOUBLE",
  json: "BYTE_ARRAY UTF8",
  long: "INT64",
  int: "INT32",
  boolean: "BOOLEAN",
};

/** Rows of a sealed file, column by column. */
export interface SealedRows {
  /** Number of rows. */
  readonly count: number;
  /** Columns by their names. Times are milliseconds since the Unix epoch, as bigints. */
  readonly columns: ReadonlyMap<string, ArrayLike<unknown>>;
}

/** A sealed file that can't be read; the error names it. */
export class DamagedError extends Error {}

/** A sealed file that has gone meanwhile: it was dropped by age, so what it held is in the folder no more. */
export class GoneError extends DamagedError {}

/**
 * Reads columns of a sealed file; all of them by default.
 *
 * @throws {GoneError} Where there is no such file.
 * @throws {DamagedError} For a file that is damaged, or no sealed one.
 */
export async function readSealed(
  path: string,
  names: readonly string[] = SEALED_COLUMNS.map(({ name }) => name),
): Promise<SealedRows> {
  try {
    return await read(readFileSync(path), names);
  } catch (cause) {
    throw buildDamageError(path, cause);
  }
}

/** Reads a file; undefined where it is damaged. */
export async function readWhole(path: string, names?: readonly string[]): Promise<SealedRows | undefined> {
  try {
    return await readSealed(path, names);
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return undefined;
  }
}

/** Builds the error of a file with events that the database beside it doesn't know. */
export function buildOlderError(path: string): Error {
  return new Error(
    `the file of events ${JSON.stringify(path)} isn't known to the database beside it, which is older: ` +
      "restore both from one backup, or move the file away",
  );
}

/** Builds the error of a sealed file that can't be read. */
export function buildDamageError(path: string, cause: unknown): DamagedError {
  const message = `the file of events ${JSON.stringify(path)} can't be read: ${describeError(cause)}`;
  const isGone = (cause as NodeJS.ErrnoException).code === "ENOENT";
  return isGone ? new GoneError(message, { cause }) : new DamagedError(message, { cause });
}

async function read(bytes: Uint8Array, names: readonly string[]): Promise<SealedRows> {
  const { parquetMetadata, parquetRead, parquetSchema } = await import("hyparquet");
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = parquetMetadata(buffer);
  const found = parquetSchema(metadata).children.map(({ element: { name, type = "", converted_type: meaning = "" } }) =>
    [name, `${type} ${meaning}`.trim()] as const
  );
  const lacks = checkColumns(new Map(found), TYPES).filter(({ name }) => names.includes(name));
  const stored = names.filter((name) => !lacks.some((column) => column.name === name));
  const count = Number(metadata.num_rows);
  const parts = new Map<string, ArrayLike<unknown>[]>(stored.map((name) => [name, []]));
  await parquetRead({
    file: buffer,
    metadata,
    columns: stored,
    compressors: DECODERS,
    parsers: { timestampFromMilliseconds: (ms: bigint) => ms },
    onChunk: ({ columnName, columnData }) => parts.get(columnName)?.push(columnData),
  });
  const columns = new Map([...parts].map(([name, chunks]) => [name, join(chunks)]));
  for (const column of lacks) columns.set(column.name, Array<unknown>(count).fill(toEmptyCell(column)));
  for (const [name, { length }] of columns) {
    if (length !== count) throw new Error(`its column ${name} has ${length} of ${count} rows`);
  }
  return { count, columns };
}

/** Returns the cell of a column that the file lacks, as Parquet would have it. */
function toEmptyCell(column: EventColumn): unknown {
  return column.type === "long" || column.type === "time" ? 0n : toNothing(column);
}

/** Writes rows of a sealed file as the bytes of another: those that are kept. */
export async function packRows({ count, columns }: SealedRows, isKept: (row: number) => boolean): Promise<Uint8Array> {
  const kept: number[] = [];
  for (let row = 0; row < count; row++) if (isKept(row)) kept.push(row);
  const filled = SEALED_COLUMNS.map((column) => ({
    column,
    data: pick(column, { kept, data: columns.get(column.name) }),
  }));
  return await packColumns(filled, chooseCodec());
}

/** Writes rows of a sealed file, and events behind them, as the bytes of another. */
export async function packGrown(
  { count, columns }: SealedRows,
  { isKept, events }: { readonly isKept: (row: number) => boolean; readonly events: readonly SealedEvent[] },
): Promise<Uint8Array> {
  const kept: number[] = [];
  for (let row = 0; row < count; row++) if (isKept(row)) kept.push(row);
  const grown = fillColumns(SEALED_COLUMNS, events, createColumnSource()).map(({ column, data }) => ({
    column,
    data: concat(pick(column, { kept, data: columns.get(column.name) }), data),
  }));
  return await packColumns(grown, chooseCodec());
}

function concat(some: FilledColumn["data"], others: FilledColumn["data"]): FilledColumn["data"] {
  // Both are of the kind that the type of their column asks for.
  if (some instanceof BigInt64Array) return join64(some, others as BigInt64Array);
  const all = [...Array.from(some), ...Array.from(others)];
  return some instanceof Int32Array ? Int32Array.from(all as readonly number[]) : all;
}

function join64(some: BigInt64Array, others: BigInt64Array): BigInt64Array {
  const all = new BigInt64Array(some.length + others.length);
  all.set(some);
  all.set(others, some.length);
  return all;
}

function pick(
  { type }: EventColumn,
  { kept, data = [] }: { readonly kept: readonly number[]; readonly data: ArrayLike<unknown> | undefined },
): FilledColumn["data"] {
  const rows = kept.map((row) => data[row]);
  if (type === "long" || type === "time") return BigInt64Array.from(rows as readonly bigint[]);
  return type === "int" ? Int32Array.from(rows as readonly number[]) : rows;
}

function join(chunks: readonly ArrayLike<unknown>[]): ArrayLike<unknown> {
  const [only, ...others] = chunks;
  return only !== undefined && others.length === 0 ? only : chunks.flatMap((chunk) => Array.from(chunk));
}
