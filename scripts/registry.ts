import { runProcess } from "./process.ts";

/** The import map that stands in for JSR. */
export const OFFLINE_MAP = "tests/offline/import_map.json";

/** The modules that the tests import. @std/testing has no export of its own name: asked for that, JSR has nothing. */
const PROBED_MODULES = ["jsr:@std/assert@^1", "jsr:@std/testing@^1/mock", "jsr:@std/testing@^1/time"] as const;
const PROBE_LIMIT_MS = 8_000;

/** Where the packages of the tests come from. */
export interface Registry {
  /** Whether JSR answers, or Deno's cache has the packages from an earlier time that it did. */
  readonly isJsrReachable: boolean;
  /** What `deno test`, `deno check` and `deno run` need to resolve the packages. */
  readonly denoArgs: readonly string[];
  /** A line that says which packages are used. */
  readonly summary: string;
}

/**
 * Asks JSR for the modules that the tests use; a machine may reach npm alone. No answer within the limit in
 * milliseconds is none.
 */
export async function findRegistry(limitMs: number = PROBE_LIMIT_MS): Promise<Registry> {
  const answers = await Promise.all(PROBED_MODULES.map((specifier) => canResolve(specifier, limitMs)));
  if (answers.every(Boolean)) {
    return { isJsrReachable: true, denoArgs: [], summary: "JSR answers: using the @std packages" };
  }
  return {
    isJsrReachable: false,
    denoArgs: ["--no-lock", "--import-map", OFFLINE_MAP],
    summary: "JSR doesn't answer: using the stand-ins of tests/offline",
  };
}

// `deno info` fetches as any import would, so a proxy, a mirror or a warm cache counts, too.
async function canResolve(specifier: string, timeoutMs: number): Promise<boolean> {
  const { code, output } = await runProcess(Deno.execPath(), {
    args: ["info", "--no-config", "--json", specifier],
    isQuiet: true,
    timeoutMs,
  });
  return code === 0 && !output.includes('"error":');
}
