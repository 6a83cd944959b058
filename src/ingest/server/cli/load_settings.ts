import * as v from "valibot";
import type { ClickHouseTargetOptions } from "../../stores/clickhouse/clickhouse_target.ts";
import type { Variables } from "./clean_value.ts";
import { type Flag, FLAGS, listFlags, readValues } from "./flags.ts";
import { LOG_LEVELS, type LogLevel } from "../ops/log.ts";
import type { Ages } from "../ops/prune_daily.ts";
import { ServerFault } from "../ops/server_fault.ts";
import {
  age,
  buildClickHouse,
  buildMetrics,
  buildSignIn,
  CLICKHOUSE,
  describeFirst,
  HOST,
  type NatsSettings,
  NO_SQLITE_URL,
  parseServers,
  TEXT,
  whole,
} from "./settings.ts";

/** A stream that `load` takes events from. */
export interface StreamSettings
  extends Pick<NatsSettings, "kind" | "servers" | "user" | "password" | "token" | "credentialsPath"> {
  /** Name of the stream. */
  readonly stream: string;
  /** Name of the durable consumer. */
  readonly consumer: string;
}

/** What `load` takes events from: a stream, for as long as it runs, or a database, once. */
export type LoadSource = StreamSettings | { readonly kind: "sqlite"; readonly path: string };

/** Everything that is set for `load`. */
export interface LoadSettings extends Ages {
  /** Where events come from. */
  readonly from: LoadSource;
  /** The ClickHouse that they go to. */
  readonly to: ClickHouseTargetOptions;
  /** Most events of a block. */
  readonly maxBlockEvents: number;
  /** How long messages stay after they were acknowledged, in milliseconds. */
  readonly purgeAfterMs: number;
  /** Where the metrics of loading a stream are shown. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** How long the block under way may take at the end, in milliseconds. */
  readonly graceMs: number;
  /** The least level that is logged. */
  readonly logLevel: LogLevel;
}

const MS_PER_MINUTE = 60_000;

/** Settings that are the same as those of the server. */
function sharedFlags(...names: readonly string[]): readonly Flag[] {
  return FLAGS.filter(({ name }) => names.includes(name));
}

const LOAD_FLAGS: readonly Flag[] = [
  ...sharedFlags("config"),
  { name: "from", value: "SOURCE", help: "where events come from: nats:SERVER,SERVER or sqlite:PATH" },
  { name: "to", value: "STORE", help: "where they go: clickhouse:URL" },
  { name: "nats-stream", value: "NAME", fallback: "VENDOR_EVENTS", help: "stream, which the ingest makes" },
  { name: "nats-consumer", value: "NAME", fallback: "vendor_loader", help: "durable consumer that loaders share" },
  ...sharedFlags("nats-credentials", "nats-user", "nats-password", "nats-token"),
  ...sharedFlags("clickhouse-user", "clickhouse-password", "clickhouse-database"),
  { name: "clickhouse-cluster", value: "NAME", help: "cluster of one shard, for replicated tables" },
  { name: "block-events", value: "COUNT", fallback: "20000", help: "most events of a block" },
  {
    name: "purge-after-minutes",
    value: "COUNT",
    fallback: "60",
    help: "how long what every consumer has acknowledged stays in the stream",
  },
  { name: "metrics-port", value: "PORT", help: "port for /metrics, /healthz and /readyz (default: none)" },
  { name: "metrics-host", value: "HOST", help: "address for that port (default: 127.0.0.1)" },
  ...sharedFlags("keep", "keep-erasures"),
  { name: "grace", value: "MS", fallback: "10000", help: "how long the block under way may take at the end" },
  ...sharedFlags("log-level", "help"),
];

const VALUES = v.strictObject({
  config: v.exactOptional(TEXT),
  from: v.pipe(TEXT, NO_SQLITE_URL, v.regex(/^(nats|sqlite):./, "must be nats:SERVER,SERVER or sqlite:PATH")),
  to: CLICKHOUSE,
  "nats-stream": TEXT,
  "nats-consumer": TEXT,
  "nats-credentials": v.exactOptional(TEXT),
  "nats-user": v.exactOptional(TEXT),
  "nats-password": v.exactOptional(TEXT),
  "nats-token": v.exactOptional(TEXT),
  "clickhouse-user": v.exactOptional(TEXT),
  "clickhouse-password": v.exactOptional(TEXT),
  "clickhouse-database": v.exactOptional(TEXT),
  "clickhouse-cluster": v.exactOptional(TEXT),
  "block-events": whole(1, 100_000),
  "purge-after-minutes": whole(0, 5_256_000),
  "metrics-port": v.exactOptional(whole(0, 65_535)),
  "metrics-host": v.exactOptional(HOST),
  keep: v.exactOptional(age()),
  "keep-erasures": age(),
  grace: whole(0, 2_147_483_647),
  "log-level": v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`),
});

type Values = v.InferOutput<typeof VALUES>;

/** Returns the help text of `load`. */
export function buildLoadUsage(): string {
  return `Usage: vendor-ingest load --from nats:SERVER,SERVER|sqlite:PATH --to clickhouse:URL [options]

Moves the events of a NATS JetStream into a ClickHouse, until a signal ends it; any number of loaders share the work. Or
copies a SQLite database there, once.

A loader also deletes, when it starts and once a day, what is too old and what erasures name; see data --help.

${listFlags(LOAD_FLAGS)}

Each --some-name can be the variable INGEST_SOME_NAME, or someName in the config file. Other users of the machine can
read a command line: secrets are better off in the environment.`;
}

/**
 * Makes the settings of `load` of the command line, the environment and the config file.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseLoadSettings(args: readonly string[], variables: Variables): "help" | LoadSettings {
  const { fileKeys: _, ...given } = readValues(args, variables, LOAD_FLAGS);
  if (given.help) return "help";
  for (const name of ["from", "to"]) {
    if (given[name] === undefined) throw new ServerFault(`load needs --${name}: see load --help`);
  }
  const result = v.safeParse(VALUES, given);
  if (!result.success) throw new ServerFault(describeFirst(result.issues));
  const values = result.output;
  return {
    from: buildSource(values),
    to: buildTarget(values),
    maxBlockEvents: values["block-events"],
    purgeAfterMs: values["purge-after-minutes"] * MS_PER_MINUTE,
    ...buildMetrics(values),
    ...(values.keep !== undefined && { keepDays: values.keep }),
    keepErasuresDays: values["keep-erasures"],
    graceMs: values.grace,
    logLevel: values["log-level"],
  };
}

/** Returns what must never be written into the log of `load`. */
export function listLoadSecrets({ from, to }: LoadSettings): readonly string[] {
  const ofSource = from.kind === "nats" ? [from.password, from.token] : [];
  return [...ofSource, to.password].filter((secret) => secret !== undefined);
}

function buildSource(values: Values): LoadSource {
  const { from } = values;
  if (from.startsWith("sqlite:")) {
    if (values.keep !== undefined) throw new ServerFault("keep is for a loader: a copy deletes nothing");
    return { kind: "sqlite", path: from.slice("sqlite:".length) };
  }
  return {
    kind: "nats",
    servers: parseServers(from.slice("nats:".length), "from"),
    stream: values["nats-stream"],
    consumer: values["nats-consumer"],
    ...buildSignIn(values),
  };
}

function buildTarget({ to, "clickhouse-cluster": cluster, ...values }: Values): ClickHouseTargetOptions {
  return { ...buildClickHouse(to, values), ...(cluster !== undefined && { cluster }) };
}
