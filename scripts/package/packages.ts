/** A package, as its deno.json describes it. */
export interface PackageSource {
  /** Package name. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** One-sentence description. */
  readonly description: string;
  /** SPDX licence identifier. */
  readonly license: string;
  /** Modules by sub-path, relative to the deno.json. */
  readonly exports: Readonly<Record<string, string>>;
  /** Specifiers by the names under which the modules import them. */
  readonly imports: Readonly<Record<string, string>>;
}

/** A package for npm, and what makes it differ from the other one. */
export interface NpmPackage {
  /** Its deno.json. */
  readonly source: PackageSource;
  /** Folder of its deno.json, README.md and CHANGELOG.md: empty, or with a slash at its end. */
  readonly folder: string;
  /** Folder that its modules' paths in the package are relative to, likewise. */
  readonly root: string;
  /** Where it is built. */
  readonly directory: string;
  /** Libraries that npm installs with it. */
  readonly dependencies: readonly string[];
  /** Libraries that npm installs with it where it can, at this very version: native code that a part of it loads. */
  readonly optionalDependencies: readonly string[];
  /** Packages that a part of it loads when it is used, and that its users install. */
  readonly optionalPeers: readonly string[];
  /** Scripts for pages without a bundler. */
  readonly scripts: readonly string[];
  /** Its program: what `npx` calls it, its path in the package, its module in the repository, and its demo's folder. */
  readonly program?: { readonly name: string; readonly path: string; readonly entry: string; readonly demo: string };
  /** Keywords to find it by. */
  readonly keywords: readonly string[];
  /** Whether its source maps lead to lines alone, a third of the bytes: nobody minifies what runs on a server. */
  readonly hasLineMaps: boolean;
  /** A text that stands once in its sources, so that the way back from a build can be followed to its line. */
  readonly landmark: { readonly path: string; readonly text: string };
  /** Most bytes and files that it may take on a disk. */
  readonly limits: { readonly bytes: number; readonly files: number };
}

/** The SDK as a script for pages without a bundler. */
export const GLOBAL_SCRIPT = "vendor.global.js";

/** The SDK. */
export const SDK: NpmPackage = {
  source: readSource(""),
  folder: "",
  root: "",
  directory: "npm/sdk",
  dependencies: [],
  optionalDependencies: [],
  optionalPeers: [],
  scripts: [
    GLOBAL_SCRIPT,
    "vendor.consent.global.js",
    "vendor.banner.global.js",
    "vendor.inspector.global.js",
    "vendor.rules.global.js",
    "vendor.auto.global.js",
  ],
  keywords: ["analytics", "browser", "consent", "pageviews"],
  hasLineMaps: false,
  landmark: { path: "src/client/config.ts", text: "Missing required configuration" },
  limits: { bytes: 2_000_000, files: 600 },
};

/** The ingest. */
export const INGEST: NpmPackage = {
  source: readSource("src/ingest/"),
  folder: "src/ingest/",
  root: "src/",
  directory: "npm/ingest",
  dependencies: ["hyparquet", "hyparquet-writer", "isbot", "valibot"],
  optionalDependencies: ["@duckdb/node-api"],
  optionalPeers: ["@clickhouse/client", "@nats-io/jetstream", "@nats-io/transport-node"],
  scripts: [],
  program: { name: "vendor-ingest", path: "bin/ingest.mjs", entry: "src/ingest/server/bin.ts", demo: "demo" },
  keywords: ["analytics", "ingest", "events", "reports"],
  hasLineMaps: true,
  landmark: { path: "src/ingest/plan.ts", text: "planMode must be" },
  limits: { bytes: 4_500_000, files: 1_200 },
};

/** Both, in the order in which they are published. */
export const PACKAGES: readonly NpmPackage[] = [SDK, INGEST];

/** Returns a package's modules by sub-path, relative to the repository. */
export function listEntries({ source, folder }: NpmPackage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(source.exports).map(([subPath, path]) => [subPath, folder + path.replace("./", "")]),
  );
}

/** Returns what `npm install` is to be told, to have the libraries of a package at the versions that we test with. */
export function listLibraries(npmPackage: NpmPackage): readonly string[] {
  const { dependencies, optionalDependencies, optionalPeers } = npmPackage;
  return [...dependencies, ...optionalDependencies, ...optionalPeers].map((name) => findImport(npmPackage, name));
}

/** Returns the specifier under which npm knows a library. */
export function findImport(
  { source: { name: owner, imports }, optionalDependencies }: NpmPackage,
  name: string,
): string {
  const specifier = optionalDependencies.includes(name) ? findTestImport(name) : imports[name];
  if (!specifier?.startsWith("npm:")) throw new Error(`the imports of ${owner} have no ${name} of npm`);
  return specifier.slice("npm:".length);
}

/** Returns the specifier of what tests and scripts alone import, or what is large: `deno task` downloads what stands elsewhere. */
export function findTestImport(name: string): string {
  const { scopes }: { readonly scopes: { readonly "./": Readonly<Record<string, string>> } } = JSON.parse(
    readText("deno.json"),
  );
  const specifier = scopes["./"][name];
  if (!specifier) throw new Error(`the scope of deno.json has no ${name}`);
  return specifier;
}

function readSource(folder: string): PackageSource {
  return JSON.parse(readText(`${folder}deno.json`));
}

function readText(path: string): string {
  return Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
}
