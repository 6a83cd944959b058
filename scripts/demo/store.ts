import { createFileSink, type FileSink } from "@vendor/ingest";
import { DemoFault } from "./demo_fault.ts";

/** The store of the scripted visit. */
export interface VisitStore {
  /** Where the ingest stores events. */
  readonly sink: FileSink;
  /** Path of the folder, and whether it goes when the demo ends. */
  readonly label: string;
  /** Closes the folder, and removes it when it is temporary. */
  close(): Promise<void>;
}

/**
 * Opens the folder at the path, or a temporary one.
 *
 * @throws {DemoFault} When it can't be written, or there is no place for a temporary one.
 */
export async function openStore(givenPath: string | undefined): Promise<VisitStore> {
  const directory = givenPath === undefined ? await makeDirectory() : undefined;
  const path = givenPath ?? `${directory}/events`;
  const sink = await createFileSink({ path }).catch((cause) => {
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
    const message = `no temporary directory can be made (${toMessage(cause)}), choose a folder with --folder`;
    throw new DemoFault(message, { cause });
  }
}

function toMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
