import type { DatabaseSync } from "node:sqlite";
import { findBuiltin, NO_SQLITE, type Runtime } from "./builtin.ts";

/** The part of `node:sqlite` in use. */
export interface SqliteModule {
  /** Opens a database. */
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => DatabaseSync;
}

/**
 * Looks `node:sqlite` up.
 *
 * @throws {Error} Where the runtime has none.
 */
export function loadSqlite(runtime?: Runtime): SqliteModule {
  const sqlite = findBuiltin<SqliteModule>("node:sqlite", runtime);
  if (sqlite === undefined) throw new Error(NO_SQLITE);
  return sqlite;
}
