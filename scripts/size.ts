/**
 * `deno task size`: the size of the client as a page loads it, in total and by module, with what each is for; of the
 * script-tag build, and of the loader snippet. With `--check` it fails over a limit.
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
import { buildClientPart, buildGlobalScript, buildLoaderSnippet } from "./npm_package/global_script.ts";
import { PURPOSES } from "./size_purposes.ts";

/** Most bytes that the minified client may take, compressed with brotli. */
export const LIMIT_BYTES = 7_000;

/** What it aims at. */
export const AIM_BYTES = 6_700;

/** Most bytes that the client may take of the script-tag build, compressed with brotli. */
export const GLOBAL_LIMIT_BYTES = 6_500;

/** Most bytes that the loader snippet may take of a page's source. */
export const SNIPPET_LIMIT_BYTES = 1_250;

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
  const file = measure(buildGlobalScript().text).brotli;
  const client = measure(buildClientPart()).brotli;
  const snippet = measure(buildLoaderSnippet()).minified;
  const line = (bytes: number, text: string): void => console.log(`${String(bytes).padStart(8)}  ${text}`);
  line(size.minified, "minified");
  line(size.gzip, "gzip");
  line(size.brotli, `brotli, limit ${LIMIT_BYTES}, aim ${AIM_BYTES}`);
  line(file, `brotli, vendor.global.js; the client is ${client} of it, limit ${GLOBAL_LIMIT_BYTES}`);
  line(snippet, `loader snippet, minified, limit ${SNIPPET_LIMIT_BYTES}`);
  const limits = [
    ["client", size.brotli, LIMIT_BYTES],
    ["client in the script-tag build", client, GLOBAL_LIMIT_BYTES],
    ["loader snippet", snippet, SNIPPET_LIMIT_BYTES],
  ] as const;
  const exceeded = limits.filter(([, bytes, limit]) => isCheck && bytes > limit);
  for (const [what, bytes, limit] of exceeded) console.error(`The ${what} is ${bytes - limit} bytes over its limit.`);
  return exceeded.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(main(Deno.args.includes("--check")));
