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
  /** Runs the ingest on many processes instead of the site. */
  readonly cluster?: ClusterOptions;
  /** Shows the usage and ends. */
  readonly isHelp: boolean;
}

/** What the command line says with `--cluster`. */
export interface ClusterOptions {
  /** How long events are sent. */
  readonly seconds: number;
  /** Address of a ClickHouse; absent for one that is started. */
  readonly clickHouseUrl?: string;
  /** Stays after the table, so that the reports can be looked at. */
  readonly isStaying: boolean;
}

/** Options, or what is wrong with the command line. */
export type ParsedOptions =
  | { readonly isValid: true; readonly options: DemoOptions }
  | { readonly isValid: false; readonly message: string };

const DEFAULT_PORT = 4400;
const DEFAULT_INGEST_PORT = 4401;
const MAX_PORT = 65_535;
const DEFAULT_SECONDS = 20;
const [MIN_SECONDS, MAX_SECONDS] = [5, 600] as const;

/** What `--help` prints. */
export const USAGE: string = `Usage: deno task demo [options]

Starts a demo site with the SDK and, on another port, an ingest that stores its events in SQLite.
Both listen on 127.0.0.1 only.

  --once              no browser: a scripted visit, then a table of what was stored; exits 1 if it isn't as expected
  --port PORT         port of the site (default ${DEFAULT_PORT}, 0 for any free one)
  --ingest-port PORT  port of the ingest (default ${DEFAULT_INGEST_PORT}, 0 for any free one; any with --once)
  --db PATH           keeps the events in this SQLite file (default: a temporary one, removed at the end)
  --help              shows this text

With --cluster, it starts three nats-servers, two ingests, two loaders and ClickHouse, sends events, kills one of each
with kill -9 while it does, and ends with a table of what became of the events; exits 1 unless each is stored and
reported once. It needs nats-server, and installs ClickHouse from npm.

  --cluster           on many processes, with the options below alone
  --seconds N         how long events are sent, from ${MIN_SECONDS} to ${MAX_SECONDS} (default ${DEFAULT_SECONDS})
  --stay              stays until Ctrl-C after the table, so that you can look at the reports
  --clickhouse URL    your own ClickHouse instead: http://USER:PASSWORD@HOST:8123; it gets a database of its own, which
                      is dropped at the end, and it isn't killed`;

const OPTIONS = {
  once: { type: "boolean" },
  help: { type: "boolean", short: "h", default: false },
  port: { type: "string" },
  "ingest-port": { type: "string" },
  db: { type: "string" },
  cluster: { type: "boolean" },
  seconds: { type: "string" },
  stay: { type: "boolean" },
  clickhouse: { type: "string" },
} as const;

const CLUSTER_OPTIONS = ["seconds", "stay", "clickhouse"] as const;
const SITE_OPTIONS = ["once", "port", "ingest-port", "db"] as const;

/** Parses the command line: `--name value` and `--name=value`. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS });
    const stranger = (values.cluster ? SITE_OPTIONS : CLUSTER_OPTIONS).find((name) => values[name] !== undefined);
    if (stranger) throw new TypeError(`--${stranger} ${values.cluster ? "doesn't go with" : "needs"} --cluster`);
    const { once: isOnce = false, help: isHelp, db, cluster, seconds, stay, clickhouse, ...ports } = values;
    // The scripted visit must run beside anything, a running demo included.
    const ingestPort = readPort("--ingest-port", ports["ingest-port"]) ?? (isOnce ? 0 : DEFAULT_INGEST_PORT);
    const port = readPort("--port", ports.port) ?? DEFAULT_PORT;
    if (db === "") throw new TypeError("--db needs a path");
    const clusterOptions = cluster && {
      seconds: readSeconds(seconds),
      isStaying: stay === true,
      ...(clickhouse !== undefined && { clickHouseUrl: readUrl(clickhouse) }),
    };
    return {
      isValid: true,
      options: {
        ...{ isOnce, isHelp, port, ingestPort },
        ...(db !== undefined && { dbPath: db }),
        ...(clusterOptions && { cluster: clusterOptions }),
      },
    };
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

function readSeconds(value = String(DEFAULT_SECONDS)): number {
  if (/^\d{1,4}$/.test(value) && Number(value) >= MIN_SECONDS && Number(value) <= MAX_SECONDS) return Number(value);
  throw new TypeError(`--seconds must be a whole number from ${MIN_SECONDS} to ${MAX_SECONDS}, not "${value}"`);
}

function readUrl(value: string): string {
  if (/^https?:$/.test(URL.parse(value)?.protocol ?? "")) return value;
  throw new TypeError("--clickhouse must be an address, as in http://localhost:8123");
}
