/**
 * What can be set, once: the command line, the environment, the config file and the help text are made of this.
 *
 * @module
 */

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
  { name: "reuse-port", help: "shares the port with other processes that do the same (Deno on Linux, Node 23.1)" },
  { name: "path", value: "PATH", fallback: "/v1/events", help: "path that takes events" },
  {
    name: "key",
    value: "KEY=SITES",
    isRepeatable: true,
    help: "publishable key and the origins that may use it, split by commas, or any",
  },
  {
    name: "sink",
    value: "SINK",
    fallback: "sqlite:events.db",
    help: "memory, sqlite:PATH, nats:SERVER,SERVER or forward:URL",
  },
  { name: "report-secret", value: "SECRET", help: "opens /reports for the key; none, no reports" },
  { name: "nats-stream", value: "NAME", fallback: "VENDOR_EVENTS", help: "stream, made when it is missing" },
  { name: "nats-replicas", value: "COUNT", fallback: "3", help: "servers that keep each event" },
  { name: "nats-window-days", value: "DAYS", fallback: "8", help: "how long event ids are known; more than 7" },
  { name: "nats-credentials", value: "FILE", help: "credentials file" },
  { name: "nats-user", value: "USER", help: "user name" },
  { name: "nats-password", value: "PASSWORD", help: "password of the user" },
  { name: "nats-token", value: "TOKEN", help: "token, instead of a user" },
  { name: "forward-key", value: "KEY", help: "key to forward with (default: the sender's)" },
  { name: "forward-origin", value: "ORIGIN", help: "origin to forward with (default: the sender's)" },
  { name: "forward-timeout", value: "MS", fallback: "10000", help: "how long the endpoint may take to answer" },
  { name: "max-pending", value: "COUNT", fallback: "256", help: "requests at work at a time; more are answered 503" },
  { name: "request-timeout", value: "MS", fallback: "25000", help: "how long a request may take" },
  {
    name: "trust-proxy",
    value: "ADDRESSES",
    help: "proxies whose X-Forwarded-For says who sends: addresses or networks, split by commas",
  },
  { name: "grace", value: "MS", fallback: "10000", help: "how long requests under way may take at the end" },
  { name: "log-level", value: "LEVEL", fallback: "info", help: "debug (every request), info, warn or error" },
  { name: "help", help: "shows this text" },
  { name: "version", help: "shows the version" },
];

const ENV_PREFIX = "INGEST_";

/** Returns the environment variable of a setting; the one of `--key` holds several, split by spaces. */
export function toVariable({ name, isRepeatable }: Flag): string {
  return `${ENV_PREFIX}${name.toUpperCase().replaceAll("-", "_")}${isRepeatable ? "S" : ""}`;
}

/** Returns the field of a setting in the config file; several keys are objects there. */
export function toField({ name, isRepeatable }: Flag): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) + (isRepeatable ? "s" : "");
}

/** Returns the help text. */
export function buildUsage(): string {
  const lines = FLAGS.map((flag) => {
    const left = `  --${flag.name}${flag.value ? ` ${flag.value}` : ""}`;
    const end = flag.fallback === undefined ? "" : ` (default ${flag.fallback})`;
    return `${left.padEnd(28)}  ${flag.help}${end}`;
  });
  return `Usage: ingest --key KEY=SITES [options]

Receives the events of @vendor/sdk, and stores or forwards them.

${lines.join("\n")}

Each --some-name can be the variable ${ENV_PREFIX}SOME_NAME, or someName in the config file; keys are ${ENV_PREFIX}KEYS,
split by spaces. The command line wins over the environment, that over the file. Other users of the machine can read a
command line: secrets are better off in the environment.`;
}
