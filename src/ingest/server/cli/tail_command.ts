import * as v from "valibot";
import { createLocator } from "../../events/place.ts";
import { createClickHouseTail } from "../../stores/clickhouse/clickhouse_tail.ts";
import { createFileTail } from "../../stores/file/file_tail.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { EventTail, TailOptions } from "../../ports/event_tail.ts";
import type { Variables } from "./clean_value.ts";
import { OF_STORE, readPlace, type StorePlace } from "./store_place.ts";
import { type Command, readFlags } from "./flags.ts";
import { count } from "./shared_flags.ts";
import { formatTailLine } from "./tail_line.ts";
import { ServerFault } from "../ops/server_fault.ts";

const MAX_LINES = 1000;

const COMMAND = {
  name: "tail",
  usage: `Usage: vendor-ingest tail [options]

Prints events as they are stored, a line each, until Ctrl-C: time of arrival in UTC, collection, name, page, user or
visitor, and the beginning of the properties. Control characters are replaced.`,
  flags: {
    ...OF_STORE,
    key: {
      value: "KEY",
      schema: v.string(),
      help: "publishable key that the events are sent with (default: all keys)",
    },
    lines: {
      ...count(0, MAX_LINES),
      default: "10",
      help: `how many stored events come first, up to ${MAX_LINES}`,
    },
  },
  notes: "Each --some-name can be the variable INGEST_SOME_NAME.",
} satisfies Command;

/** `tail`. */
export const TAIL: Command = COMMAND;

/** The parsed command. */
export interface TailCommand extends TailOptions {
  /** Where the events are. */
  readonly place: StorePlace;
}

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong.
 */
export function parseTailCommand(args: readonly string[], variables: Variables): TailCommand | "help" {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { key, lines, ...values } = given.values;
  return { place: readPlace(values), ...(key && { apiKey: key }), lines };
}

/** Where a tail writes to, and what ends it. */
export interface TailOutput {
  /** Writes text; rejects once nobody reads it any more, which ends the tail. */
  readonly write: (text: string) => Promise<void>;
  /** Tells the operator something that is no event. */
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
  return place.kind === "file"
    ? await createFileTail({ ...options, path: place.path })
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
