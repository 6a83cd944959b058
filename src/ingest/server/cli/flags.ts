/**
 * What can be set, once: the command line, the environment, the config file and the help text are made of this.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isObject } from "../../contract/values.ts";
import { describeError } from "../../platform/describe_error.ts";
import { cleanValue, readVariable, type Variables } from "./clean_value.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** One setting. */
export interface Flag {
  /** Name on the command line, without its dashes. */
  readonly name: string;
  /** Name of the value in the help text; absent for one that takes none. */
  readonly value?: string;
  /** Whether it can be given several times. */
  readonly isRepeatable?: boolean;
  /** Value without any. */
  readonly fallback?: string;
  /** One line that says what it does. */
  readonly help: string;
}

/** Every setting, in the order of the help text. */
export const FLAGS: readonly Flag[] = [
  { name: "config", value: "FILE", help: "JSON file with any of these settings, and with several keys" },
  { name: "host", value: "HOST", fallback: "127.0.0.1", help: "address to listen on; 0.0.0.0 for all" },
  { name: "port", value: "PORT", fallback: "8080", help: "port to listen on; 0 for any free one" },
  { name: "metrics-port", value: "PORT", help: "port of its own for /metrics, which the other one then doesn't show" },
  { name: "metrics-host", value: "HOST", help: "address for that port (default: 127.0.0.1)" },
  { name: "path", value: "PATH", fallback: "/v1/events", help: "path that takes events" },
  {
    name: "key",
    value: "KEY=SITES",
    isRepeatable: true,
    help: "publishable key and its origins, split by commas, or any; NAME:KEY=SITES names it",
  },
  { name: "keys-file", value: "FILE", help: "JSON file with the keys, read again when it changes; see keys --help" },
  { name: "sink", value: "SINK", fallback: "sqlite:events.db", help: "memory, sqlite:PATH or nats:SERVER,SERVER" },
  { name: "reports", value: "STORE", help: "where reports come from, if not from the sink: clickhouse:URL" },
  { name: "report-secret", value: "SECRET", help: "opens /reports for the key; none, no reports" },
  { name: "nats-stream", value: "NAME", fallback: "VENDOR_EVENTS", help: "stream, made when it is missing" },
  { name: "nats-replicas", value: "COUNT", fallback: "3", help: "servers that keep each event" },
  {
    name: "nats-window-minutes",
    value: "COUNT",
    fallback: "11520",
    help: "how long the servers know event ids, in memory",
  },
  { name: "clickhouse-user", value: "USER", help: "user name" },
  { name: "clickhouse-password", value: "PASSWORD", help: "password of the user" },
  { name: "clickhouse-database", value: "NAME", help: "database with the table events" },
  { name: "nats-credentials", value: "FILE", help: "credentials file" },
  { name: "nats-user", value: "USER", help: "user name" },
  { name: "nats-password", value: "PASSWORD", help: "password of the user" },
  { name: "nats-token", value: "TOKEN", help: "token, instead of a user" },
  { name: "keep", value: "AGE", help: "age at which events are deleted, such as 395d (default: never)" },
  {
    name: "keep-erasures",
    value: "AGE",
    fallback: "395d",
    help: "age at which records of erasures are: more than your oldest backup has",
  },
  { name: "plan", value: "FILE", help: "what the steps hold: a module with schemas" },
  { name: "plan-mode", value: "MODE", fallback: "count", help: "count or refuse the events that break the plan" },
  { name: "max-pending", value: "COUNT", fallback: "256", help: "requests at work at a time; more are answered 503" },
  { name: "request-timeout", value: "MS", fallback: "25000", help: "how long a request may take" },
  {
    name: "trust-proxy",
    value: "ADDRESSES",
    help: "proxies that say who sends, in X-Forwarded-For or Forwarded: addresses or networks",
  },
  { name: "grace", value: "MS", fallback: "10000", help: "how long requests under way may take at the end" },
  { name: "log-level", value: "LEVEL", fallback: "info", help: "debug (every request), info, warn or error" },
  { name: "help", help: "shows this text" },
  { name: "version", help: "shows the version" },
];

/** What is asked for on the command line alone: `INGEST_VERSION` and its like say something else. */
const COMMANDS: readonly string[] = ["help", "version"];

const ENV_PREFIX = "INGEST_";

/** Returns the environment variable of a setting; the one of `--key` holds several, split by spaces. */
function toVariable({ name, isRepeatable }: Flag): string {
  return `${ENV_PREFIX}${name.toUpperCase().replaceAll("-", "_")}${isRepeatable ? "S" : ""}`;
}

/** Returns the field of a setting in the config file; several keys are objects there. */
function toField({ name, isRepeatable }: Flag): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) + (isRepeatable ? "s" : "");
}

/** Returns the help text. */
export function buildUsage(): string {
  return `Usage: vendor-ingest --key KEY=SITES [options]
       vendor-ingest load --from SOURCE --to STORE [options], see load --help
       vendor-ingest keys new|list|revoke, see keys --help
       vendor-ingest backup DATABASE COPY
       vendor-ingest data find|export|erase|prune, see data --help
       vendor-ingest report --key KEY [options], see report --help
       vendor-ingest tail [--key KEY] [options], see tail --help

Receives the events of @vendor/sdk, and stores them.

${listFlags(FLAGS)}

Each --some-name can be the variable ${ENV_PREFIX}SOME_NAME, or someName in the config file; keys are ${ENV_PREFIX}KEYS,
split by spaces. The command line wins over the environment, that over the file. Other users of the machine can read a
command line: secrets are better off in the environment.`;
}

/** Returns the lines of the help text that say what each setting does. */
export function listFlags(flags: readonly Flag[]): string {
  const lines = flags.map(({ name, value, fallback, help }) => {
    const end = fallback === undefined ? "" : ` (default ${fallback})`;
    return `${`  --${name}${value ? ` ${value}` : ""}`.padEnd(28)}  ${help}${end}`;
  });
  return lines.join("\n");
}

/**
 * Collects what is set on the command line, in the environment and in the config file, in this order of precedence, by
 * the name of the flag, with defaults. The keys of the file are objects, and come as `fileKeys`.
 *
 * @throws {ServerFault} For an unknown or incomplete flag, and for a config file that can't be read.
 */
export function readValues(
  args: readonly string[],
  variables: Variables,
  flags: readonly Flag[] = FLAGS,
): Readonly<Record<string, unknown>> {
  const given = parseFlags(args, flags);
  const find = (flag: Flag): unknown =>
    clean(given[flag.name]) ??
      (COMMANDS.includes(flag.name) ? undefined : readVariable(variables, toVariable(flag)));
  const path = flags.filter(({ name }) => name === "config").map(find)[0];
  const { keys: fileKeys, ...file } = typeof path === "string" ? readConfig(path, flags) : {};
  const values = flags.map((flag) => [flag.name, find(flag) ?? file[toField(flag)] ?? flag.fallback] as const);
  return Object.fromEntries([...values, ["fileKeys", fileKeys] as const].filter(([, value]) => value !== undefined));
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === "string" ? cleanValue(value) : value;
}

function parseFlags(args: readonly string[], flags: readonly Flag[]): Readonly<Record<string, unknown>> {
  const options = Object.fromEntries(
    flags.map(({ name, value, isRepeatable }) => [
      name,
      {
        type: value === undefined ? "boolean" as const : "string" as const,
        multiple: isRepeatable === true,
        ...(name === "help" && { short: "h" }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    // Node adds advice on positional arguments that doesn't fit, and repeats them: a key without its flag, for one.
    const [text = ""] = describeError(cause).split(". ");
    const reason = /^Unexpected argument/.test(text) ? "there is an argument that belongs to no flag" : text;
    throw new ServerFault(`${reason.replace(/\.$/, "")}, see --help`, { cause });
  }
}

function readConfig(path: string, flags: readonly Flag[]): Readonly<Record<string, unknown>> {
  const config = parseConfig(path);
  const known = flags.filter(({ name }) => name !== "config" && !COMMANDS.includes(name)).map(toField);
  const stranger = Object.keys(config).find((name) => !known.includes(name));
  if (stranger !== undefined) throw new ServerFault(`the config file ${path} has an unknown field ${stranger}`);
  if (config.keys !== undefined && !Array.isArray(config.keys)) {
    throw new ServerFault(`keys in the config file ${path} must be a list`);
  }
  return config;
}

function parseConfig(path: string): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(readFileSync(path, "utf8").trim());
    if (isObject(config)) return config;
  } catch (cause) {
    // The parser's message quotes the text, which holds secrets.
    const reason = cause instanceof SyntaxError ? "it isn't JSON" : describeError(cause);
    throw new ServerFault(`the config file ${path} can't be read: ${reason}`, { cause });
  }
  throw new ServerFault(`the config file ${path} can't be read: it isn't a JSON object`);
}
