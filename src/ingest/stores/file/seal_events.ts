import * as zlib from "node:zlib";
import { type ExportedEvent, STORED_COLUMNS } from "../../events/columns.ts";
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

/** An event, and the hash of its key. */
export interface SealedEvent extends ExportedEvent {
  readonly keyHash: string;
}

/** Writes events as the bytes of a sealed file: Parquet, with all columns of `STORED_COLUMNS`. */
export async function sealEvents(events: readonly SealedEvent[]): Promise<Uint8Array> {
  return await packEvents(events, { columns: STORED_COLUMNS, ...chooseCodec() });
}
