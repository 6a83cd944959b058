import * as v from "valibot";
import type { ReportKey } from "../../reports/authenticator.ts";
import { isPath } from "../../contract/syntax.ts";
import type { ClickHouseOptions } from "../../stores/clickhouse/clickhouse_port.ts";
import type { JetStreamSinkOptions } from "../../stores/jetstream/jetstream_sink.ts";
import { isFile } from "../../stores/sqlite/sqlite_path.ts";
import { LOG_LEVELS, type LogLevel } from "../ops/log.ts";
import { parseAge } from "./age.ts";
import { cleanValue, type Variables } from "./clean_value.ts";
import { readValues } from "./flags.ts";
import { checkKeys, CONFIG_KEY, listActiveKeys, readKeysFile, type ServerKey } from "./keys_file.ts";
import { createAddressFinder } from "../http/sender.ts";
import type { Ages } from "../ops/prune_daily.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** A NATS cluster and how to sign in there. */
export interface NatsSettings extends Omit<JetStreamSinkOptions, "credentials"> {
  /** Discriminant. */
  readonly kind: "nats";
  /** Path of a credentials file. */
  readonly credentialsPath?: string;
}

/** Where events go. */
export type SinkSettings =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
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
  /** What becomes of events that break the plan. */
  readonly planMode: "count" | "refuse";
  /** Most requests at work at a time. */
  readonly maxPending: number;
  /** How long a request may take, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Proxies whose `X-Forwarded-For` or `Forwarded` says who sends, as addresses or networks. */
  readonly trustedProxies: readonly string[];
  /** How long requests under way may take at the end, in milliseconds. */
  readonly graceMs: number;
  /** The least level that is logged. */
  readonly logLevel: LogLevel;
}

/** What was asked for: to serve, or to be told something. */
export type Command = "help" | "version" | Settings;

/** Longest delay of a timer. */
const MAX_DELAY_MS = 2_147_483_647;

const MS_PER_MINUTE = 60_000;

const TAKEN_PATHS: readonly string[] = ["/healthz", "/readyz", "/metrics", "/reports"];

/** A text that isn't empty. */
export const TEXT: v.GenericSchema<unknown, string> = v.pipe(
  v.union([v.string(), v.number()], "in the config file must be a string or a number"),
  v.transform(String),
  // What a shell makes of a variable that isn't set: a key or a password that would be refused at run time.
  v.nonEmpty("must not be empty"),
  // Of a file with other line ends: what it names would be made under that name.
  v.check((text) => !/\p{Cc}/u.test(text), "must not hold control characters"),
);

/** An address to listen on; one of IPv6 also in brackets, as URLs have it. */
export const HOST: v.GenericSchema<unknown, string> = v.pipe(
  TEXT,
  v.transform((text) => /^\[(.+)\]$/.exec(text)?.[1] ?? text),
);

/** A ClickHouse; yields the address of its HTTP interface. */
export const CLICKHOUSE: v.GenericSchema<unknown, string> = v.pipe(
  TEXT,
  v.regex(/^clickhouse:https?:\/\/[^/@\s]+\/?$/, "must be clickhouse:URL, such as clickhouse:http://localhost:8123"),
  v.transform((text) => text.slice("clickhouse:".length)),
);

/** Refuses a database that is named as a URL. */
export const NO_SQLITE_URL: v.CheckAction<string, (issue: v.CheckIssue<string>) => string> = v.check(
  (text: string) => !isSqliteUrl(text),
  ({ input }) => describeSqliteUrl(input),
);

/** What may be set, by the name of the flag: each has to be here. A message continues that name. */
const VALUES = v.strictObject({
  config: v.exactOptional(TEXT),
  host: HOST,
  port: whole(0, 65_535),
  "metrics-port": v.exactOptional(whole(0, 65_535)),
  "metrics-host": v.exactOptional(HOST),
  path: v.pipe(
    TEXT,
    v.check(isPath, ({ input }) => `must be one such as /v1/events, not ${JSON.stringify(input)}`),
    v.check((path) => !TAKEN_PATHS.includes(path), ({ input }) => `must not be ${input}, which is taken`),
  ),
  sink: v.pipe(
    TEXT,
    NO_SQLITE_URL,
    v.regex(/^(memory$|(sqlite|nats):.)/, "must be memory, sqlite:PATH or nats:SERVER,SERVER"),
  ),
  "report-secret": v.exactOptional(TEXT),
  "nats-stream": TEXT,
  "nats-replicas": whole(1, 5),
  "nats-window-minutes": whole(1, 525_600),
  reports: v.exactOptional(CLICKHOUSE),
  "clickhouse-user": v.exactOptional(TEXT),
  "clickhouse-password": v.exactOptional(TEXT),
  "clickhouse-database": v.exactOptional(TEXT),
  "nats-credentials": v.exactOptional(TEXT),
  "nats-user": v.exactOptional(TEXT),
  "nats-password": v.exactOptional(TEXT),
  "nats-token": v.exactOptional(TEXT),
  keep: v.exactOptional(age()),
  "keep-erasures": age(),
  plan: v.exactOptional(TEXT),
  "plan-mode": v.picklist(["count", "refuse"], "must be count or refuse"),
  "max-pending": whole(1, 1_000_000),
  "request-timeout": whole(1, MAX_DELAY_MS),
  "trust-proxy": v.exactOptional(TEXT),
  grace: whole(0, MAX_DELAY_MS),
  "log-level": v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`),
  // From the environment one text, from the command line a list.
  key: v.optional(v.union([v.array(v.string()), v.pipe(v.string(), v.transform(splitKeys))]), []),
  fileKeys: v.optional(v.array(CONFIG_KEY), []),
  "keys-file": v.exactOptional(TEXT),
});

type Values = v.InferOutput<typeof VALUES>;

/**
 * Makes settings of the command line, the environment and the config file.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key.
 */
export function parseSettings(args: readonly string[], variables: Variables): Command {
  const given = readValues(args, variables);
  if (given.help) return "help";
  if (given.version) return "version";
  const result = v.safeParse(VALUES, given);
  if (!result.success) throw new ServerFault(describeFirst(result.issues));
  const values = result.output;
  return {
    host: values.host,
    port: values.port,
    ...buildMetrics(values),
    path: values.path,
    keys: buildKeys(values),
    ...(values["keys-file"] !== undefined && { keysPath: values["keys-file"] }),
    sink: buildSink(values),
    ...(values.keep !== undefined && { keepDays: checkKeep(values.keep, values) }),
    keepErasuresDays: values["keep-erasures"],
    ...(values.reports !== undefined && { reports: buildClickHouse(values.reports, values) }),
    ...buildPlan(values),
    maxPending: values["max-pending"],
    requestTimeoutMs: values["request-timeout"],
    trustedProxies: buildProxies(values),
    graceMs: values.grace,
    logLevel: values["log-level"],
  };
}

/** Returns the keys whose reports can be read. */
export function listReportKeys(keys: readonly ServerKey[]): readonly ReportKey[] {
  return keys.flatMap(({ secretKey, ...key }) => secretKey === undefined ? [] : [{ ...key, secretKey }]);
}

/** Returns whether a database is named as a URL: `sqlite://events.db` would be the file `/events.db`. */
export function isSqliteUrl(text: string): boolean {
  return text.startsWith("sqlite://");
}

/** Says how a database is named; the text continues the name of a setting. */
export function describeSqliteUrl(text: string): string {
  return `must be sqlite:PATH, not the URL ${
    JSON.stringify(text)
  }: sqlite:events.db is in the folder that it runs in, ` +
    "sqlite:/data/events.db in another";
}

/** Returns what must never be written into a log. */
export function listSecrets({ keys, sink, reports }: Settings): readonly string[] {
  const ofSink = sink.kind === "nats" ? [sink.password, sink.token] : [];
  return [...listKeySecrets(keys), ...[...ofSink, reports?.password].filter((secret) => secret !== undefined)];
}

/** Returns what of keys must never be written into a log. */
export function listKeySecrets(keys: readonly ServerKey[]): readonly string[] {
  return keys.flatMap(({ apiKey, secretKey, sendingSecrets = {} }) => [
    apiKey,
    ...(secretKey === undefined ? [] : [secretKey]),
    ...Object.values(sendingSecrets),
  ]);
}

/** A whole number between two, both included. */
export function whole(min: number, max: number): v.GenericSchema<unknown, number> {
  return v.pipe(
    TEXT,
    v.check(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      ({ input }) => `must be a whole number from ${min} to ${max}, not ${JSON.stringify(input)}`,
    ),
    v.transform(Number),
  );
}

/** An age in days, `395d`. */
export function age(): v.GenericSchema<unknown, number> {
  return v.pipe(
    TEXT,
    v.check(
      (text) => parseAge(text) !== undefined,
      ({ input }) => `must be at least 8 days, such as 395d, not ${JSON.stringify(input)}`,
    ),
    v.transform((text) => parseAge(text) ?? 0),
  );
}

/** Says what is wrong with a setting. */
export function describeFirst([first, ...others]: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  // A misspelt field is unknown, and makes one missing: the name as it was written says more.
  const { path, message } = others.find(({ expected }) => expected === "never") ?? first;
  const [name, index] = path?.map(({ key }) => key) ?? [];
  return name === "fileKeys" ? `keys[${index}] in the config file ${message}` : `${name} ${message}`;
}

/** Settings of where metrics are shown. */
interface MetricsValues {
  readonly "metrics-host"?: string;
  readonly "metrics-port"?: number;
}

/** Returns where metrics are shown, if at a port of their own. */
export function buildMetrics(values: MetricsValues): Pick<Settings, "metrics"> {
  const { "metrics-host": host, "metrics-port": port } = values;
  if (port !== undefined) return { metrics: { host: host ?? "127.0.0.1", port } };
  if (host === undefined) return {};
  throw new ServerFault("metrics-host is for a port of its own: set metrics-port");
}

function buildPlan({ plan, "plan-mode": planMode }: Values): Pick<Settings, "planPath" | "planMode"> {
  if (plan !== undefined) return { planPath: plan, planMode };
  if (planMode === "count") return { planMode };
  throw new ServerFault("plan-mode refuse needs a plan: name its file with plan");
}

function buildKeys(values: Values): readonly ServerKey[] {
  const path = values["keys-file"];
  if (path === undefined) return buildFixedKeys(values);
  if (values.key.length + values.fileKeys.length > 0) {
    throw new ServerFault("give keys with key or keys-file, not both");
  }
  if (values["report-secret"] === undefined) return listActiveKeys(readKeysFile(path));
  throw new ServerFault("a report secret is for one key: with keys-file, give each its secretKey in that file");
}

function buildFixedKeys(values: Values): readonly ServerKey[] {
  const keys: readonly ServerKey[] = values.key.length > 0 ? values.key.map(parseKey) : values.fileKeys;
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

function splitKeys(text: string): string[] {
  return text.split(/\s+/).filter((key) => key !== "").map(cleanValue);
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

function buildProxies({ "trust-proxy": list }: Values): readonly string[] {
  const proxies = list?.split(",").map((proxy) => proxy.trim()) ?? [];
  createAddressFinder(proxies); // made for its checks alone
  return proxies;
}

function checkKeep(days: number, { sink }: Values): number {
  if (sink.startsWith("sqlite:") && isFile(sink.slice("sqlite:".length))) return days;
  throw new ServerFault("keep is for a SQLite file: the sink has no ages");
}

function buildSink(values: Values): SinkSettings {
  const [kind = "", ...parts] = values.sink.split(":");
  const rest = parts.join(":");
  switch (kind) {
    case "sqlite":
      return { kind, path: rest };
    case "nats":
      return buildNats(rest, values);
    default:
      return { kind: "memory" };
  }
}

function buildNats(list: string, values: Values): NatsSettings {
  return {
    kind: "nats",
    servers: parseServers(list, "sink"),
    stream: values["nats-stream"],
    replicas: values["nats-replicas"],
    duplicateWindowMs: values["nats-window-minutes"] * MS_PER_MINUTE,
    ...buildSignIn(values),
  };
}

/**
 * Reads the servers of a cluster: `//a:4222,nats://b:4222` as well as `a:4222,b:4222`.
 *
 * @throws {ServerFault} For what is none.
 */
export function parseServers(list: string, setting: string): readonly string[] {
  const servers = list.split(",").map((server) => server.replace(/^(?:nats:)?\/\//, "").trim());
  if (servers.every((server) => /^[^\s/@]+$/.test(server))) return servers;
  throw new ServerFault(`${setting} nats: must list servers as host:port, split by commas, without user or password`);
}

/** Returns how to sign in at NATS. */
export function buildSignIn(values: {
  readonly "nats-credentials"?: string;
  readonly "nats-user"?: string;
  readonly "nats-password"?: string;
  readonly "nats-token"?: string;
}): Pick<NatsSettings, "credentialsPath" | "user" | "password" | "token"> {
  const { "nats-credentials": credentialsPath, "nats-user": user } = values;
  const { "nats-password": password, "nats-token": token } = values;
  return {
    ...(credentialsPath !== undefined && { credentialsPath }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(token !== undefined && { token }),
  };
}

/** Returns where a ClickHouse is, and how to sign in there. */
export function buildClickHouse(url: string, values: {
  readonly "clickhouse-user"?: string;
  readonly "clickhouse-password"?: string;
  readonly "clickhouse-database"?: string;
}): ClickHouseOptions {
  const { "clickhouse-user": user, "clickhouse-password": password, "clickhouse-database": database } = values;
  return {
    url,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
  };
}
