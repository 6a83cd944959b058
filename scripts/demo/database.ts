import { createSqliteSink, type SqliteSink } from "@vendor/ingest";
import { DemoFault } from "./demo_fault.ts";

/** The demo's database. */
export interface DemoDatabase {
  /** Where the ingest stores events. */
  readonly sink: SqliteSink;
  /** Path of the file, and whether it goes when the demo ends. */
  readonly label: string;
  /** Closes the database, and removes it when it is temporary. */
  close(): Promise<void>;
}

/**
 * Opens the database at the path, or a temporary one.
 *
 * @throws {DemoFault} When it can't be written, or there is no place for a temporary one.
 */
export async function openDatabase(givenPath: string | undefined): Promise<DemoDatabase> {
  const directory = givenPath === undefined ? await makeDirectory() : undefined;
  const path = givenPath ?? `${directory}/events.db`;
  const sink = await createSqliteSink({ path }).catch((cause) => {
    throw new DemoFault(toMessage(cause), { cause });
  });
  return {
    sink,
    label: directory === undefined ? path : `${path} (temporary, removed at the end)`,
    async close(): Promise<void> {
      await sink.close();
      if (directory !== undefined) await Deno.remove(directory, { recursive: true });
    },
  };
}

async function makeDirectory(): Promise<string> {
  try {
    return await Deno.makeTempDir({ prefix: "vendor-demo-" });
  } catch (cause) {
    const message = `no temporary directory can be made (${toMessage(cause)}), choose a database with --db`;
    throw new DemoFault(message, { cause });
  }
}

function toMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
