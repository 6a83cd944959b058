/** A prepared statement of `node:sqlite`. */
export interface SqliteStatement {
  /** Runs it, and says how many rows it changed. */
  run(...values: readonly (string | number | null)[]): { readonly changes: number | bigint };
  /** Returns its first row. */
  get(...values: readonly (string | number | null)[]): Readonly<Record<string, unknown>> | undefined;
  /** Returns its rows. */
  all(...values: readonly (string | number | null)[]): readonly Readonly<Record<string, unknown>>[];
}

/** A database of `node:sqlite`. */
export interface SqliteDatabase {
  /** Runs statements that return nothing. */
  exec(sql: string): void;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes it. */
  close(): void;
}

/** The part of `node:sqlite` in use, so that a user of the package needs no types of Node. */
export interface SqliteModule {
  /** Opens a database. */
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => SqliteDatabase;
}

/** What a runtime lacks. */
export const NO_SQLITE = "SQLite needs node:sqlite, which Deno has since 2.2 and Node since 22.13";

/** The global that Node, Deno and Bun look built-in modules up with. */
interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (id: string) => SqliteModule | undefined };
}

/**
 * Looks `node:sqlite` up. An import would fail on Node 20 before anyone could say what is missing.
 *
 * @throws {Error} Where the runtime has no `node:sqlite`.
 */
export function loadSqlite({ process }: Runtime = globalThis as Runtime): SqliteModule {
  const sqlite = process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new Error(NO_SQLITE);
  }
  return sqlite;
}
