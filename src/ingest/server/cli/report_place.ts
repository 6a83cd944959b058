/**
 * Where the commands of reports read, and whose.
 *
 * @module
 */
import * as v from "valibot";
import type { ReportReader } from "../../ports/reader.ts";
import { createClickHouseReader } from "../../stores/clickhouse/clickhouse_reader.ts";
import { createFileReader } from "../../stores/file/file_reader.ts";
import { createSqliteReader } from "../../stores/sqlite/sqlite_reader.ts";
import type { DataPlace } from "./data_command.ts";
import type { Flag, Values } from "./flags.ts";
import { readKeysFile, type ServerKey } from "./keys_file.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** The key whose events are read, and the file with its settings. */
export const OF_KEY: { readonly key: Flag<string>; readonly "keys-file": Flag<string> } = {
  key: { value: "KEY", schema: v.string(), help: "publishable key that the events were sent with" },
  "keys-file": { value: "FILE", schema: v.string(), help: "JSON file with the keys, for the settings of this one" },
};

/** A key, and its settings where they are known. */
export interface KeySettings {
  readonly apiKey: string;
  /** Settings of the key; absent where it is in no keys file. */
  readonly key?: ServerKey;
}

/**
 * Reads the key, and its settings where there is a file.
 *
 * @throws {ServerFault} When there is none, or the file hasn't it.
 */
export function readKeySettings(
  { key: apiKey, "keys-file": path }: Pick<Values<typeof OF_KEY>, keyof typeof OF_KEY>,
): KeySettings {
  if (!apiKey) throw new ServerFault("there is no key: name one with --key KEY");
  const key = path ? readKeysFile(path).find((one) => one.apiKey === apiKey) : undefined;
  if (path && key === undefined) throw new ServerFault(`the keys file ${path} has no such key`);
  return { apiKey, ...(key && { key }) };
}

/** Opens the store for reading. */
export async function openReader(place: DataPlace): Promise<ReportReader> {
  if (place.kind === "file") return createFileReader(place);
  return place.kind === "sqlite" ? await createSqliteReader(place) : await createClickHouseReader(place.options);
}
