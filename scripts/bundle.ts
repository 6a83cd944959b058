import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync, type Metafile } from "./esbuild.ts";

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

/** A bundle, and what it is made of. */
export interface BundleReport {
  /** The program text. */
  readonly text: string;
  /** Bytes that each module adds to the text, largest first, by path relative to the repository. */
  readonly modules: readonly (readonly [path: string, bytes: number])[];
}

/** Bundles a module of the repository for browsers of 2022 and later; returns the program text. */
export function bundle(options: BundleOptions): string {
  return bundleWithReport(options).text;
}

/** Like {@linkcode bundle}, and says what each module adds. */
export function bundleWithReport(options: BundleOptions): BundleReport {
  // The asynchronous build keeps a child process, and its stop() doesn't wait for the end of it: the leak sanitizers
  // of a test would see it now and then. This one has ended when it returns.
  const { outputFiles, metafile } = buildSync(toBuildOptions(options));
  return { text: outputFiles.map(({ text }) => text).join(""), modules: measureModules(metafile) };
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
    metafile: true,
    write: false,
    logLevel: "silent",
    ...(globalName && { globalName }),
  } as const satisfies BuildOptions;
}

function measureModules({ outputs }: Metafile): [string, number][] {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return inputs.map(([path, { bytesInOutput }]): [string, number] => [path, bytesInOutput]).sort(([, a], [, b]) =>
    b - a
  );
}
