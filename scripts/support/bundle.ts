import { fileURLToPath } from "node:url";
import { buildSync } from "./esbuild.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

const { exports: entries }: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
  Deno.readTextFileSync(`${REPOSITORY}deno.json`),
);

/** Names by which sources import others of the repository, for esbuild. */
export const SOURCE_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entries).map(([subPath, path]) => [`@vendor/sdk${subPath.slice(1)}`, REPOSITORY + path.slice(2)]),
);

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
  /** Folder that packages are in; without one, nothing may import a package. */
  readonly packages?: string;
}

/** A bundle, and what it is made of. */
export interface MeasuredBundle {
  /** The program text. */
  readonly text: string;
  /** Bytes of the text by the module that they come from. */
  readonly modules: ReadonlyMap<string, number>;
}

/** Bundles a module of the repository for browsers of 2022 and later; returns the program text. */
export function bundle(options: BundleOptions): string {
  return bundleAndMeasure(options).text;
}

/** Like {@linkcode bundle}, with what esbuild says of the modules. */
export function bundleAndMeasure({ entry, format, minify, globalName, packages }: BundleOptions): MeasuredBundle {
  // The asynchronous build keeps a child process, and its stop() doesn't wait for the end of it: the leak sanitizers
  // of a test would see it now and then. This one has ended when it returns.
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: REPOSITORY,
    entryPoints: [entry],
    bundle: true,
    format,
    minify,
    target: "es2022",
    platform: "browser",
    external: ["node:*"],
    alias: SOURCE_ALIASES,
    outfile: "bundle.js",
    write: false,
    metafile: true,
    logLevel: "silent",
    ...(globalName && { globalName }),
    ...(packages && { nodePaths: [packages] }),
  });
  const inputs = Object.entries(metafile.outputs["bundle.js"]?.inputs ?? {});
  return {
    text: outputFiles[0]?.text ?? "",
    modules: new Map(inputs.map(([path, { bytesInOutput }]) => [path, bytesInOutput])),
  };
}
