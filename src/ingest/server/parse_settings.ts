import { isPath } from "../request/is_path.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";
import { parseKeys } from "./parse_keys.ts";
import { parseSink } from "./parse_sink.ts";
import { readNumber } from "./read_number.ts";
import { readValues, type Values, type Variables } from "./read_values.ts";
import { ServerFault } from "./server_fault.ts";
import type { Settings } from "./settings.ts";

/** What was asked for: to serve, or to be told something. */
export type Command = "help" | "version" | Settings;

const MAX_PORT = 65_535;

/** Longest delay of a timer. */
const MAX_DELAY_MS = 2_147_483_647;

/**
 * Makes settings of the command line, the environment and the config file.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseSettings(args: readonly string[], variables: Variables): Command {
  const values = readValues(args, variables);
  if (values.isOn("help")) return "help";
  if (values.isOn("version")) return "version";
  return {
    host: values.text("host") ?? "",
    port: readNumber(values, "port", { min: 0, max: MAX_PORT }),
    isPortShared: values.isOn("reuse-port"),
    path: readPath(values),
    keys: parseKeys(values),
    sink: parseSink(values),
    maxPending: readNumber(values, "max-pending", { min: 1, max: 1_000_000 }),
    requestTimeoutMs: readNumber(values, "request-timeout", { min: 1, max: MAX_DELAY_MS }),
    graceMs: readNumber(values, "grace", { min: 0, max: MAX_DELAY_MS }),
    logLevel: readLevel(values),
  };
}

function readPath(values: Values): string {
  const path = values.text("path") ?? "";
  if (!isPath(path)) throw new ServerFault(`path must be one such as /v1/events, not ${JSON.stringify(path)}`);
  const taken = ["/healthz", "/readyz", "/metrics", "/reports"].find((other) => other === path);
  if (taken !== undefined) throw new ServerFault(`path must not be ${taken}, which is taken`);
  return path;
}

function readLevel(values: Values): LogLevel {
  const text = values.text("log-level");
  const level = LOG_LEVELS.find((candidate) => candidate === text);
  if (level === undefined) throw new ServerFault(`log-level must be one of ${LOG_LEVELS.join(", ")}`);
  return level;
}
