/**
 * `deno task size`: the size of the client as a page loads it, in total and by module, with what each is for. With
 * `--check` it fails over the limit.
 *
 * Compression has no parts: what a module costs depends on what is like it elsewhere. `alone` is what the client would
 * be smaller by without that module's text, which the modules that resemble each other share; `share` scales these up
 * to the whole, so that the column adds up. A few bytes may be the compressor's luck, below zero too.
 *
 * @module
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { bundleWithMap, type MappedBundle } from "./bundle.ts";
import { splitByModule } from "./module_texts.ts";
import { PURPOSES } from "./size_purposes.ts";

/** Bytes that the minified client is to take, compressed with brotli; it doesn't yet. */
export const BUDGET_BYTES = 4_500;

/** What it may take until then, see CONTRIBUTING.md. Whoever makes the client smaller lowers it. */
export const LIMIT_BYTES = 8_652;

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

/** What a module takes of the client. */
export interface ModuleSize {
  /** Path, relative to the repository. */
  readonly path: string;
  /** Bytes of its minified text. */
  readonly minified: number;
  /** Bytes by which the compressed client is smaller without that text. */
  readonly alone: number;
  /** Its part of the compressed client, in proportion to `alone`. */
  readonly share: number;
}

/** Measures the modules of a bundle, largest first. */
export function measureModules(bundle: MappedBundle): ModuleSize[] {
  const pieces = splitByModule(bundle);
  const { brotli } = measure(bundle.text);
  const sizes = [...new Set(pieces.map(({ path }) => path))].map((path) => {
    const join = (isWanted: boolean): string =>
      pieces.filter((piece) => (piece.path === path) === isWanted).map(({ text }) => text).join("");
    return { path, minified: measure(join(true)).minified, alone: brotli - measure(join(false)).brotli };
  });
  const sum = sizes.reduce((total, { alone }) => total + Math.max(0, alone), 0);
  return sizes.map((size) => ({ ...size, share: Math.round(Math.max(0, size.alone) / sum * brotli) }))
    .sort((a, b) => b.share - a.share);
}

function main(isCheck: boolean): number {
  const bundle = bundleWithMap({ entry: "mod.ts", format: "esm", minify: true });
  const size = measure(bundle.text);
  const print = (...[minified, alone, share, text]: readonly (number | string)[]): void =>
    console.log(`${[minified, alone, share].map((value) => `${value}`.padStart(8)).join("")}  ${text}`);
  print("minified", "alone", "share", "brotli bytes: see scripts/size.ts");
  for (const { path, minified, alone, share } of measureModules(bundle)) {
    print(minified, alone, share, `${path}: ${PURPOSES[path] ?? "?"}`);
  }
  console.log(`${String(size.minified).padStart(8)}  minified`);
  console.log(`${String(size.gzip).padStart(8)}  gzip`);
  console.log(`${String(size.brotli).padStart(8)}  brotli, limit ${LIMIT_BYTES}, budget ${BUDGET_BYTES}`);
  if (!isCheck || size.brotli <= LIMIT_BYTES) return 0;
  console.error(`The client is ${size.brotli - LIMIT_BYTES} bytes over its limit.`);
  return 1;
}

if (import.meta.main) Deno.exit(main(Deno.args.includes("--check")));
