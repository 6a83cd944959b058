import * as v from "valibot";
import type { ClickHouseTargetOptions } from "../../stores/clickhouse/clickhouse_target.ts";
import type { Variables } from "./clean_value.ts";
import { type Command, readFlags, type Values as ValuesOf } from "./flags.ts";
import type { LogLevel } from "../ops/log.ts";
import type { Ages } from "../ops/prune_daily.ts";
import { ServerFault } from "../ops/server_fault.ts";
import {
  buildAges,
  buildClickHouse,
  buildMetrics,
  buildNats,
  CLICKHOUSE,
  count,
  LOG_LEVEL,
  milliseconds,
  minutes,
  type NatsPlace,
  NO_STORE_URL,
  OF_AGES,
  OF_CLICKHOUSE,
  OF_METRICS,
  OF_NATS,
  pickSet,
  TEXT,
  text,
} from "./shared_flags.ts";

/** A stream that `load` takes events from. */
export interface StreamSettings extends NatsPlace {
  /** Discriminant. */
  readonly kind: "nats";
  /** Name of the durable consumer. */
  readonly consumer: string;
}

/** The source of `load`: a stream, for as long as it runs, or a folder, once. */
export type LoadSource = StreamSettings | CopySource;

/** A folder that is copied once. */
export interface CopySource {
  /** Discriminant. */
  readonly kind: "file";
  /** Path of the folder. */
  readonly path: string;
}

/** Everything that is set for `load`. */
export interface LoadSettings extends Ages {
  /** Where events come from. */
  readonly from: LoadSource;
  /** The ClickHouse that they go to. */
  readonly to: ClickHouseTargetOptions;
  /** Most events of a block. */
  readonly maxBlockEvents: number;
  /** Milliseconds that messages stay after they were acknowledged. */
  readonly purgeAfterMs: number;
  /** Where the metrics of loading a stream are shown. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Most milliseconds that the block under way may take at the end. */
  readonly graceMs: number;
  /** The least level that is logged. */
  readonly logLevel: LogLevel;
  /** Texts that must never be written into its log. */
  readonly secrets: readonly string[];
}

const SOURCE = v.pipe(
  TEXT,
  NO_STORE_URL,
  v.regex(/^(nats|file):./, "must be nats:SERVER,SERVER or file:FOLDER"),
);

const COMMAND = {
  name: "load",
  usage: `Usage: vendor-ingest load --from nats:SERVER,SERVER|file:FOLDER --to clickhouse:URL [options]

Moves the events of a NATS JetStream into a ClickHouse, until a signal ends it; any number of loaders share the work. Or
copies a folder of events there, once.

A loader also deletes, when it starts and once a day, what is too old and what erasures name; see data --help.`,
  flags: {
    config: { ...text("FILE"), help: "JSON file with any of these settings" },
    from: {
      value: "SOURCE",
      schema: SOURCE,
      isRequired: true,
      help: "nats:SERVER,SERVER, or file:FOLDER to copy it",
    },
    to: { ...CLICKHOUSE, isRequired: true, help: "where events go: clickhouse:URL" },
    ...OF_NATS,
    "nats-consumer": { ...text("NAME"), default: "vendor_loader", help: "consumer of all loaders of one store" },
    ...OF_CLICKHOUSE,
    "clickhouse-cluster": { ...text("NAME"), help: "cluster of one shard, for replicated tables" },
    "block-events": { ...count(1, 100_000), default: "20000", help: "most events of a block, up to 100000" },
    "purge-after-minutes": {
      ...minutes(0, 5_256_000),
      default: "60",
      help: "how long what every consumer has acknowledged stays in the stream",
    },
    ...OF_METRICS,
    ...OF_AGES,
    grace: { ...milliseconds(0), default: "10000", help: "how long the block under way may take at the end" },
    "log-level": LOG_LEVEL,
  },
  notes: `Each --some-name can be the variable INGEST_SOME_NAME, or someName in the config file. Other users of the
machine can read a command line: secrets are better off in the environment.`,
} satisfies Command;

/** `load`. */
export const LOAD: Command = COMMAND;

type Values = ValuesOf<typeof COMMAND.flags>;

/**
 * Makes the settings of `load` of the command line, the environment and the config file.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseLoadSettings(args: readonly string[], variables: Variables): "help" | LoadSettings {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { values, secrets } = given;
  return {
    from: buildSource(values),
    to: { ...buildClickHouse(values.to, values), ...pickSet({ cluster: values["clickhouse-cluster"] }) },
    maxBlockEvents: values["block-events"],
    purgeAfterMs: values["purge-after-minutes"],
    ...buildMetrics(values),
    ...buildAges(values),
    graceMs: values.grace,
    logLevel: values["log-level"],
    secrets,
  };
}

function buildSource(values: Values): LoadSource {
  const { from, keep, "nats-consumer": consumer } = values;
  if (from.startsWith("nats:")) return { kind: "nats", ...buildNats(from, { name: "from", values }), consumer };
  if (keep === undefined) return { kind: "file", path: from.slice("file:".length) };
  throw new ServerFault("keep is for a loader: a copy deletes nothing");
}
