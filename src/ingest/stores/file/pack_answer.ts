import type { BasicType, ColumnSource } from "hyparquet-writer";
import { writeSafeJson } from "../../events/foreign_text.ts";
import type { Answer } from "./duckdb.ts";
import { CREATED_BY } from "./event_parquet.ts";

/** Writes the answer to a query as the bytes of a Parquet file. Lists and objects are texts of JSON. */
export async function packAnswer({ columns, rows }: Answer): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const columnData = columns.map((name, index) => packColumn(name, rows.map((row) => row[index] ?? null)));
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: CREATED_BY }));
}

function packColumn(name: string, values: readonly unknown[]): ColumnSource {
  const type = findType(values);
  return { name, type, data: type === "STRING" ? values.map(toText) : [...values] };
}

function findType(values: readonly unknown[]): BasicType {
  const known = values.filter((value) => value !== null);
  const isAll = (test: (value: unknown) => boolean): boolean => known.length > 0 && known.every(test);
  if (isAll((value) => typeof value === "bigint" && BigInt.asIntN(64, value) === value)) return "INT64";
  if (isAll((value) => typeof value === "number")) return "DOUBLE";
  if (isAll((value) => typeof value === "boolean")) return "BOOLEAN";
  return isAll((value) => value instanceof Date) ? "TIMESTAMP" : "STRING";
}

function toText(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  return typeof value === "bigint" ? String(value) : writeSafeJson(value);
}
