import { createForwardSink } from "../sinks/forward/forward_sink.ts";
import { describeError } from "./describe_error.ts";
import { readNumber } from "./read_number.ts";
import type { Values } from "./read_values.ts";
import { ServerFault } from "./server_fault.ts";
import type { SinkSettings } from "./settings.ts";

const MS_PER_DAY = 24 * 60 * 60 * 1000;

/**
 * Reads where events go: a kind, and after a colon what it needs.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseSink(values: Values): SinkSettings {
  const text = values.text("sink") ?? "";
  const at = text.indexOf(":");
  const kind = at < 0 ? text : text.slice(0, at);
  const rest = at < 0 ? "" : text.slice(at + 1);
  // Whatever the sink is: a number that is wrong isn't passed over in silence.
  const numbers = readNumbers(values);
  if (kind === "memory" && at < 0) return { kind };
  if (kind === "sqlite" && rest !== "") return { kind, path: rest };
  if (kind === "forward" && rest !== "") return parseForward(rest, { values, numbers });
  if (kind === "nats" && rest !== "") return parseNats(rest, { values, numbers });
  throw new ServerFault("sink must be memory, sqlite:PATH, nats:SERVER,SERVER or forward:URL");
}

interface SinkNumbers {
  readonly timeoutMs: number;
  readonly replicas: number;
  readonly duplicateWindowMs: number;
}

interface SinkValues {
  readonly values: Values;
  readonly numbers: SinkNumbers;
}

function readNumbers(values: Values): SinkNumbers {
  return {
    timeoutMs: readNumber(values, "forward-timeout", { min: 1, max: 25_000 }),
    replicas: readNumber(values, "nats-replicas", { min: 1, max: 5 }),
    // The SDK repeats a batch for up to 7 days.
    duplicateWindowMs: readNumber(values, "nats-window-days", { min: 8, max: 365 }) * MS_PER_DAY,
  };
}

function parseForward(url: string, { values, numbers: { timeoutMs } }: SinkValues): SinkSettings {
  const apiKey = values.text("forward-key");
  const origin = values.text("forward-origin");
  const options = { url, timeoutMs, ...(apiKey !== undefined && { apiKey }), ...(origin !== undefined && { origin }) };
  try {
    // Made for its checks alone: a setting that can't work is told before anything starts.
    createForwardSink(options);
  } catch (cause) {
    throw new ServerFault(`sink forward: ${describeError(cause)}`, { cause });
  }
  return { kind: "forward", options };
}

function parseNats(list: string, { values, numbers: { replicas, duplicateWindowMs } }: SinkValues): SinkSettings {
  // nats://a:4222,nats://b:4222 as well as nats:a:4222,b:4222
  const servers = list.split(",").map((server) => server.replace(/^(?:nats:)?\/\//, "").trim());
  if (servers.some((server) => !/^[^\s/@]+$/.test(server))) {
    throw new ServerFault("sink nats: must list servers as host:port, split by commas, without user or password");
  }
  const [credentialsPath, user, password, token] = ["nats-credentials", "nats-user", "nats-password", "nats-token"]
    .map((name) => values.text(name));
  return {
    kind: "nats",
    servers,
    stream: values.text("nats-stream") ?? "",
    replicas,
    duplicateWindowMs,
    ...(credentialsPath !== undefined && { credentialsPath }),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(token !== undefined && { token }),
  };
}
