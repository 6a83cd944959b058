import { createSqliteSink, type SqliteSink } from "../../src/ingest/sinks/sqlite/sqlite_sink.ts";
import { DemoFault } from "./demo_fault.ts";

/** The demo's database. */
export interface DemoDatabase {
  /** Where the ingest stores events. */
  readonly sink: SqliteSink;
  /** Path of the file. */
  readonly path: string;
  /** Whether the file goes when the demo ends. */
  readonly isTemporary: boolean;
  /** Closes the database, and removes it when it is temporary. */
  close(): Promise<void>;
}

/**
 * Opens the database at the path, or a temporary one.
 *
 * @throws {DemoFault} When it can't be written, or there is no place for a temporary one.
 */
export async function openDatabase(path: string | undefined): Promise<DemoDatabase> {
  if (path !== undefined) {
    const sink = await open(path);
    return { sink, path, isTemporary: false, close: () => sink.close() };
  }
  const directory = await makeDirectory();
  const temporary = `${directory}/events.db`;
  const sink = await open(temporary);
  return {
    sink,
    path: temporary,
    isTemporary: true,
    async close(): Promise<void> {
      await sink.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

async function makeDirectory(): Promise<string> {
  try {
    return await Deno.makeTempDir({ prefix: "vendor-demo-" });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new DemoFault(`no temporary directory can be made (${message}), choose a database with --db`, { cause });
  }
}

async function open(path: string): Promise<SqliteSink> {
  try {
    return await createSqliteSink({ path });
  } catch (cause) {
    throw new DemoFault(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
