/**
 * `deno task size`: the size of the client as a page loads it, in total and by module, with what each is for; of the
 * script-tag build, of the loader snippet, and of what other entry points add. With `--check` it fails over a limit.
 *
 * Compression has no parts: `share` is a module's part of the compressed client, in proportion to its minified text.
 *
 * @module
 */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { minify_sync } from "terser";
import { bundleAndMeasure } from "../support/bundle.ts";
import { buildClientPart, buildLoaderSnippet, buildScript } from "../package/global_script.ts";
import { listEntries, SDK } from "../package/packages.ts";
import { PURPOSES } from "./size_purposes.ts";

/** Most bytes that the minified client may take, compressed with brotli. */
export const LIMIT_BYTES = 8_300;

/** Bytes that it aims at. */
export const AIM_BYTES = 7_800;

/** Most bytes that the client may take of the script-tag build, compressed with brotli. */
const GLOBAL_LIMIT_BYTES = 7_800;

/** Most bytes that the loader snippet may take of a page's source. */
const SNIPPET_LIMIT_BYTES = 1_250;

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

/** Returns the entry points that a page may add to the client, by the names under which it imports them. */
function listAddedEntries(): readonly (readonly [name: string, entry: string])[] {
  return Object.entries(listEntries(SDK))
    .filter(([, path]) => path.startsWith("src/addons/") || path === "src/plan/mod.ts")
    .map(([subPath, path]) => [SDK.source.name + subPath.slice(1), path] as const);
}

function main(isCheck: boolean): number {
  const { text, modules } = bundleAndMeasure({ entry: "mod.ts", format: "esm", minify: true });
  const size = measure(text);
  const print = (minified: unknown, share: unknown, what: string): void =>
    console.log(`${String(minified).padStart(8)}${String(share).padStart(8)}  ${what}`);
  print("minified", "share", "");
  for (const [path, bytes] of [...modules].sort(([, one], [, other]) => other - one)) {
    if (bytes > 0) print(bytes, Math.round(bytes / size.minified * size.brotli), `${path}: ${PURPOSES[path] ?? "?"}`);
  }
  const file = measure(buildScript().text).brotli;
  const client = measure(buildClientPart()).brotli;
  const snippet = measure(buildLoaderSnippet()).minified;
  print(size.minified, size.brotli, `in all, with gzip ${size.gzip}; aim ${AIM_BYTES}`);
  const { code = "" } = minify_sync(text, { module: true, ecma: 2020 });
  print(code.length, measure(code).brotli, "the same, where terser gives the names, as webpack has it");
  print("", file, "vendor.global.js");
  for (const [name, entry] of listAddedEntries()) {
    const added = bundleAndMeasure({ entry, format: "esm", minify: true });
    const all = measure(added.text);
    const shared = [...added.modules].reduce((sum, [path, bytes]) => sum + (modules.has(path) ? bytes : 0), 0);
    const own = all.minified - shared;
    const share = own === 0 ? 0 : own / all.minified * all.brotli;
    print(own, Math.round(share), `${name}, beside the client`);
  }
  const limits = [
    ["client", size.brotli, LIMIT_BYTES],
    ["client in the script-tag build", client, GLOBAL_LIMIT_BYTES],
    ["loader snippet", snippet, SNIPPET_LIMIT_BYTES],
  ] as const;
  const exceeded = limits.filter(([, bytes, limit]) => isCheck && bytes > limit);
  for (const [what, bytes, limit] of exceeded) console.error(`The ${what} is ${bytes - limit} bytes over its limit.`);
  console.log(limits.map(([what, bytes, limit]) => `${what} ${bytes} of ${limit} bytes`).join(", "));
  return exceeded.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(main(Deno.args.includes("--check")));
