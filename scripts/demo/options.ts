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

const FLAGS: readonly string[] = ["--once", "--help"];
const SETTINGS: readonly string[] = ["--port", "--ingest-port", "--db"];

/** Parses the command line: `--name value` and `--name=value`. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  const values = new Map<string, string>();
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [name, assigned] = splitAssignment(word === "-h" ? "--help" : word);
    const isFlag = FLAGS.includes(name);
    if (!isFlag && !SETTINGS.includes(name)) return invalid(`unknown option ${name}, see --help`);
    if (isFlag && assigned !== undefined) return invalid(`${name} takes no value`);
    const value = isFlag ? "" : assigned ?? words.shift() ?? "";
    if (!isFlag && (value === "" || value.startsWith("--"))) return invalid(`${name} needs a value`);
    if (name.endsWith("port") && !isPort(value)) {
      return invalid(`${name} must be a port from 0 to ${MAX_PORT}, not ${value}`);
    }
    values.set(name, value);
  }
  return { isValid: true, options: build(values) };
}

function splitAssignment(word: string): readonly [name: string, value: string | undefined] {
  const at = word.indexOf("=");
  return word.startsWith("--") && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word, undefined];
}

function build(values: ReadonlyMap<string, string>): DemoOptions {
  const isOnce = values.has("--once");
  const dbPath = values.get("--db");
  return {
    isOnce,
    isHelp: values.has("--help"),
    port: Number(values.get("--port") ?? DEFAULT_PORT),
    // The scripted visit must run beside anything, a running demo included.
    ingestPort: Number(values.get("--ingest-port") ?? (isOnce ? 0 : DEFAULT_INGEST_PORT)),
    ...(dbPath !== undefined && { dbPath }),
  };
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= MAX_PORT;
}

function invalid(message: string): ParsedOptions {
  return { isValid: false, message };
}
