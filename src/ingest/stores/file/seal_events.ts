import * as zlib from "node:zlib";
import { type EventColumn, type ExportedEvent, STORED_COLUMNS } from "../../events/columns.ts";
import { packEvents, type ParquetCodec } from "./event_parquet.ts";

/** Events of a sealed file: fewer make views slower, more make nothing faster. */
export const FILE_EVENTS = 65_536;

/** Higher ones take longer, and save little. */
const ZSTD_LEVEL = 3;

/** Compresses as Zstandard does, where the runtime has it: Node has from 22.15 on. */
function chooseCodec(): ParquetCodec {
  const { zstdCompressSync, constants } = zlib;
  if (typeof zstdCompressSync !== "function") return { codec: "SNAPPY" };
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
  return {
    codec: "ZSTD",
    compressors: { ZSTD: (bytes) => new Uint8Array(zstdCompressSync(bytes, { params })) },
  };
}

/** An event, the hash of its key, and its place in the folder. */
export interface SealedEvent extends ExportedEvent {
  readonly keyHash: string;
  /** Its place in the order of arrival. It has it for good, and no other event ever gets it. */
  readonly seq: number;
}

/** The columns of a sealed file. */
export const SEALED_COLUMNS: readonly EventColumn[] = [
  ...STORED_COLUMNS,
  {
    ...{ name: "seq", type: "long", about: "place in the order of arrival" },
    // Sealed are events that have one.
    read: ({ event }) => (event as SealedEvent).seq,
  },
];

/** Writes events as the bytes of a sealed file: Parquet, with all columns of {@linkcode SEALED_COLUMNS}. */
export async function sealEvents(events: readonly SealedEvent[]): Promise<Uint8Array> {
  return await packEvents(events, { columns: SEALED_COLUMNS, ...chooseCodec() });
}
