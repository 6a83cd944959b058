import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "./esbuild.ts";

const REPOSITORY = fileURLToPath(new URL("../", import.meta.url));

/** Settings of {@linkcode bundle}. */
export interface BundleOptions {
  /** The module to start from, relative to the repository. */
  readonly entry: string;
  /** An ES module, or a script that assigns the module's exports to {@linkcode BundleOptions.globalName}. */
  readonly format: "esm" | "iife";
  /** Whether the text is minified. */
  readonly minify: boolean;
  /** Name of the global variable of an `iife`. */
  readonly globalName?: string;
}

/** A bundle, and where its parts come from. */
export interface MappedBundle {
  /** The program text. */
  readonly text: string;
  /** Its source map. */
  readonly map: string;
}

/** Bundles a module of the repository for browsers of 2022 and later; returns the program text. */
export function bundle(options: BundleOptions): string {
  return bundleWithMap(options).text;
}

/** Like {@linkcode bundle}, with the source map. */
export function bundleWithMap(options: BundleOptions): MappedBundle {
  // The asynchronous build keeps a child process, and its stop() doesn't wait for the end of it: the leak sanitizers
  // of a test would see it now and then. This one has ended when it returns.
  const { outputFiles } = buildSync(toBuildOptions(options));
  const [map = "", text = ""] = outputFiles.toSorted((a, b) => b.path.length - a.path.length).map(({ text }) => text);
  return { text, map };
}

function toBuildOptions({ entry, format, minify, globalName }: BundleOptions) {
  return {
    absWorkingDir: REPOSITORY,
    entryPoints: [entry],
    bundle: true,
    format,
    minify,
    target: "es2022",
    platform: "browser",
    external: ["node:*"],
    outfile: "bundle.js",
    sourcemap: "external",
    write: false,
    logLevel: "silent",
    ...(globalName && { globalName }),
  } as const satisfies BuildOptions;
}
