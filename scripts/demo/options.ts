import { parseArgs } from "node:util";
import { DemoFault } from "./demo_fault.ts";

/** Options of the demo. */
export interface DemoOptions {
  /** Runs the scripted visit instead of the site. */
  readonly isOnce: boolean;
  /** Port of the site; 0 picks a free one. */
  readonly port: number;
  /** Port of the ingest; 0 picks a free one. */
  readonly ingestPort: number;
  /** Path of the folder of events; absent for a temporary one. */
  readonly folder?: string;
  /** Runs the ingest on many processes instead of the site. */
  readonly cluster?: ClusterOptions;
  /** Shows the usage and ends. */
  readonly isHelp: boolean;
}

/** Options with `--cluster`. */
export interface ClusterOptions {
  /** Time in which events are sent. */
  readonly seconds: number;
  /** Address of a ClickHouse; absent for one that is started. */
  readonly clickHouseUrl?: string;
  /** Stays after the table, so that the reports can be looked at. */
  readonly isStaying: boolean;
}

const EXIT_USAGE = 2;
const DEFAULT_PORT = 4400;
const DEFAULT_INGEST_PORT = 4401;
const MAX_PORT = 65_535;
const DEFAULT_SECONDS = 20;
const [MIN_SECONDS, MAX_SECONDS] = [5, 600] as const;

/** Text of `--help`. */
export const USAGE: string = `Usage: deno task demo [options]

Shows what npx @vendor/ingest demo shows, of these sources: a shop, and on another port its ingest and the reports of a
made-up year. Both listen on 127.0.0.1 only, and nothing is kept.

  --once              no browser: a scripted visit, then a table of what was stored; exits 1 if it isn't as expected
  --port PORT         port of the shop (default ${DEFAULT_PORT}, 0 for any free one)
  --ingest-port PORT  port of the ingest (default ${DEFAULT_INGEST_PORT}, 0 for any free one; any with --once)
  --folder FOLDER     with --once: keeps the events in this folder (default: a temporary one, removed at the end)
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
  folder: { type: "string" },
  cluster: { type: "boolean" },
  seconds: { type: "string" },
  stay: { type: "boolean" },
  clickhouse: { type: "string" },
} as const;

const CLUSTER_OPTIONS = ["seconds", "stay", "clickhouse"] as const;
const SITE_OPTIONS = ["once", "port", "ingest-port", "folder"] as const;

/**
 * Parses the command line: `--name value` and `--name=value`.
 *
 * @throws {DemoFault} Where it says something else, with the exit code 2.
 */
export function parseOptions(args: readonly string[]): DemoOptions {
  const { values } = parse(args);
  const { once: isOnce = false, help: isHelp, folder, cluster, stay: isStaying = false, clickhouse } = values;
  const stranger = (cluster ? SITE_OPTIONS : CLUSTER_OPTIONS).find((name) => values[name] !== undefined);
  if (stranger) refuse(`--${stranger} ${cluster ? "doesn't go with" : "needs"} --cluster`);
  if (folder === "") refuse("--folder needs a path");
  if (folder !== undefined && !isOnce) refuse("--folder needs --once");
  // The scripted visit must run beside anything, a running demo included.
  const ingestPort = readNumber(values, "ingest-port", [0, MAX_PORT]) ?? (isOnce ? 0 : DEFAULT_INGEST_PORT);
  return {
    isOnce,
    isHelp,
    port: readNumber(values, "port", [0, MAX_PORT]) ?? DEFAULT_PORT,
    ingestPort,
    ...folder !== undefined && { folder },
    ...cluster && {
      cluster: {
        seconds: readNumber(values, "seconds", [MIN_SECONDS, MAX_SECONDS]) ?? DEFAULT_SECONDS,
        isStaying,
        ...clickhouse !== undefined && { clickHouseUrl: clickhouse },
      },
    },
  };
}

function parse(args: readonly string[]): ReturnType<typeof parseArgs<{ readonly options: typeof OPTIONS }>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS });
  } catch (error) {
    return refuse(error instanceof Error ? error.message.split("\n")[0] : String(error));
  }
}

function readNumber<K extends string>(
  values: { readonly [Name in K]?: string | undefined },
  name: K,
  [min, max]: readonly [number, number],
): number | undefined {
  const value = values[name];
  if (value === undefined || /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max) {
    return value === undefined ? undefined : Number(value);
  }
  return refuse(`--${name} must be a whole number from ${min} to ${max}, not "${value}"`);
}

function refuse(message = ""): never {
  throw new DemoFault(`${message}, see --help`, { exitCode: EXIT_USAGE });
}
