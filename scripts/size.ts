/**
 * `deno task size`: the size of the client as a page loads it, in total and by module. With `--check` it fails over
 * the limit.
 *
 * @module
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { bundleWithReport } from "./bundle.ts";

/** Bytes that the minified client is to take, compressed with brotli; it doesn't yet. */
export const BUDGET_BYTES = 4_500;

/** What it may take until then, see CONTRIBUTING.md. Whoever makes the client smaller lowers it. */
export const LIMIT_BYTES = 7_250;

/** Bytes of a program text as it is, and as servers send it. */
export interface Size {
  /** Uncompressed. */
  readonly minified: number;
  /** Compressed with gzip, level 9. */
  readonly gzip: number;
  /** Compressed with brotli, quality 11. */
  readonly brotli: number;
}

/** Measures a program text. */
export function measure(text: string): Size {
  const bytes = new TextEncoder().encode(text);
  return {
    minified: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length,
  };
}

function main(isCheck: boolean): number {
  const { text, modules } = bundleWithReport({ entry: "mod.ts", format: "esm", minify: true });
  const size = measure(text);
  for (const [path, bytes] of modules) console.log(`${String(bytes).padStart(7)}  ${path}`);
  console.log(`${String(size.minified).padStart(7)}  minified`);
  console.log(`${String(size.gzip).padStart(7)}  gzip`);
  console.log(`${String(size.brotli).padStart(7)}  brotli, limit ${LIMIT_BYTES}, budget ${BUDGET_BYTES}`);
  if (!isCheck || size.brotli <= LIMIT_BYTES) return 0;
  console.error(`The client is ${size.brotli - LIMIT_BYTES} bytes over its limit.`);
  return 1;
}

if (import.meta.main) Deno.exit(main(Deno.args.includes("--check")));
