import type { DatabaseSync } from "node:sqlite";
import { findBuiltin, type Runtime } from "../../builtin.ts";

/** The part of `node:sqlite` in use. */
export interface SqliteModule {
  /** Opens a database. */
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => DatabaseSync;
}

/** What a runtime lacks. */
export const NO_SQLITE = "SQLite needs node:sqlite, which Deno has since 2.2 and Node since 22.13";

/**
 * Looks `node:sqlite` up.
 *
 * @throws {Error} Where the runtime has none.
 */
export function loadSqlite(runtime?: Runtime): SqliteModule {
  const sqlite = findBuiltin("node:sqlite", runtime);
  if (sqlite === undefined) throw new Error(NO_SQLITE);
  return sqlite;
}
