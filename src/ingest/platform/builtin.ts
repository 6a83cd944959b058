/** The message where a runtime lacks a part that SQLite needs. */
export const NO_SQLITE = "a folder of events needs SQLite, which Node has since 22.13 and Deno since 2.2";

/** The global that Node, Deno and Bun look built-in modules up with. */
export interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
}

/**
 * Looks a module of the runtime up; undefined where it has none. An import, even a dynamic one, would keep the ingest
 * from being bundled for runtimes without it, such as Workers, and fail on Node 20 before anyone could say what is
 * missing. The caller names the part in use, so that a user of the package needs no types of Node.
 */
export function findBuiltin<M>(name: string, { process }: Runtime = globalThis as Runtime): M | undefined {
  return process?.getBuiltinModule?.(name) as M | undefined;
}
