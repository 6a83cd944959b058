/**
 * The columns of a stored event: the one list of what a table of events has. Parquet, ClickHouse, CSV, the filters, the OpenAPI
 * document, the guides and the queries of the reports are made of it, so that a new column is one row here. Events that an
 * earlier release stored have nothing in it. A column with another type or another meaning gets another name.
 *
 * @module
 */
import { findChannel } from "./channels.ts";
import { writeSafeJson } from "./foreign_text.ts";
import { hashText } from "./hash_text.ts";
import { readScalars, writeScalars } from "./scalars.ts";
import { isPageview, type StoredEvent } from "./stored_event.ts";
import { createVisitReader, SCREEN_CLASSES, toFactText, type TrafficSource, type VisitFacts } from "./visit_facts.ts";

/** An event as it is written to a file: of an export of several keys with its key's hash. */
export interface ExportedEvent extends StoredEvent {
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key. */
  readonly keyHash?: string;
}

/** The source of a row's cells. */
export interface ColumnSource {
  /** The event. */
  readonly event: ExportedEvent;
  /** Its meaning to the reports. */
  readonly facts: VisitFacts;
  /** Returns the number that stands for a text. */
  readonly hash: (text: string) => bigint;
  /** Returns the channel that a source tells of. */
  readonly channelOf: (from: TrafficSource) => string;
}

/**
 * Types of cells. `label` is a text that many events share; `time` an ISO 8601 time in UTC; `json` the text of an
 * object; `long` a whole number of 64 bits, as a number or a bigint; `int` one of 32 bits.
 */
export type ColumnType = "text" | "label" | "time" | "number" | "json" | "long" | "int" | "boolean";

/** A filter of the reports by a column: it chooses the events that have one of its values, and the sessions with one of these. */
export interface ColumnFilter {
  /** Its name, in a URL. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  /** Events that it chooses, as a phrase for a guide. */
  readonly about: string;
  /** The values that it takes: of a column that isn't a text, "yes" where it has something, and "no". Any text by default. */
  readonly values?: readonly string[];
}

/** A column of a table of events. */
export interface EventColumn {
  /** Its name. */
  readonly name: string;
  /** Type of its cells. */
  readonly type: ColumnType;
  /** Whether a cell may be null. What is missing of other columns is an empty text, 0 or false. */
  readonly isNullable?: boolean;
  /** Its meaning, as a phrase for a guide. */
  readonly about: string;
  /** The field of a stored event that it holds, such as `context.pageUrl`; absent where several tell it. */
  readonly field?: string;
  /** Whether it says where the event's session came from. */
  readonly isOfSource?: boolean;
  /** The filter of the reports by it. */
  readonly filter?: ColumnFilter;
  /** Reads the cell of an event; undefined for what is missing. */
  readonly read: (source: ColumnSource) => unknown;
}

/** Columns that filters choose events by. A row is all that a filter needs: its name, words and SQL in the reports. */
export const FILTERED_COLUMNS = [
  {
    name: "screen",
    type: "label",
    about: "class of the screen; empty where no width was sent",
    read: ({ facts }: ColumnSource): string => facts.screen,
    filter: {
      name: "screen",
      title: "Screen",
      values: SCREEN_CLASSES as typeof SCREEN_CLASSES,
      about:
        "events on such a screen: `phone` under 576 CSS pixels, `tablet` under 992, `laptop` under 1440, else `desktop`",
    },
  },
  {
    name: "browser",
    type: "label",
    field: "dimensions.browser",
    about: "family of the browser, where the key asks for it",
    read: ({ event }: ColumnSource): string | undefined => event.dimensions?.browser,
    filter: { name: "browser", title: "Browser", about: "events in such a browser: `browser:Firefox`" },
  },
  {
    name: "browser_version",
    type: "label",
    field: "dimensions.version",
    about: "family and major version of the browser, where the key asks for it",
    read: ({ event }: ColumnSource): string | undefined => event.dimensions?.version,
    filter: {
      name: "version",
      title: "Browser version",
      about: "events in such a version of a browser: `version:Firefox 145`",
    },
  },
  {
    name: "system",
    type: "label",
    field: "dimensions.system",
    about: "family of the system, where the key asks for it",
    read: ({ event }: ColumnSource): string | undefined => event.dimensions?.system,
    filter: { name: "system", title: "System", about: "events on such a system: `system:Android`" },
  },
  {
    name: "device",
    type: "label",
    field: "dimensions.device",
    about: "`phone`, `tablet` or `desktop`, where the key asks for it",
    read: ({ event }: ColumnSource): string | undefined => event.dimensions?.device,
    filter: { name: "device", title: "Device", about: "events on such a device: `phone`, `tablet` or `desktop`" },
  },
  {
    name: "country",
    type: "label",
    field: "dimensions.country",
    about: "country in two letters, where the key asks for it",
    read: ({ event }: ColumnSource): string | undefined => event.dimensions?.country,
    filter: { name: "country", title: "Country", about: "events from there, in two letters: `country:DE`" },
  },
  {
    name: "user_hash",
    type: "long",
    about: "stands for `user_id`; 0 for none",
    read: ({ facts, hash }: ColumnSource): bigint => hash(facts.user),
    filter: {
      name: "signedIn",
      title: "Signed in",
      values: ["yes", "no"],
      about: "events with a user, or without one",
    },
  },
] as const;

const FILTERED: readonly EventColumn[] = FILTERED_COLUMNS;

/** The event as it was sent and as it arrived: it is made of these columns again. */
export const SENT_COLUMNS: readonly EventColumn[] = [
  {
    ...{ name: "id", type: "text", field: "id", about: "ID of the event, unique per key" },
    read: ({ event }) => event.id,
  },
  {
    ...{ name: "name", type: "label", field: "name", about: "name, without control characters" },
    read: ({ event }) => toFactText(event.name),
  },
  {
    ...{ name: "collection", type: "label", field: "collection", about: "`full` or `aggregate`" },
    read: ({ event }) => event.collection,
  },
  {
    ...{ name: "timestamp", type: "time", field: "timestamp", about: "time of the call in the browser" },
    read: ({ event }) => event.timestamp,
  },
  {
    ...{ name: "received_at", type: "time", field: "receivedAt", about: "time of arrival" },
    read: ({ event }) => event.receivedAt,
  },
  {
    ...{ name: "session_id", type: "text", field: "sessionId", about: "session" },
    read: ({ event }) => event.sessionId,
  },
  {
    ...{ name: "user_id", type: "text", field: "identity.userId", isNullable: true },
    about: "user; null for nobody who is signed in",
    read: ({ event }) => event.identity?.userId,
  },
  {
    ...{ name: "anonymous_id", type: "text", field: "identity.anonymousId", about: "visitor" },
    read: ({ event }) => event.identity?.anonymousId,
  },
  {
    ...{ name: "traits", type: "json", field: "identity.traits", about: "traits of the user" },
    read: ({ event }) => event.identity?.traits,
  },
  {
    ...{ name: "page_url", type: "text", field: "context.pageUrl", about: "URL of the page" },
    read: ({ event }) => event.context?.pageUrl,
  },
  {
    ...{ name: "site", type: "label" },
    about: "origin of the page, or the key's only site where the event names no page",
    read: ({ facts }) => facts.site,
  },
  {
    ...{ name: "page_title", type: "text", field: "context.pageTitle", about: "title of the page" },
    read: ({ event }) => event.context?.pageTitle,
  },
  {
    ...{ name: "referrer_url", type: "text", field: "context.referrer", about: "URL of the referrer" },
    read: ({ event }) => event.context?.referrer,
  },
  {
    ...{ name: "screen_width", type: "number", field: "context.screenWidth", isNullable: true },
    about: "width of the screen in CSS pixels",
    read: ({ event }) => event.context?.screenWidth,
  },
  {
    ...{ name: "screen_height", type: "number", field: "context.screenHeight", isNullable: true },
    about: "height of the screen in CSS pixels",
    read: ({ event }) => event.context?.screenHeight,
  },
  {
    ...{ name: "sdk_version", type: "label", field: "context.sdkVersion", about: "version of the SDK" },
    read: ({ event }) => event.context?.sdkVersion,
  },
  {
    ...{ name: "batch_id", type: "text", field: "batchId", about: "batch that it came in" },
    read: ({ event }) => event.batchId,
  },
  {
    ...{ name: "place", type: "int", field: "place" },
    about: "place in its batch: orders events of one millisecond, before `id_order` does",
    read: ({ event }) => event.place,
  },
  {
    ...{ name: "clock_offset_ms", type: "long", field: "clockOffsetMs" },
    about: "milliseconds by which the visitor's clock was behind",
    read: ({ event }) => event.clockOffsetMs,
  },
  {
    ...{ name: "violation", type: "label", field: "violation", about: "how it breaks the plan" },
    read: ({ event }) => event.violation,
  },
  {
    ...{ name: "flag", type: "label", field: "flag", about: "`bot` or `own` where reports leave it out" },
    read: ({ event }) => event.flag,
  },
  {
    ...{ name: "properties", type: "json", field: "properties", about: "properties" },
    read: ({ event }) => event.properties,
  },
  ...FILTERED.filter(({ field }) => field !== undefined),
];

/** The meaning of an event to the reports: decided once, when it is stored. */
const COUNTED_COLUMNS: readonly EventColumn[] = [
  {
    ...{
      name: "time",
      type: "long",
      about: "milliseconds since 1970, by the clock of the ingest where the visitor's was wrong",
    },
    read: ({ facts }) => facts.time,
  },
  {
    ...{
      name: "id_order",
      type: "long",
      about: "hash of the ID: orders events of one millisecond and place, and finds an event by its ID",
    },
    read: ({ event }) => hashText(event.id),
  },
  {
    name: "is_full",
    type: "boolean",
    about: "recorded with consent",
    read: ({ event }) => event.collection === "full",
  },
  { name: "is_view", type: "boolean", about: "a pageview of either form", read: ({ event }) => isPageview(event) },
  {
    ...{
      name: "is_backend",
      type: "boolean",
      about: "an event other than a pageview, without a session: no page sent it",
    },
    read: ({ event, facts }) => event.collection === "full" && !isPageview(event) && facts.session === "",
  },
  {
    ...{
      name: "is_arrival",
      type: "boolean",
      about: "a pageview without a referrer, or whose referrer isn't a page of the site",
    },
    read: ({ facts }) => facts.isArrival,
  },
  { name: "path", type: "label", about: "path of the page, without query", read: ({ facts }) => facts.path },
  {
    ...{
      name: "source_referrer",
      type: "label",
      isOfSource: true,
      about: "site of the referrer, https without www. and m.; empty for the site itself, payment, login",
    },
    read: ({ facts }) => facts.from.referrer,
  },
  {
    name: "utm_source",
    type: "label",
    isOfSource: true,
    about: "`utm_source` of the page's URL in small letters, or the network of an ad's click ID",
    read: ({ facts }) => facts.from.source,
  },
  {
    name: "utm_medium",
    type: "label",
    isOfSource: true,
    about: "`utm_medium`, or `cpc` of an ad's click",
    read: ({ facts }) => facts.from.medium,
  },
  {
    name: "utm_campaign",
    type: "label",
    isOfSource: true,
    about: "`utm_campaign`",
    read: ({ facts }) => facts.from.campaign,
  },
  {
    name: "utm_term",
    type: "label",
    isOfSource: true,
    about: "`utm_term`",
    read: ({ facts }) => facts.from.term,
  },
  {
    name: "utm_content",
    type: "label",
    isOfSource: true,
    about: "`utm_content`",
    read: ({ facts }) => facts.from.content,
  },
  {
    ...{ name: "channel", type: "label", isOfSource: true, about: "channel that tags and referrer tell of" },
    read: ({ facts, channelOf }) => channelOf(facts.from),
  },
  {
    ...{ name: "tagged_channel", type: "label", isOfSource: true, about: "channel that the tags alone tell of" },
    read: ({ facts: { from }, channelOf }) => channelOf(from.referrer === "" ? from : { ...from, referrer: "" }),
  },
  {
    ...{ name: "visitor_hash", type: "long", about: "stands for `anonymous_id`; 0 for none" },
    read: ({ facts, hash }) => hash(facts.visitor),
  },
  {
    ...{ name: "session_hash", type: "long", about: "stands for `session_id`; 0 for none" },
    read: ({ facts, hash }) => hash(facts.session),
  },
  ...FILTERED.filter(({ field }) => field === undefined),
  { name: "engaged_ms", type: "int", about: "milliseconds of engagement", read: ({ facts }) => facts.engagedMs },
  {
    ...{
      name: "scalars",
      type: "json",
      about: "properties that reports count by: scalar values, texts cut to 200 characters",
    },
    read: ({ event }) => toScalars(event.properties),
  },
];

const KEY_HASH: EventColumn = {
  ...{ name: "key_hash", type: "label", about: "first 32 hexadecimal digits of the SHA-256 of the publishable key" },
  read: ({ event }) => event.keyHash,
};

/** The columns of an export of several keys. */
export const KEYED_COLUMNS: readonly EventColumn[] = [KEY_HASH, ...SENT_COLUMNS];

/** All columns that a store keeps. */
export const STORED_COLUMNS: readonly EventColumn[] = [...KEYED_COLUMNS, ...COUNTED_COLUMNS];

/**
 * Columns that every table of events has: without them an event isn't found, counted or erased. A table that lacks another one
 * is of an earlier release.
 */
export const ESSENTIAL_COLUMNS: readonly string[] = [
  ...[
    "key_hash",
    "id",
    "name",
    "collection",
    "timestamp",
    "received_at",
    "session_id",
    "user_id",
    "anonymous_id",
    "place",
  ],
  ...["time", "id_order", "is_full", "is_view", "path", "visitor_hash", "session_hash", "seq"],
];

/** Results that are remembered: neighbours in a store are mostly of the same few people. */
const MEMORY = 10_000;

/** Creates what rows are read from. Each URL is parsed once, and so is what neighbours share. */
export function createColumnSource(): (event: ExportedEvent) => ColumnSource {
  const read = createVisitReader();
  const hash = remember(hashText, (text) => text);
  const channelOf = remember(
    findChannel,
    ({ referrer, source, medium, campaign }: TrafficSource) => `${referrer}\n${source}\n${medium}\n${campaign}`,
  );
  return (event) => ({ event, facts: read(event), hash, channelOf });
}

function remember<T, R>(find: (of: T) => R, toKey: (of: T) => string): (of: T) => R {
  const known = new Map<string, R>();
  return (of) => {
    const key = toKey(of);
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const found = find(of);
    if (known.size >= MEMORY) known.clear();
    known.set(key, found);
    return found;
  };
}

/** The value of a cell where the event has nothing. */
export function toNothing({ type, isNullable }: EventColumn): unknown {
  if (isNullable === true) return null;
  if (type === "boolean") return false;
  return type === "long" || type === "int" || type === "number" ? 0 : "";
}

/** Reads a cell as stores keep it: texts are well-formed, and JSON is text. */
export function readCell(column: EventColumn, source: ColumnSource): unknown {
  const value = column.read(source) ?? toNothing(column);
  if (typeof value === "object" && value !== null) return writeSafeJson(value);
  return typeof value === "string" ? value.toWellFormed() : value;
}

/** Writes texts as filters have them: nothing is escaped that needn't be. */
function toScalars(properties: StoredEvent["properties"]): string {
  const scalars = readScalars(properties);
  return scalars.size === 0 ? "" : writeScalars(scalars);
}
