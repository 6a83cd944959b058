import { fileURLToPath } from "node:url";
import { runProcess } from "../support/process.ts";
import { findRegistry } from "../support/registry.ts";
import { listEntries, type NpmPackage, SDK } from "./packages.ts";

/** A slow line takes minutes for dnt, whose compiler is 10 MB. */
const LOAD_LIMIT_MS = 300_000;
const BUILD_LIMIT_MS = 300_000;

const RUNNER = fileURLToPath(new URL("run_dnt.ts", import.meta.url));

/** Lock of what dnt imports, as the release of dnt has it. */
const LOCK = fileURLToPath(new URL("dnt.lock.json", import.meta.url));

const POLYFILLS = [
  "arrayFindLast",
  "arrayFromAsync",
  "errorCause",
  "objectHasOwn",
  "promiseWithResolvers",
  "stringReplaceAll",
] as const;

/** Whether dnt can be had. */
export type FoundDnt = { readonly isFound: true } | { readonly isFound: false; readonly reason: string };

/**
 * Loads dnt, which is on JSR only, in a process that can be ended: an import of a silent registry would hold this one
 * for ever. Where dnt isn't required, JSR has to answer within seconds.
 */
export async function findDnt({ isRequired }: { readonly isRequired: boolean }): Promise<FoundDnt> {
  if (!isRequired && !(await findRegistry()).isJsrReachable) return { isFound: false, reason: "JSR doesn't answer" };
  return await withLock(async (lock) => {
    const args = ["cache", "--no-config", `--lock=${lock}`, readSpecifier()];
    const env = { NO_COLOR: "1" };
    const { code, output } = await runProcess(Deno.execPath(), { args, env, isQuiet: true, timeoutMs: LOAD_LIMIT_MS });
    if (code === 0) return { isFound: true };
    const reason = output.split(/^(?:Download .*|\s*|Stack backtrace:|.*<unknown>)\n/m).join("").trim();
    return { isFound: false, reason: reason || `it wasn't loaded within ${LOAD_LIMIT_MS / 1000} s` };
  });
}

/** Compiles the staged sources with dnt, the usual way from Deno to npm. */
export async function compileWithDnt(
  npmPackage: NpmPackage,
  { stage, directory }: { readonly stage: string; readonly directory: string },
): Promise<void> {
  const { name, version } = npmPackage.source;
  const options = {
    entryPoints: Object.entries(listEntries(npmPackage)).map(([name, path]) => ({ name, path: `${stage}/${path}` })),
    outDir: directory,
    configFile: `${stage}/deno.json`,
    shims: {},
    test: false,
    // Of CommonJS dnt resolves types as Node 10 did, and misses some libraries'; the packed declarations are checked.
    typeCheck: "single",
    declaration: "inline",
    scriptModule: "cjs",
    skipSourceOutput: true,
    // Node 20 and browsers of 2022 have all of them, and a polyfill would be a side effect of every import.
    polyfills: Object.fromEntries(POLYFILLS.map((name) => [name, false])),
    compilerOptions: { target: "ES2022", lib: ["ESNext", "DOM", "DOM.Iterable"], sourceMap: true },
    // It adds the libraries, for their types: package.json is replaced, and node_modules go.
    package: { name, version },
  };
  await withLock(async (lock) => {
    const { code, output } = await runProcess(Deno.execPath(), {
      args: ["run", "-A", "--no-config", `--lock=${lock}`, RUNNER, readSpecifier(), JSON.stringify(options)],
      isQuiet: true,
      timeoutMs: BUILD_LIMIT_MS,
    });
    if (code !== 0) throw new Error(`dnt failed:\n${output}`);
  });
}

function readSpecifier(): string {
  return SDK.source.imports["@deno/dnt"] ?? "";
}

/** Hands out a copy of the lock, which Deno writes to. */
async function withLock<T>(use: (path: string) => Promise<T>): Promise<T> {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.copyFile(LOCK, path);
    return await use(path);
  } finally {
    await Deno.remove(path);
  }
}
