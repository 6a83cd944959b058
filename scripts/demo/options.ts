import { parseArgs } from "node:util";

/** What the command line of the demo says. */
export interface DemoOptions {
  /** Runs the scripted visit instead of the site. */
  readonly isOnce: boolean;
  /** Port of the site; 0 picks a free one. */
  readonly port: number;
  /** Port of the ingest; 0 picks a free one. */
  readonly ingestPort: number;
  /** Path of the database; absent for a temporary one. */
  readonly dbPath?: string;
  /** Shows the usage and ends. */
  readonly isHelp: boolean;
}

/** Options, or what is wrong with the command line. */
export type ParsedOptions =
  | { readonly isValid: true; readonly options: DemoOptions }
  | { readonly isValid: false; readonly message: string };

const DEFAULT_PORT = 4400;
const DEFAULT_INGEST_PORT = 4401;
const MAX_PORT = 65_535;

/** What `--help` prints. */
export const USAGE: string = `Usage: deno task demo [options]

Starts a demo site with the SDK and, on another port, an ingest that stores its events in SQLite.
Both listen on 127.0.0.1 only.

  --once              no browser: a scripted visit, then a table of what was stored; exits 1 if it isn't as expected
  --port PORT         port of the site (default ${DEFAULT_PORT}, 0 for any free one)
  --ingest-port PORT  port of the ingest (default ${DEFAULT_INGEST_PORT}, 0 for any free one; any with --once)
  --db PATH           keeps the events in this SQLite file (default: a temporary one, removed at the end)
  --help              shows this text`;

const OPTIONS = {
  once: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
  port: { type: "string" },
  "ingest-port": { type: "string" },
  db: { type: "string" },
} as const;

/** Parses the command line: `--name value` and `--name=value`. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  try {
    const { once: isOnce, help: isHelp, db, ...ports } = parseArgs({ args: [...args], options: OPTIONS }).values;
    // The scripted visit must run beside anything, a running demo included.
    const ingestPort = readPort("--ingest-port", ports["ingest-port"]) ?? (isOnce ? 0 : DEFAULT_INGEST_PORT);
    const port = readPort("--port", ports.port) ?? DEFAULT_PORT;
    if (db === "") throw new TypeError("--db needs a path");
    return { isValid: true, options: { isOnce, isHelp, port, ingestPort, ...(db !== undefined && { dbPath: db }) } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { isValid: false, message: `${error.message.split("\n")[0]}, see --help` };
  }
}

function readPort(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) <= MAX_PORT) return Number(value);
  throw new TypeError(`${name} must be a port from 0 to ${MAX_PORT}, not "${value}"`);
}
