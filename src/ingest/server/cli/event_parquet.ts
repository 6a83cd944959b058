import type { BasicType } from "hyparquet-writer";
import { writeSafeJson } from "../../events/foreign_text.ts";
import type { EventColumn, ExportedEvent } from "../../events/event_columns.ts";

/** How many events are in memory at a time. */
const GROUP_EVENTS = 10_000;

const TYPES: Readonly<Record<EventColumn["type"], BasicType>> = {
  text: "STRING",
  time: "TIMESTAMP",
  number: "DOUBLE",
  // As the type JSON, other readers would refuse or change what they can't hold, such as large numbers.
  json: "STRING",
};

/** Writes events as a Parquet file, piece by piece. Times are cut to milliseconds. */
export async function* writeEventsParquet(
  events: AsyncIterable<ExportedEvent>,
  columns: readonly EventColumn[],
): AsyncGenerator<Uint8Array> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import("hyparquet-writer");
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: buildColumns(columns, []) }),
    createdBy: "@vendor/sdk",
  });
  const take = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0; // as its own writer of files does
    return bytes;
  };

  let group: ExportedEvent[] = [];
  for await (const event of events) {
    group.push(event);
    if (group.length < GROUP_EVENTS) continue;
    parquet.write({ columnData: buildColumns(columns, group), rowGroupSize: GROUP_EVENTS });
    yield take();
    group = [];
  }
  if (group.length > 0) parquet.write({ columnData: buildColumns(columns, group), rowGroupSize: GROUP_EVENTS });
  parquet.finish();
  yield take();
}

function buildColumns(columns: readonly EventColumn[], events: readonly ExportedEvent[]) {
  return columns.map(({ name, type, read }) => ({
    name,
    type: TYPES[type],
    nullable: true,
    data: events.map((event) => toCell(read(event), type)),
  }));
}

function toCell(value: unknown, type: EventColumn["type"]): unknown {
  if (value === undefined || value === null) return null;
  if (type === "json") return writeSafeJson(value);
  if (type === "text") return String(value).toWellFormed();
  return type === "time" ? new Date(String(value)) : value;
}
