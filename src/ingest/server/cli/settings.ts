import * as v from "valibot";
import { listSecrets, type ReportKey } from "../../reports/access/authenticator.ts";
import { isPath } from "../../contract/syntax.ts";
import type { ClickHouseOptions } from "../../stores/clickhouse/clickhouse_port.ts";
import type { JetStreamSinkOptions } from "../../stores/jetstream/jetstream_options.ts";
import type { LogLevel } from "../ops/log.ts";
import type { Variables } from "./clean_value.ts";
import { type Command, readFlags, type Values as ValuesOf } from "./flags.ts";
import { checkKeys, CONFIG_KEY, listActiveKeys, readKeysFile, type ServerKey } from "./keys_file.ts";
import { createAddressFinder } from "../http/sender.ts";
import type { Ages } from "../ops/prune_daily.ts";
import { ServerFault } from "../ops/server_fault.ts";
import {
  buildAges,
  buildClickHouse,
  buildMetrics,
  buildNats,
  CLICKHOUSE,
  count,
  HOST,
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
  PORT,
  SWITCH,
  TEXT,
  text,
} from "./shared_flags.ts";

/** A stream that events go to. */
export interface NatsSettings extends NatsPlace, Pick<JetStreamSinkOptions, "replicas" | "duplicateWindowMs"> {
  /** Discriminant. */
  readonly kind: "nats";
}

/** Where events go. */
export type SinkSettings =
  | { readonly kind: "memory" }
  | { readonly kind: "file"; readonly path: string }
  | NatsSettings;

/** Everything that is set. */
export interface Settings extends Ages {
  /** Address to listen on. */
  readonly host: string;
  /** Port; 0 for any free one. */
  readonly port: number;
  /** Where the metrics are shown; absent where they are shown beside the events. */
  readonly metrics?: { readonly host: string; readonly port: number };
  /** Path that takes events. */
  readonly path: string;
  /** Keys that may send. */
  readonly keys: readonly ServerKey[];
  /** Path of the file that they are in, and that is read again when it changes; absent where they stay. */
  readonly keysPath?: string;
  /** Where events go. */
  readonly sink: SinkSettings;
  /** Where reports come from; absent where they come from the sink. */
  readonly reports?: ClickHouseOptions;
  /** Path of the file that says what the steps hold. */
  readonly planPath?: string;
  /** The treatment of events that break the plan. */
  readonly planMode: "count" | "refuse";
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** Most milliseconds that a request may take. */
  readonly requestTimeoutMs: number;
  /** Proxies whose `X-Forwarded-For` or `Forwarded` says who sends, as addresses or networks. */
  readonly trustedProxies: readonly string[];
  /** Header in which these name the sender's country; absent where none does. */
  readonly countryHeader?: string;
  /** Most milliseconds that requests under way may take at the end. */
  readonly graceMs: number;
  /** The least level that is logged. */
  readonly logLevel: LogLevel;
  /** Texts that must never be written into a log. */
  readonly secrets: readonly string[];
}

const TAKEN_PATHS: readonly string[] = ["/healthz", "/readyz", "/metrics", "/reports", "/mcp"];

const FREE_PATH = v.pipe(
  TEXT,
  v.check(isPath, ({ input }) => `must be one such as /v1/events, not ${JSON.stringify(input)}`),
  v.check((path) => !TAKEN_PATHS.includes(path), ({ input }) => `must not be ${input}, which is taken`),
);

const SINK = v.pipe(
  TEXT,
  NO_STORE_URL,
  v.regex(/^(memory$|(file|nats):.)/, "must be memory, file:FOLDER or nats:SERVER,SERVER"),
);

const MODE = { value: "MODE", schema: v.picklist(["count", "refuse"], "must be count or refuse") };

const COMMAND = {
  name: "",
  usage: `Usage: vendor-ingest --key KEY=SITES [options]
       vendor-ingest load --from SOURCE --to STORE [options], see load --help
       vendor-ingest keys new|secret|report|share|list|revoke, see keys --help
       vendor-ingest backup FOLDER COPY, see backup --help
       vendor-ingest data find|export|erase|prune, see data --help
       vendor-ingest report --key KEY [options], see report --help
       vendor-ingest note TEXT [options], see note --help
       vendor-ingest alert --key KEY [options], see alert --help
       vendor-ingest tail [--key KEY] [options], see tail --help
       vendor-ingest sql "SELECT …" [options], see sql --help
       vendor-ingest mcp --key KEY [options], see mcp --help
       vendor-ingest demo [options], see demo --help

Receives the events of @vendor/sdk, and stores them.`,
  flags: {
    config: { ...text("FILE"), help: "JSON file with any of these settings, and with several keys" },
    host: { ...HOST, default: "127.0.0.1", help: "address to listen on; 0.0.0.0 for all" },
    port: { ...PORT, default: "8080", help: "port to listen on; 0 for any free one" },
    ...OF_METRICS,
    path: { value: "PATH", schema: FREE_PATH, default: "/v1/events", help: "path that takes events" },
    key: {
      value: "KEY=SITES",
      schema: v.array(v.string()),
      fieldSchema: v.array(CONFIG_KEY),
      isRepeatable: true,
      help: "publishable key and its sites, split by commas, or any; NAME:KEY=SITES names it",
    },
    "keys-file": { ...text("FILE"), help: "JSON file with the keys, read again when it changes; see keys --help" },
    sink: {
      value: "SINK",
      schema: SINK,
      default: "file:events",
      help: "memory, file:FOLDER or nats:SERVER,SERVER",
    },
    reports: { ...CLICKHOUSE, help: "where reports come from, if not from the sink: clickhouse:URL" },
    "report-secret": {
      ...text("SECRET"),
      isSecret: true,
      help: "opens /reports for the only key; with file, the start can make one",
    },
    ...OF_NATS,
    "nats-replicas": { ...count(1, 5), default: "3", help: "servers that keep each event" },
    "nats-window-minutes": {
      ...minutes(1, 525_600),
      default: "11520",
      help: "how long NATS knows event ids, in memory",
    },
    ...OF_CLICKHOUSE,
    ...OF_AGES,
    plan: { ...text("FILE"), help: "what the steps hold: a module with schemas" },
    "plan-mode": { ...MODE, default: "count", help: "count or refuse the events that break the plan" },
    "max-pending": { ...count(1, 1_000_000), default: "256", help: "requests at work at once; more are answered 503" },
    "request-timeout": {
      ...milliseconds(1),
      default: "25000",
      help: "how long a request may take; the SDK waits 30000",
    },
    "trust-proxy": {
      ...text("ADDRESSES"),
      help: "addresses or networks of proxies that say who sends, in X-Forwarded-For or Forwarded",
    },
    "country-header": {
      ...text("NAME"),
      help: "header in which these proxies name the sender's country, such as CF-IPCountry",
    },
    grace: { ...milliseconds(0), default: "10000", help: "how long requests under way may take at the end" },
    "log-level": LOG_LEVEL,
    version: { ...SWITCH, help: "shows the version" },
  },
  notes: `Each --some-name can be the variable INGEST_SOME_NAME, or someName in the config file; keys are INGEST_KEYS,
split by spaces. The command line wins over the environment, that over the file. Other users of the machine can read a
command line: secrets are better off in the environment.`,
} satisfies Command;

/** The server. */
export const SERVE: Command = COMMAND;

type Values = ValuesOf<typeof COMMAND.flags>;

/**
 * Makes settings of the command line, the environment and the config file.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key.
 */
export function parseSettings(args: readonly string[], variables: Variables): "help" | "version" | Settings {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return given;
  const { values, secrets } = given;
  const settings = {
    host: values.host,
    port: values.port,
    ...buildMetrics(values),
    path: values.path,
    keys: buildKeys(values),
    ...pickSet({ keysPath: values["keys-file"] }),
    sink: buildSink(values),
    ...buildAges(checkKeep(values)),
    ...(values.reports !== undefined && { reports: buildClickHouse(values.reports, values) }),
    ...buildPlan(values),
    maxPending: values["max-pending"],
    requestTimeoutMs: values["request-timeout"],
    trustedProxies: buildProxies(values),
    ...buildCountryHeader(values),
    graceMs: values.grace,
    logLevel: values["log-level"],
  };
  return { ...settings, secrets: [...listKeySecrets(settings.keys), ...secrets] };
}

/** Returns the keys whose reports can be read. */
export function listReportKeys(keys: readonly ServerKey[]): readonly ReportKey[] {
  return keys.filter((key) => listSecrets(key).length > 0);
}

/** Returns what of keys must never be written into a log. */
export function listKeySecrets(keys: readonly ServerKey[]): readonly string[] {
  return keys.flatMap((key) => [
    key.apiKey,
    ...listSecrets(key).map(({ secret }) => secret),
    ...Object.values(key.sendingSecrets ?? {}),
    ...(key.alertWebhook === undefined ? [] : [key.alertWebhook]),
  ]);
}

function buildPlan({ plan, "plan-mode": planMode }: Values): Pick<Settings, "planPath" | "planMode"> {
  if (plan !== undefined) return { planPath: plan, planMode };
  if (planMode === "count") return { planMode };
  throw new ServerFault("plan-mode refuse needs a plan: name its file with plan");
}

function buildKeys(values: Values): readonly ServerKey[] {
  const path = values["keys-file"];
  if (path === undefined) return buildFixedKeys(values);
  if (values.key?.length) throw new ServerFault("give keys with key or keys-file, not both");
  if (values["report-secret"] === undefined) return listActiveKeys(readKeysFile(path));
  throw new ServerFault("a report secret is for one key: with keys-file, give each its secretKey in that file");
}

function buildFixedKeys(values: Values): readonly ServerKey[] {
  const keys = values.key?.map((key, index) => typeof key === "string" ? parseKey(key, index) : key) ?? [];
  const [only, ...others] = keys;
  if (only === undefined) throw new ServerFault("there is no key: give one with --key KEY=SITES, see --help");
  const secretKey = values["report-secret"];
  if (secretKey !== undefined && others.length > 0) {
    throw new ServerFault("a report secret is for one key: with several, give each its secretKey in the config file");
  }
  const withSecret = secretKey === undefined ? keys : [{ ...only, secretKey }];
  checkKeys(withSecret);
  return withSecret;
}

function parseKey(text: string, index: number): ServerKey {
  // A key may hold an equals sign, an origin doesn't.
  const [, name, apiKey, sites] = /^(?:([\w.-]+):)?(.+)=([^=]+)$/s.exec(text) ?? [];
  if (apiKey === undefined || sites === undefined) {
    throw new ServerFault(`key ${index + 1} must be KEY=SITES, such as pk_1=https://shop.example`);
  }
  const before = text.slice(0, text.lastIndexOf("="));
  if (before.split(":").length > 2) {
    throw new ServerFault(
      `key ${index + 1} is read as NAME:KEY=SITES, and ${JSON.stringify(before)} has several colons: ` +
        "such a key can be in the config file",
    );
  }
  if (/["'\s\p{Cc}]/u.test(apiKey)) {
    throw new ServerFault(
      `key ${index + 1} holds a quote, white space or a control character: ${JSON.stringify(apiKey)}`,
    );
  }
  return { apiKey, ...(name !== undefined && { name }), origins: sites === "any" ? "any" : sites.split(",") };
}

function buildCountryHeader(
  { "country-header": header, "trust-proxy": list }: Values,
): Pick<Settings, "countryHeader"> {
  if (header === undefined) return {};
  if (!/^[\w-]+$/.test(header)) {
    throw new ServerFault("country-header must be the name of a header, such as CF-IPCountry");
  }
  // Else anybody could name any.
  if (list === undefined) throw new ServerFault("country-header needs trust-proxy, the proxies that set the header");
  return { countryHeader: header };
}

function buildProxies({ "trust-proxy": list }: Values): readonly string[] {
  const proxies = list?.split(",").map((proxy) => proxy.trim()) ?? [];
  createAddressFinder(proxies); // made for its checks alone
  return proxies;
}

function checkKeep(values: Values): Values {
  const { keep, sink } = values;
  if (keep === undefined || sink.startsWith("file:")) return values;
  throw new ServerFault("keep is for a folder of events: the sink has no ages");
}

function buildSink(values: Values): SinkSettings {
  const { sink, "nats-replicas": replicas, "nats-window-minutes": duplicateWindowMs } = values;
  if (sink.startsWith("file:")) return { kind: "file", path: sink.slice("file:".length) };
  if (sink === "memory") return { kind: "memory" };
  return { kind: "nats", ...buildNats(sink, { name: "sink", values }), replicas, duplicateWindowMs };
}
