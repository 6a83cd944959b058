import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import * as v from "valibot";
import { createClickHouseData } from "../../stores/clickhouse/clickhouse_data.ts";
import type { DataStore, DataSubject, EventRange, PruneOptions } from "../../ports/data_store.ts";
import { writeRowsCsv } from "../../reports/event_csv.ts";
import { createFileData } from "../../stores/file/file_data.ts";
import { describeError } from "../../platform/describe_error.ts";
import { hashKey } from "../../platform/digest.ts";
import { eraseFromStream } from "../../stores/jetstream/stream_eraser.ts";
import { openClickHouse } from "../../stores/clickhouse/clickhouse_client.ts";
import { openErasures } from "../../stores/clickhouse/clickhouse_erasures.ts";
import type { ClickHouseOptions } from "../../stores/clickhouse/clickhouse_port.ts";
import { escapeForJson, replaceControls, writeSafeJson } from "../../events/foreign_text.ts";
import { type EventColumn, type ExportedEvent, KEYED_COLUMNS, SENT_COLUMNS } from "../../events/columns.ts";
import { writeEventsParquet } from "../../stores/file/event_parquet.ts";
import type { Variables } from "./clean_value.ts";
import { type Command, type Flags, type Given, readFlags, type Values as ValuesOf } from "./flags.ts";
import { ServerFault } from "../ops/server_fault.ts";
import {
  AGE_RULE,
  buildNats,
  changeEach,
  lenient,
  type NatsPlace,
  OF_NATS,
  oneOf,
  parseAge,
  pickSet,
  SWITCH,
} from "./shared_flags.ts";
import { listUsed, OF_STORE, readPlace, type StorePlace } from "./store_place.ts";
import { type Chunk, write, writeNewFile } from "./target_file.ts";

const FORMATS = ["jsonl", "csv", "parquet"] as const;

/** Flags of the command line alone: in a variable they may be meant for another command, or delete unasked. */
function argument(value: string) {
  return { value, schema: v.string(), isCommandLineOnly: true } as const;
}

/** An age whose message quotes nothing: that may be an id. */
const DAYS = {
  ...argument("AGE"),
  schema: v.pipe(v.string(), v.check((text) => parseAge(text) !== undefined, AGE_RULE), v.transform(parseAge)),
};

/** Gives flags to some actions alone: one that does nothing would be a promise. */
function only<F extends Flags>(actions: readonly string[], flags: F): F {
  return changeEach(flags, { actions });
}

const COMMAND = {
  name: "data",
  usage: `Usage: vendor-ingest data find --key KEY --user-id ID|--anonymous-id ID [options]
       vendor-ingest data export --key KEY --user-id ID|--anonymous-id ID [options]
       vendor-ingest data export --all [--key KEY] [--from TIME] [--to TIME] [options]
       vendor-ingest data erase --key KEY --user-id ID|--anonymous-id ID [--from nats:SERVER,SERVER] [options]
       vendor-ingest data prune [options]

Finds, hands out and deletes what a store holds of people, while the ingest runs.

  find      counts what is stored of somebody
  export    writes it, an event a line; with --all everybody's events
  erase     deletes it, and keeps away what was captured before and still waits somewhere
  prune     deletes by age, and what a restored backup brought back`,
  flags: {
    ...OF_STORE,
    ...only(["find", "export", "erase"], {
      key: { ...argument("KEY"), help: "publishable key that the events were sent with" },
      "user-id": { ...argument("ID"), help: "what identify() was given" },
      "anonymous-id": { ...argument("ID"), help: "random id of a visitor, whoever was signed in" },
      "with-visitors": { ...SWITCH, help: "also events before the sign-in, of the user's anonymous ids" },
    }),
    ...only(["export"], {
      all: { ...SWITCH, help: "everybody's events, of a key or of all keys, then with the hash of each key" },
    }),
    ...only(["export", "erase"], {
      from: { ...argument("TIME|nats:SERVERS"), help: "first day or time of --all; a stream to delete from as well" },
    }),
    ...only(["export"], {
      to: { ...argument("TIME"), help: "last day of --all, or a time that it ends before (default: everything)" },
      format: { ...oneOf("FORMAT", FORMATS), isCommandLineOnly: true, default: "jsonl", help: "jsonl, csv or parquet" },
      out: { ...argument("FILE"), help: "a new file that nobody else can read; - is the output (default: the output)" },
    }),
    ...only(["erase"], lenient(OF_NATS)),
    ...only(["prune"], {
      keep: { ...DAYS, help: "age at which events are deleted, such as 395d (default: never)" },
      "keep-erasures": { ...DAYS, help: "age at which records of erasures are deleted (default: never)" },
    }),
    ...only(["erase", "prune"], {
      "dry-run": { ...SWITCH, help: "deletes nothing, and says what would go" },
      vacuum: { ...SWITCH, help: "writes tail.db anew, so that nothing remains; POSTs wait meanwhile" },
    }),
  },
  notes: `A TIME is a day in UTC, such as 2026-01-31, or a time, such as 2026-01-31T12:00:00Z.

--sink, --clickhouse-… and --nats-… can be variables such as INGEST_SINK and INGEST_CLICKHOUSE_PASSWORD.
Other users of the machine can read a command line: secrets are better off in the environment.`,
  forms: ["find", "export", "erase", "prune"],
  isVerbatim: true,
} satisfies Command;

/** `data`. */
export const DATA: Command = COMMAND;

type Values = ValuesOf<typeof COMMAND.flags>;

/** Format of events. */
export type DataFormat = typeof FORMATS[number];

/** The parsed command. */
export type DataCommand =
  & { readonly place: StorePlace }
  & (
    | { readonly action: "find"; readonly subject: DataSubject }
    | ({ readonly action: "export"; readonly format: DataFormat; readonly out?: string } & ExportedPart)
    | {
      readonly action: "erase";
      readonly subject: DataSubject;
      readonly dryRun: boolean;
      readonly vacuum: boolean;
      readonly waiting?: WaitingPlace;
    }
    | { readonly action: "prune"; readonly options: PruneOptions }
  );

/** The choice of an export: somebody's events, or everybody's. */
type ExportedPart = { readonly subject: DataSubject } | { readonly range: EventRange };

/** A stream in front of a ClickHouse. */
interface WaitingPlace {
  readonly stream: NatsPlace;
  readonly store: ClickHouseOptions;
}

/** Length of the text that is written at once, in UTF-16 units. */
const CHUNK_UNITS = 64 * 1024;

/**
 * Reads the arguments of the command.
 *
 * @throws {ServerFault} With what is wrong. Never repeats a key or an id.
 */
export function parseDataCommand(args: readonly string[], variables: Variables): DataCommand | "help" {
  const given = readFlags(COMMAND, { args, variables });
  if (typeof given === "string") return "help";
  const { values, words: [action] } = given;
  const place = readPlace(values);
  const { "dry-run": dryRun = false, vacuum = false } = values;
  if (vacuum && place.kind === "clickhouse") {
    throw new ServerFault("vacuum is for a folder: ClickHouse removes what is old by itself");
  }
  switch (action) {
    case "find":
      return { action, place, subject: readSubject(values) };
    case "export":
      return { action, place, ...readExported(values), format: values.format, ...pickSet({ out: values.out }) };
    case "erase":
      return { action, place, subject: readSubject(values), dryRun, vacuum, ...readWaiting(given, place) };
    default: {
      const { keep: keepDays, "keep-erasures": keepErasuresDays } = values;
      return { action: "prune", place, options: { ...pickSet({ keepDays, keepErasuresDays }), dryRun, vacuum } };
    }
  }
}

function readWaiting({ values, typed }: Given<typeof COMMAND.flags>, place: StorePlace): { waiting?: WaitingPlace } {
  const { from, "dry-run": isTry = false } = values;
  if (from === undefined) {
    const alone = typed.find((name) => name.startsWith("nats-"));
    if (alone !== undefined) throw new ServerFault(`${alone} is for a stream: name one with --from nats:SERVER,SERVER`);
    return {};
  }
  if (place.kind !== "clickhouse") throw new ServerFault("from is for a ClickHouse: a stream is in front of it");
  if (isTry) throw new ServerFault("from deletes at once: it goes without dry-run");
  if (!from.startsWith("nats:")) throw new ServerFault("from must be nats:SERVER,SERVER");
  return { waiting: { stream: buildNats(from, { name: "from", values }), store: place.options } };
}

function readSubject(values: Values): DataSubject {
  const { key: apiKey, "user-id": userId, "anonymous-id": anonymousId, "with-visitors": withVisitors = false } = values;
  if (!apiKey) throw new ServerFault("there is no key: name one with --key KEY");
  // An application may sign a user in with an empty one.
  if (userId !== undefined && anonymousId === undefined) return { apiKey, userId, withVisitors };
  if (withVisitors) throw new ServerFault("with-visitors is for a user: name one with --user-id ID");
  if (anonymousId && userId === undefined) return { apiKey, anonymousId };
  throw new ServerFault("whose data is it? Name one with --user-id ID or --anonymous-id ID");
}

function readExported(values: Values): ExportedPart {
  const { all = false, key: apiKey, from, to } = values;
  if (!all) {
    const alone = (["from", "to"] as const).find((name) => values[name] !== undefined);
    if (alone !== undefined) throw new ServerFault(`${alone} is for everybody's events: name them with --all`);
    return { subject: readSubject(values) };
  }
  const person = (["user-id", "anonymous-id", "with-visitors"] as const).find((name) => values[name] !== undefined);
  if (person !== undefined) throw new ServerFault(`all is everybody's events: it goes without ${person}`);
  if (apiKey === "") throw new ServerFault("the key is empty: leave it out for all keys");
  const range = {
    ...(apiKey !== undefined && { apiKey }),
    ...(from !== undefined && { from: readTime("from", from) }),
    ...(to !== undefined && { to: readTime("to", to) }),
  };
  if (range.from !== undefined && range.to !== undefined && range.from >= range.to) {
    throw new ServerFault("from must be before to");
  }
  return { range };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

/** Reads a time; of a day its start, or its end. */
function readTime(name: "from" | "to", text: string): string {
  const time = new Date(text);
  // A parser takes February 30th for a day in March.
  const isKnown = (DAY.test(text) || TIME.test(text)) && !Number.isNaN(time.getTime()) &&
    time.toISOString().startsWith(text.slice(0, "2026-01-31".length));
  if (!isKnown) {
    throw new ServerFault(`${name} must be a day or a time in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z`);
  }
  if (name === "to" && DAY.test(text)) time.setUTCDate(time.getUTCDate() + 1);
  return time.toISOString();
}

// A mistyped key or id would read like success.
const UNKNOWN_KEY = "nothing was ever stored under this key: is it the one that the events were sent with?";

const NOTHING_IN_RANGE = "nothing is stored of this time";

const NOTHING_STORED = "nothing is stored of this user or visitor: is it the right id?";

/** Where a command writes to. */
export interface DataOutput {
  /** Takes results. */
  readonly output: Writable;
  /** Breaks an export off that is written to a file: nothing of it is left. */
  readonly signal?: AbortSignal;
}

/**
 * Carries a command out, and writes its result; returns a remark for the operator.
 *
 * @throws {ServerFault} When it can't be done.
 */
export async function runDataCommand(
  command: DataCommand,
  { output, signal }: DataOutput,
): Promise<string | undefined> {
  let data: DataStore | undefined;
  try {
    data = await openData(command.place);
    const apiKey = findKey(command);
    if (apiKey !== undefined && !await data.hasKey(apiKey)) throw new Error(UNKNOWN_KEY);
    return await answer(command, { data, output, ...(signal && { signal }) });
  } catch (cause) {
    throw new ServerFault(describeError(cause), { cause });
  } finally {
    await data?.close();
  }
}

function findKey(command: DataCommand): string | undefined {
  if ("range" in command) return command.range.apiKey;
  return "subject" in command ? command.subject.apiKey : undefined;
}

async function openData(place: StorePlace): Promise<DataStore> {
  return place.kind === "file" ? createFileData(place) : await createClickHouseData(place.options);
}

/** Deletes what waits in a stream of a key that records name; returns how many messages that were. */
async function eraseWaiting({ stream, store }: WaitingPlace, { apiKey }: DataSubject): Promise<number> {
  const clickHouse = await openClickHouse(store);
  try {
    const keyHash = await hashKey(apiKey);
    const erasures = (await openErasures(clickHouse).readAll()).filter(({ key }) => key === keyHash);
    const { credentialsPath, ...options } = stream;
    const credentials = credentialsPath === undefined ? undefined : new Uint8Array(readFileSync(credentialsPath));
    return await eraseFromStream({ ...options, ...(credentials && { credentials }) }, erasures);
  } finally {
    await clickHouse.close();
  }
}

async function answer(
  command: DataCommand,
  { data, output, signal }: DataOutput & { readonly data: DataStore },
): Promise<string | undefined> {
  // Ids are others' texts, and the output may be a terminal.
  const print = (result: object): Promise<void> =>
    write(output, `${JSON.stringify(result, null, 2).split("\n").map(escapeControls).join("\n")}\n`);
  switch (command.action) {
    case "find": {
      const found = await data.find(command.subject);
      await print(found);
      return found.events > 0 ? undefined : NOTHING_STORED;
    }
    case "erase": {
      const { subject, waiting } = command;
      const erased = await data.erase(subject, command);
      await print({ ...erased, ...(waiting && { stream: await eraseWaiting(waiting, subject) }) });
      return erased.events > 0 ? undefined : NOTHING_STORED;
    }
    case "prune":
      await print(await data.prune(command.options));
      return undefined;
    case "export": {
      let events = 0;
      const counted = countEach(readExportedEvents(command, data), () => events += 1);
      const chunks = WRITERS[command.format](counted, hasSeveralKeys(command) ? KEYED_COLUMNS : SENT_COLUMNS);
      await writeNewFile(chunks, {
        out: command.out,
        output,
        used: listUsed(command.place),
        ...(signal && { signal }),
      });
      if ("range" in command) return events > 0 ? `exported ${events} events` : NOTHING_IN_RANGE;
      return events > 0 ? undefined : NOTHING_STORED;
    }
  }
}

function escapeControls(json: string): string {
  return replaceControls(json, escapeForJson);
}

function hasSeveralKeys(part: ExportedPart): boolean {
  return "range" in part && part.range.apiKey === undefined;
}

async function* readExportedEvents(part: ExportedPart, data: DataStore): AsyncGenerator<ExportedEvent> {
  if ("subject" in part) {
    yield* data.export(part.subject);
    return;
  }
  const isKeyed = hasSeveralKeys(part);
  for await (const { keyHash, event } of data.exportAll(part.range)) yield isKeyed ? { keyHash, ...event } : event;
}

async function* countEach<T>(items: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const item of items) {
    count();
    yield item;
  }
}

/** Writes events with the columns of a table; JSON lines hold each event whole. */
type EventWriter = (events: AsyncIterable<ExportedEvent>, columns: readonly EventColumn[]) => AsyncIterable<Chunk>;

const WRITERS: Readonly<Record<DataFormat, EventWriter>> = {
  jsonl: (events) => gather(writeJsonLines(events)),
  csv: (events, columns) => gather(writeRowsCsv(events, columns)),
  parquet: writeEventsParquet,
};

async function* writeJsonLines(events: AsyncIterable<ExportedEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `${writeSafeJson(event)}\n`;
}

async function* gather(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_UNITS) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}
