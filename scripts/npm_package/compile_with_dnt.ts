import { OPTIONAL_PEERS, type PackageSource } from "./manifest.ts";

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

/** What TypeScript finds wrong. */
interface Diagnostic {
  readonly code: number;
  readonly messageText: unknown;
}

const CANNOT_FIND_MODULE = 2307;

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
    typeCheck: "both",
    declaration: "inline",
    scriptModule: "cjs",
    skipSourceOutput: true,
    skipNpmInstall: true,
    // Node 20 and browsers of 2022 have all of them, and a polyfill would be a side effect of every import.
    polyfills: Object.fromEntries(POLYFILLS.map((name) => [name, false])),
    compilerOptions: {
      target: "ES2022",
      lib: ["ESNext", "DOM", "DOM.Iterable"],
      sourceMap: true,
      inlineSources: true,
    },
    filterDiagnostic: (diagnostic: Diagnostic) => !isOptionalPeer(diagnostic),
    package: { name: source.name, version: source.version },
  });
}

/** `deno task check` sees the types of the peers; here they aren't installed. */
function isOptionalPeer({ code, messageText }: Diagnostic): boolean {
  return code === CANNOT_FIND_MODULE && OPTIONAL_PEERS.some((name) => `${messageText}`.includes(`'${name}'`));
}
