/**
 * Flags that several commands have, the checks that flags are made of, and what is made of their values.
 *
 * @module
 */
import * as v from "valibot";
import { MIN_KEEP_DAYS } from "../../events/erasures.ts";
import type { ClickHouseOptions } from "../../stores/clickhouse/clickhouse_port.ts";
import type { JetStreamSinkOptions } from "../../stores/jetstream/jetstream_options.ts";
import { DEFAULT_STREAM } from "../../stores/jetstream/jetstream_stream.ts";
import { LOG_LEVELS, type LogLevel } from "../ops/log.ts";
import type { Ages } from "../ops/prune_daily.ts";
import { ServerFault } from "../ops/server_fault.ts";
import type { Flag, Flags, Values } from "./flags.ts";

/** A kind of value: its name in the help text, and its check. */
type Kind<T> = Pick<Flag<T>, "value" | "schema">;

/** A flag that always has a value. */
export type Preset<T> = Flag<T> & { readonly default: string };

/** Longest delay of a timer. */
const MAX_DELAY_MS = 2_147_483_647;

const MS_PER_MINUTE = 60_000;

/** A text that isn't empty. */
export const TEXT: v.GenericSchema<unknown, string> = v.pipe(
  v.union([v.string(), v.number()], "in the config file must be a string or a number"),
  v.transform(String),
  // What a shell makes of a variable that isn't set: a key or a password that would be refused at run time.
  v.nonEmpty("must not be empty"),
  // Of a file with other line ends: what it names would be made under that name.
  v.check((text) => !/\p{Cc}/u.test(text), "must not hold control characters"),
);

/** Nothing. */
export const SWITCH: Kind<boolean> = { schema: v.boolean() };

/** A text. */
export function text(value: string): Kind<string> {
  return { value, schema: TEXT };
}

/** One of several words. */
export function oneOf<W extends string>(value: string, words: readonly W[]): Kind<W> {
  return { value, schema: v.picklist(words, `must be one of ${words.join(", ")}`) };
}

function whole(min: number, max: number): v.GenericSchema<unknown, number> {
  return v.pipe(
    TEXT,
    v.check(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      ({ input }) => `must be a whole number from ${min} to ${max}, not ${JSON.stringify(input)}`,
    ),
    v.transform(Number),
  );
}

/** A number of things, both bounds included. */
export function count(min: number, max: number): Kind<number> {
  return { value: "COUNT", schema: whole(min, max) };
}

/** A time in milliseconds. */
export function milliseconds(min: number): Kind<number> {
  return { value: "MS", schema: whole(min, MAX_DELAY_MS) };
}

/** A time in minutes; yields milliseconds. */
export function minutes(min: number, max: number): Kind<number> {
  return { value: "COUNT", schema: v.pipe(whole(min, max), v.transform((count) => count * MS_PER_MINUTE)) };
}

/** A port; 0 for any free one. */
export const PORT: Kind<number> = { value: "PORT", schema: whole(0, 65_535) };

/** An address to listen on; one of IPv6 also in brackets, as URLs have it. */
export const HOST: Kind<string> = {
  value: "HOST",
  schema: v.pipe(TEXT, v.transform((text) => /^\[(.+)\]$/.exec(text)?.[1] ?? text)),
};

/** The form of a ClickHouse's address. */
export const CLICKHOUSE_RULE = "must be clickhouse:URL, such as clickhouse:http://localhost:8123";

/** A ClickHouse; yields the address of its HTTP interface. */
export const CLICKHOUSE: Kind<string> = {
  value: "STORE",
  schema: v.pipe(
    TEXT,
    v.regex(/^clickhouse:https?:\/\/[^/@\s]+\/?$/, CLICKHOUSE_RULE),
    v.transform((text) => text.slice("clickhouse:".length)),
  ),
};

/** Refuses a store that is named as a URL: `file://events` would be the folder `/events`. */
export const NO_STORE_URL: v.CheckAction<string, (issue: v.CheckIssue<string>) => string> = v.check(
  (text: string) => !text.startsWith("file://"),
  ({ input }) =>
    `must be file:FOLDER, not the URL ${JSON.stringify(input)}: file:events is in the folder that it runs in, ` +
    "file:/data/events in another",
);

/** Reads an age such as `395d`; undefined for what is none, or shorter than the SDK repeats a batch. */
export function parseAge(text: string): number | undefined {
  const days = Number(/^(\d{1,6})d$/.exec(text)?.[1]);
  return days >= MIN_KEEP_DAYS ? days : undefined;
}

/** The form of an age. */
export const AGE_RULE = "must be at least 8 days, such as 395d";

/** An age in days, `395d`. */
const AGE: Kind<number> = {
  value: "AGE",
  schema: v.pipe(
    TEXT,
    v.check((text) => parseAge(text) !== undefined, ({ input }) => `${AGE_RULE}, not ${JSON.stringify(input)}`),
    v.transform((text) => parseAge(text) ?? 0),
  ),
};

/** Which stream of NATS, and how to sign in there. */
export const OF_NATS:
  & { readonly "nats-stream": Preset<string> }
  & Readonly<Record<`nats-${"credentials" | "user" | "password" | "token"}`, Flag<string>>> = {
    "nats-stream": {
      ...text("NAME"),
      default: DEFAULT_STREAM,
      help: "stream, which the ingest makes where it is missing",
    },
    "nats-credentials": { ...text("FILE"), help: "file with credentials for NATS" },
    "nats-user": { ...text("USER"), help: "user of NATS" },
    "nats-password": { ...text("PASSWORD"), help: "password of that user", isSecret: true },
    "nats-token": { ...text("TOKEN"), help: "token for NATS, instead of a user", isSecret: true },
  };

/** Credentials of a ClickHouse. */
export const OF_CLICKHOUSE: Readonly<Record<`clickhouse-${"user" | "password" | "database"}`, Flag<string>>> = {
  "clickhouse-user": { ...text("USER"), help: "user of ClickHouse" },
  "clickhouse-password": { ...text("PASSWORD"), help: "password of that user", isSecret: true },
  "clickhouse-database": { ...text("NAME"), help: "database with the table events, which has to exist" },
};

/** Ages to which data is kept. */
export const OF_AGES: { readonly keep: Flag<number>; readonly "keep-erasures": Preset<number> } = {
  keep: { ...AGE, help: "age at which events are deleted, such as 395d (default: never)" },
  "keep-erasures": { ...AGE, default: "395d", help: "age at which records of erasures go: more than a backup has" },
};

/** Level of the log. */
export const LOG_LEVEL: Preset<LogLevel> = {
  ...oneOf("LEVEL", LOG_LEVELS),
  default: "info",
  help: "debug (every request), info, warn or error",
};

/** Where metrics are shown, if at a port of their own. */
export const OF_METRICS: { readonly "metrics-port": Flag<number>; readonly "metrics-host": Flag<string> } = {
  "metrics-port": { ...PORT, help: "port of its own for /metrics, with /healthz and /readyz (default: none)" },
  "metrics-host": { ...HOST, help: "address for that port (default: 127.0.0.1)" },
};

/** Returns the options that are set: an option takes no undefined. */
export function pickSet<T extends object>(options: T): { readonly [N in keyof T]?: Exclude<T[N], undefined> } {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [N in keyof T]?: Exclude<T[N], undefined> };
}

/** Returns where metrics are shown, if at a port of their own. */
export function buildMetrics(
  { "metrics-host": host, "metrics-port": port }: Values<typeof OF_METRICS>,
): { readonly metrics?: { readonly host: string; readonly port: number } } {
  if (port !== undefined) return { metrics: { host: host ?? "127.0.0.1", port } };
  if (host === undefined) return {};
  throw new ServerFault("metrics-host is for a port of its own: set metrics-port");
}

/** Returns how long data is kept. */
export function buildAges({ keep: keepDays, "keep-erasures": keepErasuresDays }: Values<typeof OF_AGES>): Ages {
  return { ...pickSet({ keepDays }), keepErasuresDays };
}

/** A stream of a NATS cluster, and how to sign in there. */
export interface NatsPlace extends Pick<JetStreamSinkOptions, "servers" | "user" | "password" | "token"> {
  /** Name of the stream. */
  readonly stream: string;
  /** Path of a credentials file. */
  readonly credentialsPath?: string;
}

/**
 * Reads where a stream is: `nats://a:4222,nats://b:4222` as well as `nats:a:4222,b:4222`.
 *
 * @throws {ServerFault} For servers that are none.
 */
export function buildNats(
  text: string,
  { name, values }: { readonly name: string; readonly values: Values<typeof OF_NATS> },
): NatsPlace {
  const servers = text.slice("nats:".length).split(",").map((server) => server.replace(/^(?:nats:)?\/\//, "").trim());
  if (!servers.every((server) => /^[^\s/@]+$/.test(server))) {
    throw new ServerFault(`${name} nats: must list servers as host:port, split by commas, without user or password`);
  }
  const { "nats-stream": stream, "nats-credentials": credentialsPath, "nats-user": user } = values;
  const { "nats-password": password, "nats-token": token } = values;
  return { servers, stream, ...pickSet({ credentialsPath, user, password, token }) };
}

/** Returns where a ClickHouse is, and how to sign in there. */
export function buildClickHouse(url: string, values: Values<typeof OF_CLICKHOUSE>): ClickHouseOptions {
  const { "clickhouse-user": user, "clickhouse-password": password, "clickhouse-database": database } = values;
  return { url, ...pickSet({ user, password, database }) };
}

/** Changes each of some flags. */
export function changeEach<F extends Flags>(flags: F, change: Partial<Flag>): F {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, ...change }])) as F;
}

/** Has flags take any text, also an empty one: scripts give a password of a variable that isn't set. */
export function lenient<F extends Flags>(flags: F): F {
  return changeEach(flags, { schema: v.string() });
}
