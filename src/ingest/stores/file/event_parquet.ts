import type { BasicType, ColumnSource as ParquetColumn } from "hyparquet-writer";
import {
  type ColumnSource,
  type ColumnType,
  createColumnSource,
  type EventColumn,
  type ExportedEvent,
} from "../../events/columns.ts";
import { fillColumns, type FilledColumn } from "./fill_columns.ts";
import type { ParquetCodec } from "./parquet_codec.ts";

/** Events of an export that are in memory at a time. */
const GROUP_EVENTS = 10_000;

/** Name that files say they were written by. */
export const CREATED_BY = "@vendor/ingest" as const;

const TYPES: Readonly<Record<ColumnType, BasicType>> = {
  text: "STRING",
  label: "STRING",
  time: "TIMESTAMP",
  number: "DOUBLE",
  // Text, since a reader of the JSON type refuses all of a column for one number that it can't hold.
  json: "STRING",
  long: "INT64",
  int: "INT32",
  boolean: "BOOLEAN",
};

/** Writes events as the bytes of a Parquet file, one group of rows. */
export async function packEvents(
  events: readonly ExportedEvent[],
  { columns, ...codec }: ParquetCodec & { readonly columns: readonly EventColumn[] },
): Promise<Uint8Array> {
  return await packColumns(fillColumns(columns, events, createColumnSource()), codec);
}

/** Writes columns as the bytes of a Parquet file, one group of rows. */
export async function packColumns(columns: readonly FilledColumn[], codec: ParquetCodec): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const rowGroupSize = Math.max(columns[0]?.data.length ?? 0, 1);
  return new Uint8Array(
    parquetWriteBuffer({ ...codec, columnData: toParquet(columns), rowGroupSize, createdBy: CREATED_BY }),
  );
}

/** Writes events as a Parquet file, piece by piece. Times are cut to milliseconds. */
export async function* writeEventsParquet(
  events: AsyncIterable<ExportedEvent>,
  columns: readonly EventColumn[],
): AsyncGenerator<Uint8Array> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import("hyparquet-writer");
  const read = createColumnSource();
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: buildColumns(columns, [], read) }),
    createdBy: CREATED_BY,
  });
  const write = (group: readonly ExportedEvent[]): void => {
    if (group.length > 0) parquet.write({ columnData: buildColumns(columns, group, read), rowGroupSize: GROUP_EVENTS });
  };
  const take = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0; // as its own writer of files does
    return bytes;
  };

  let group: ExportedEvent[] = [];
  for await (const event of events) {
    group.push(event);
    if (group.length < GROUP_EVENTS) continue;
    write(group);
    yield take();
    group = [];
  }
  write(group);
  parquet.finish();
  yield take();
}

function buildColumns(
  columns: readonly EventColumn[],
  events: readonly ExportedEvent[],
  read: (event: ExportedEvent) => ColumnSource,
): ParquetColumn[] {
  return toParquet(fillColumns(columns, events, read));
}

function toParquet(columns: readonly FilledColumn[]): ParquetColumn[] {
  return columns.map(({ column: { name, type, isNullable = false }, data }) => ({
    ...{ name, type: TYPES[type], nullable: isNullable },
    // Of what differs in almost every event, no query is helped by the least and the most.
    statistics: type !== "text" && type !== "json",
    // Each is of the kind that the type of its column asks for.
    data: data as ParquetColumn["data"],
  }));
}
