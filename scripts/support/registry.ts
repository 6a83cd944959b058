import { runProcess } from "./process.ts";

/** The import map that stands in for JSR. */
const OFFLINE_MAP = "tests/offline/import_map.json";

const PROBE_LIMIT_MS = 8_000;

/** Where the packages of the tests come from. */
export interface Registry {
  /** Whether JSR answers, or Deno's cache has the packages from an earlier time that it did. */
  readonly isJsrReachable: boolean;
  /** Arguments with which `deno test`, `deno check` and `deno run` resolve the packages. */
  readonly denoArgs: readonly string[];
  /** A line that says which packages are used. */
  readonly summary: string;
}

/**
 * Loads from JSR what the tests import, each module that has a stand-in; a machine may reach npm alone. No answer
 * within the limit in milliseconds is none.
 */
export async function findRegistry(limitMs: number = PROBE_LIMIT_MS): Promise<Registry> {
  const { code } = await runProcess(Deno.execPath(), {
    args: ["cache", "--no-config", ...listModules()],
    isQuiet: true,
    timeoutMs: limitMs,
  });
  if (code === 0) return { isJsrReachable: true, denoArgs: [], summary: "JSR answers: using the @std packages" };
  return {
    isJsrReachable: false,
    denoArgs: ["--no-lock", "--import-map", OFFLINE_MAP],
    summary: "JSR doesn't answer: using the stand-ins of tests/offline",
  };
}

/** Returns what the names of the stand-ins mean without them, such as `jsr:@std/testing@^1/mock`. */
function listModules(): readonly string[] {
  const packages = Object.entries(readImports("deno.json"));
  return Object.keys(readImports(OFFLINE_MAP)).flatMap((name) => {
    const [key, specifier = ""] = packages.find(([key]) => name === key || name.startsWith(`${key}/`)) ?? [name];
    return specifier.startsWith("jsr:") ? [specifier + name.slice(key.length)] : [];
  });
}

function readImports(path: string): Readonly<Record<string, string>> {
  return JSON.parse(Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url))).imports;
}
