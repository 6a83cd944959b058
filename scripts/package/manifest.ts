/** What deno.json says of the package. */
export interface PackageSource {
  /** Package name. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** One-sentence description. */
  readonly description: string;
  /** SPDX licence identifier. */
  readonly license: string;
  /** Modules by sub-path, relative to the repository. */
  readonly exports: Readonly<Record<string, string>>;
  /** Specifiers by the names under which the modules import them. */
  readonly imports: Readonly<Record<string, string>>;
  /** The same for tests and scripts alone: `deno task` downloads all of `imports` before it runs anything. */
  readonly scopes: { readonly "./": Readonly<Record<string, string>> };
}

/** Packages that a part of ours loads when it is used, and that its users install. */
export const OPTIONAL_PEERS: readonly string[] = [
  "@clickhouse/client",
  "@nats-io/jetstream",
  "@nats-io/transport-node",
  "isbot",
  "valibot",
];

/** Name of the script-tag build in the npm package. */
export const GLOBAL_SCRIPT = "vendor.global.js";

/** Name of the script-tag build's inspector in the npm package. */
export const INSPECTOR_SCRIPT = "vendor.inspector.global.js";

/** `rememberConsent()` and the consent platforms, for pages with the script tag. */
export const CONSENT_SCRIPT = "vendor.consent.global.js";

/** Name of the script-tag build's rules in the npm package. */
export const RULES_SCRIPT = "vendor.rules.global.js";

/** Name of the script-tag build's `auto()` in the npm package. */
export const AUTO_SCRIPT = "vendor.auto.global.js";

/** All scripts for pages without a bundler. */
export const SCRIPTS: readonly string[] = [GLOBAL_SCRIPT, CONSENT_SCRIPT, INSPECTOR_SCRIPT, RULES_SCRIPT, AUTO_SCRIPT];

/** Directory of the ES modules in the npm package, laid out as dnt does. */
export const ESM_DIRECTORY = "esm";

/** Directory of the CommonJS modules in the npm package, laid out as dnt does. */
export const SCRIPT_DIRECTORY = "script";

/** Path of the ingest's program in the npm package. */
export const PROGRAM_PATH = "bin/ingest.mjs";

/** Name of the ingest's program, for `npx -p @vendor/sdk`; as the only one, `npx @vendor/sdk` runs it. */
export const PROGRAM_NAME = "vendor-ingest";

/** The repository. */
export const REPOSITORY_URL = "https://github.com/vendor/sdk";

/** Reads deno.json. */
export function readPackageSource(): PackageSource {
  return JSON.parse(Deno.readTextFileSync(new URL("../../deno.json", import.meta.url)));
}

/** Builds the package.json of the npm package: whatever compiles the modules, the package is the same. */
export function buildManifest(source: PackageSource): Record<string, unknown> {
  const entries = Object.entries(source.exports);
  const subPaths = entries.filter(([subPath]) => subPath !== ".");
  const main = source.exports["."] ?? "./mod.ts";
  return {
    name: source.name,
    version: source.version,
    description: source.description,
    license: source.license,
    homepage: `${REPOSITORY_URL}#readme`,
    bugs: `${REPOSITORY_URL}/issues`,
    repository: { type: "git", url: `git+${REPOSITORY_URL}.git` },
    keywords: ["analytics", "browser", "consent", "pageviews"],
    type: "commonjs",
    sideEffects: false,
    engines: { node: ">=20" },
    main: toOutput(SCRIPT_DIRECTORY, main, ".js"),
    module: toOutput(ESM_DIRECTORY, main, ".js"),
    types: toOutput(SCRIPT_DIRECTORY, main, ".d.ts"),
    // What these two networks serve for the bare name of the package.
    unpkg: `./${GLOBAL_SCRIPT}`,
    jsdelivr: `./${GLOBAL_SCRIPT}`,
    exports: Object.fromEntries([
      ...entries.map(([subPath, path]) => [subPath, toConditions(path)]),
      // For those who copy them to their own server.
      ...SCRIPTS.map((name) => [`./${name}`, `./${name}`]),
      ["./package.json", "./package.json"],
    ]),
    // Resolvers that don't read `exports` find the types of the sub-paths here.
    typesVersions: {
      "*": Object.fromEntries(
        subPaths.map(([subPath, path]) => [subPath.slice(2), [toOutput(SCRIPT_DIRECTORY, path, ".d.ts")]]),
      ),
    },
    bin: { [PROGRAM_NAME]: PROGRAM_PATH },
    peerDependencies: Object.fromEntries(OPTIONAL_PEERS.map((peer) => [peer, toPeerRange(source, peer)])),
    peerDependenciesMeta: Object.fromEntries(OPTIONAL_PEERS.map((peer) => [peer, { optional: true }])),
    files: [
      ESM_DIRECTORY,
      SCRIPT_DIRECTORY,
      ...SCRIPTS.flatMap((name) => [name, `${name}.map`]),
      PROGRAM_PATH,
      "docs",
      "CHANGELOG.md",
    ],
    publishConfig: { access: "public", provenance: true },
  };
}

/** Returns what `npm install` is to be told, to have the peers at the versions that we test with. */
export function listPeers({ imports }: Pick<PackageSource, "imports">): readonly string[] {
  return OPTIONAL_PEERS.flatMap((peer) => imports[peer]?.replace("npm:", "") ?? []);
}

// We test with one version; npm takes newer ones that are compatible.
function toPeerRange({ imports }: PackageSource, peer: string): string {
  return imports[peer]?.replace(`npm:${peer}@`, "^") ?? "*";
}

// Each format has declarations of its own: a CommonJS importer must not see those of an ES module. Bundlers take
// `module` for both, so that an application and a dependency that says `require()` share one `Vendor`.
function toConditions(path: string): Record<string, unknown> {
  return {
    import: { types: toOutput(ESM_DIRECTORY, path, ".d.ts"), default: toOutput(ESM_DIRECTORY, path, ".js") },
    module: toOutput(ESM_DIRECTORY, path, ".js"),
    require: { types: toOutput(SCRIPT_DIRECTORY, path, ".d.ts"), default: toOutput(SCRIPT_DIRECTORY, path, ".js") },
  };
}

function toOutput(directory: string, path: string, extension: string): string {
  return `./${directory}/${path.replace(/^\.\//, "").replace(/\.ts$/, extension)}`;
}
