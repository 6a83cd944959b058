import { parseArgs } from "node:util";
import { DemoFault } from "./demo_fault.ts";

/** What the command line of the demo says. */
export interface DemoOptions {
  /** Port of the site; 0 picks a free one. */
  readonly port: number;
  /** Port of the ingest; 0 picks a free one. */
  readonly ingestPort: number;
  /** Path of the database; absent for a temporary one. */
  readonly dbPath?: string;
  /** Shows the usage and ends. */
  readonly isHelp: boolean;
}

const EXIT_USAGE = 2;
const DEFAULT_PORT = 4400;
const DEFAULT_INGEST_PORT = 4401;
const MAX_PORT = 65_535;

/** What `--help` prints. */
export const USAGE: string = `Usage: deno task demo [options]

Starts a demo site with the SDK and, on another port, an ingest that stores its events in SQLite.
Both listen on 127.0.0.1 only.

  --port PORT         port of the site (default ${DEFAULT_PORT}, 0 for any free one)
  --ingest-port PORT  port of the ingest (default ${DEFAULT_INGEST_PORT}, 0 for any free one)
  --db PATH           keeps the events in this SQLite file (default: a temporary one, removed at the end)
  --help              shows this text`;

const OPTIONS = {
  help: { type: "boolean", short: "h", default: false },
  port: { type: "string" },
  "ingest-port": { type: "string" },
  db: { type: "string" },
} as const;

/**
 * Parses the command line: `--name value` and `--name=value`.
 *
 * @throws {DemoFault} Where it says something else, with the exit code 2.
 */
export function parseOptions(args: readonly string[]): DemoOptions {
  const { help: isHelp, db, port, "ingest-port": ingestPort } = parse(args);
  if (db === "") refuse("--db needs a path");
  return {
    isHelp,
    port: readPort("port", port) ?? DEFAULT_PORT,
    ingestPort: readPort("ingest-port", ingestPort) ?? DEFAULT_INGEST_PORT,
    ...db !== undefined && { dbPath: db },
  };
}

function parse(args: readonly string[]): ReturnType<typeof parseArgs<{ readonly options: typeof OPTIONS }>>["values"] {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message.split("\n")[0] : String(error));
  }
}

function readPort(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) <= MAX_PORT) return Number(value);
  return refuse(`--${name} must be a whole number from 0 to ${MAX_PORT}, not "${value}"`);
}

function refuse(message = ""): never {
  throw new DemoFault(`${message}, see --help`, { exitCode: EXIT_USAGE });
}
