import { listPeers, type PackageSource } from "./manifest.ts";

// Not a literal, so that the type check doesn't need JSR.
const DNT: string = "@deno/dnt";
const PROBE_LIMIT_MS = 8_000;

const POLYFILLS = [
  "arrayFindLast",
  "arrayFromAsync",
  "errorCause",
  "objectHasOwn",
  "promiseWithResolvers",
  "stringReplaceAll",
] as const;

interface Dnt {
  readonly build: (options: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** Loads dnt, which is on JSR only; undefined where it can't be had in time. An import map may say where it is. */
export async function loadDnt(limitMs: number = PROBE_LIMIT_MS): Promise<Dnt | undefined> {
  const limit = Promise.withResolvers<undefined>();
  const timer = setTimeout(limit.resolve, limitMs);
  try {
    return await Promise.race([import(DNT), limit.promise]);
  } catch {
    return undefined; // JSR doesn't answer
  } finally {
    clearTimeout(timer);
  }
}

/** Compiles the package with dnt, the usual way from Deno to npm. */
export async function compileWithDnt({ build }: Dnt, source: PackageSource, outDirectory: string): Promise<void> {
  await build({
    entryPoints: Object.entries(source.exports).map(([name, path]) => ({ name, path })),
    outDir: `./${outDirectory}`,
    shims: {},
    test: false,
    // Of CommonJS dnt resolves types as Node 10 did, and misses some of the peers'; the packed declarations are checked.
    typeCheck: "single",
    declaration: "inline",
    scriptModule: "cjs",
    skipSourceOutput: true,
    // Node 20 and browsers of 2022 have all of them, and a polyfill would be a side effect of every import.
    polyfills: Object.fromEntries(POLYFILLS.map((name) => [name, false])),
    compilerOptions: {
      target: "ES2022",
      lib: ["ESNext", "DOM", "DOM.Iterable"],
      sourceMap: true,
      inlineSources: true,
    },
    // What is installed is for its types alone: package.json is replaced, and node_modules go.
    package: { name: source.name, version: source.version, devDependencies: toVersions(listPeers(source)) },
  });
}

function toVersions(specifiers: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(specifiers.map((specifier) => {
    const separator = specifier.lastIndexOf("@");
    return [specifier.slice(0, separator), specifier.slice(separator + 1)];
  }));
}
