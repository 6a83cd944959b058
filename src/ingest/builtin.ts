import type * as crypto from "node:crypto";
import type * as sqlite from "node:sqlite";
import type * as threads from "node:worker_threads";

interface Builtins {
  readonly "node:crypto": typeof crypto;
  readonly "node:sqlite": typeof sqlite;
  readonly "node:worker_threads": typeof threads;
}

/** The global that Node, Deno and Bun look built-in modules up with. */
export interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
}

/**
 * Looks a module of the runtime up; undefined where it has none. An import, even a dynamic one, would keep the ingest
 * from being bundled for runtimes without it, such as Workers, and fail on Node 20 before anyone could say what is missing.
 */
export function findBuiltin<N extends keyof Builtins>(
  name: N,
  { process }: Runtime = globalThis as Runtime,
): Builtins[N] | undefined {
  return process?.getBuiltinModule?.(name) as Builtins[N] | undefined;
}
