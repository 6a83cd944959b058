import * as zlib from "node:zlib";
import type { parquetRead } from "hyparquet";
import type { parquetWriteBuffer } from "hyparquet-writer";

/** Compression of a file's pages. */
export type ParquetCodec = Pick<Parameters<typeof parquetWriteBuffer>[0], "codec" | "compressors">;

/** Decompression of a file's pages. */
export type ParquetDecoders = NonNullable<Parameters<typeof parquetRead>[0]["compressors"]>;

/** Higher ones take longer, and save little. */
const ZSTD_LEVEL = 3;

/** Compresses as Zstandard does, where the runtime has it: Node has from 22.15 on. */
export function chooseCodec(): ParquetCodec {
  const { zstdCompressSync, constants } = zlib;
  if (typeof zstdCompressSync !== "function") return { codec: "SNAPPY" };
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
  return {
    codec: "ZSTD",
    compressors: { ZSTD: (bytes) => new Uint8Array(zstdCompressSync(bytes, { params })) },
  };
}

/** Reads what {@linkcode chooseCodec} has compressed; SNAPPY is hyparquet's own. */
export const DECODERS: ParquetDecoders = {
  ZSTD: (bytes) => {
    const { zstdDecompressSync } = zlib;
    if (typeof zstdDecompressSync !== "function") throw new Error("Zstandard needs Node 22.15 or later, or Deno");
    return new Uint8Array(zstdDecompressSync(bytes));
  },
};
