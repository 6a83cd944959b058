import { createLocator } from "../../events/event_facts.ts";
import { createClickHouseTail } from "../../stores/clickhouse/clickhouse_tail.ts";
import { createSqliteTail } from "../../stores/sqlite/sqlite_tail.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { EventTail, TailOptions } from "../../ports/event_tail.ts";
import type { Variables } from "./clean_value.ts";
import { type DataPlace, readPlace } from "./data_command.ts";
import { type Flag, FLAGS, listFlags, readValues } from "./flags.ts";
import { formatTailLine } from "./tail_line.ts";
import { ServerFault } from "../ops/server_fault.ts";

const SHARED = ["clickhouse-user", "clickhouse-password", "clickhouse-database"];

const MAX_LINES = 1000;

const TAIL_FLAGS: readonly Flag[] = [
  { name: "sink", value: "SINK", fallback: "sqlite:events.db", help: "sqlite:PATH or clickhouse:URL" },
  ...FLAGS.filter(({ name }) => SHARED.includes(name)),
  { name: "key", value: "KEY", help: "publishable key that the events are sent with (default: all keys)" },
  { name: "lines", value: "COUNT", fallback: "10", help: `how many stored events come first, up to ${MAX_LINES}` },
  { name: "help", help: "shows this text" },
];

/** The help text of the command. */
export const TAIL_USAGE: string = `Usage: vendor-ingest tail [options]

Prints events as they are stored, a line each, until Ctrl-C: time of arrival in UTC, collection, name, page, user or
visitor, and the beginning of the properties. Control characters are replaced.

${listFlags(TAIL_FLAGS)}

Each --some-name can be the variable INGEST_SOME_NAME.`;

/** What was asked for. */
export interface TailCommand extends TailOptions {
  /** Where the events are. */
  readonly place: DataPlace;
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseTailCommand(args: readonly string[], variables: Variables): TailCommand | "help" {
  const values = readValues(args, variables, TAIL_FLAGS);
  if (values.help === true) return "help";
  const read = (name: string): string | undefined => typeof values[name] === "string" ? values[name] : undefined;
  const apiKey = read("key");
  const lines = Number(read("lines") || NaN);
  if (!Number.isInteger(lines) || lines < 0 || lines > MAX_LINES) {
    throw new ServerFault(`lines must be a whole number up to ${MAX_LINES}`);
  }
  return {
    place: readPlace(Object.fromEntries(["sink", ...SHARED].map((name) => [name, read(name)])), variables),
    ...(apiKey && { apiKey }),
    lines,
  };
}

/** Where a tail writes to, and what ends it. */
export interface TailOutput {
  /** Writes text; rejects once nobody reads it any more, which ends the tail. */
  readonly write: (text: string) => Promise<void>;
  /** Tells whoever asked something that is no event. */
  readonly note: (text: string) => void;
  /** Ends the tail. */
  readonly signal: AbortSignal;
}

/**
 * Prints events as they are stored, until it is ended.
 *
 * @throws {ServerFault} When the store can't be read, or no longer.
 */
export async function runTailCommand(command: TailCommand, { write, note, signal }: TailOutput): Promise<void> {
  let tail: EventTail | undefined;
  try {
    tail = await openTail(command);
    let isFirst = true;
    while (!signal.aborted) {
      const { events, isMore, isCut } = await tail.next();
      if (isFirst && events.length === 0 && command.lines > 0) note(`nothing is stored${ofKey(command)} yet: waiting`);
      if (isCut) note("more events came than are shown");
      isFirst = false;
      const locate = createLocator();
      const text = events.map((event) => `${formatTailLine(event, locate)}\n`).join("");
      if (text !== "" && !await write(text).then(() => true, () => false)) return;
      if (!isMore) await waitFor(tail.intervalMs, signal);
    }
  } catch (cause) {
    throw new ServerFault(describeError(cause), { cause });
  } finally {
    await tail?.close();
  }
}

function ofKey({ apiKey }: TailCommand): string {
  return apiKey === undefined ? "" : " under this key";
}

async function openTail({ place, ...options }: TailCommand): Promise<EventTail> {
  return place.kind === "sqlite"
    ? await createSqliteTail({ ...options, path: place.path })
    : await createClickHouseTail(place.options, options);
}

function waitFor(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    signal.addEventListener("abort", end);
  });
}
