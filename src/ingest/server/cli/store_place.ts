import * as v from "valibot";
import type { ClickHouseOptions } from "../../stores/clickhouse/clickhouse_port.ts";
import { listFolderFiles } from "../../stores/file/folder_files.ts";
import { cleanValue } from "./clean_value.ts";
import type { Values } from "./flags.ts";
import {
  buildClickHouse,
  CLICKHOUSE,
  CLICKHOUSE_RULE,
  lenient,
  NO_STORE_URL,
  OF_CLICKHOUSE,
  type Preset,
} from "./shared_flags.ts";

/** Where the data is. */
export type StorePlace =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "clickhouse"; readonly options: ClickHouseOptions };

const STORE = v.pipe(
  v.string(),
  v.transform(cleanValue),
  NO_STORE_URL,
  v.regex(/^(file:.|clickhouse:)/s, "must be file:FOLDER or clickhouse:URL"),
  v.check((sink) => !sink.startsWith("clickhouse:") || v.is(CLICKHOUSE.schema, sink), CLICKHOUSE_RULE),
);

/** Where the data is, and how to sign in there. */
export const OF_STORE: { readonly sink: Preset<string> } & typeof OF_CLICKHOUSE = {
  sink: {
    value: "SINK",
    schema: STORE,
    default: "file:events",
    help: "file:FOLDER, or the loader's clickhouse:URL",
  },
  ...lenient(OF_CLICKHOUSE),
};

/** Returns where the data is. */
export function readPlace({ sink, ...signIn }: Values<typeof OF_STORE>): StorePlace {
  return sink.startsWith("file:")
    ? { kind: "file", path: sink.slice("file:".length) }
    : { kind: "clickhouse", options: buildClickHouse(sink.slice("clickhouse:".length), signIn) };
}

/** Returns the files that a place has. */
export function listUsed(place: StorePlace): readonly string[] {
  return place.kind === "file" ? listFolderFiles(place.path) : [];
}
