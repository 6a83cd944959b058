import { type EventContext, type Identity, SDK_NAME } from "@vendor/sdk/contract";
import { SENT_COLUMNS } from "./columns.ts";
import type { StoredEvent } from "./stored_event.ts";

/** A row of {@linkcode SENT_COLUMNS}, as an engine returns it. */
export type SentRow = Readonly<Record<string, unknown>>;

/** Makes an event of its row again. What is empty in the row was empty or absent, and is absent. */
export function rebuildEvent(row: SentRow): StoredEvent {
  const isFull = row.collection === "full";
  const context = readContext(row);
  return {
    ...readTexts(row),
    timestamp: toIsoTime(row.timestamp),
    receivedAt: toIsoTime(row.received_at),
    ...(row.properties !== "" && { properties: JSON.parse(String(row.properties)) }),
    ...(isFull && { identity: readIdentity(row) }),
    ...(context.sdkVersion !== "" && { context }),
    ...(row.page_url === "" && row.site !== "" && { site: String(row.site) }),
    place: Number(row.place),
    ...(Number(row.clock_offset_ms) !== 0 && { clockOffsetMs: Number(row.clock_offset_ms) }),
    ...readDimensions(row),
  };
}

type Texts = Pick<StoredEvent, "id" | "name" | "collection"> & Partial<StoredEvent>;

/** The columns that are the text of a field of the event itself. */
const TEXTS = SENT_COLUMNS.flatMap(({ name, type, field = "." }) =>
  (type === "text" || type === "label") && !field.includes(".") ? [[name, field] as const] : []
);

function readTexts(row: SentRow): Texts {
  // The first three are never empty.
  return Object.fromEntries(TEXTS.flatMap(([name, field]) => row[name] === "" ? [] : [[field, row[name]]])) as Texts;
}

const DIMENSIONS = "dimensions.";

/** The columns that are a class of the sender. */
const CLASSES = SENT_COLUMNS.flatMap(({ name, field = "" }) =>
  field.startsWith(DIMENSIONS) ? [[name, field.slice(DIMENSIONS.length)] as const] : []
);

function readDimensions(row: SentRow): Pick<StoredEvent, "dimensions"> {
  const entries = CLASSES.flatMap(([name, field]) => row[name] === "" ? [] : [[field, row[name]]]);
  return entries.length === 0 ? {} : { dimensions: Object.fromEntries(entries) };
}

function readIdentity({ user_id: userId, anonymous_id: anonymousId, traits }: SentRow): Identity {
  return {
    userId: userId === null ? null : String(userId),
    ...(anonymousId !== "" && { anonymousId: String(anonymousId) }),
    ...(traits !== "" && { traits: JSON.parse(String(traits)) }),
  };
}

function readContext(row: SentRow): EventContext {
  const { screen_width: screenWidth, screen_height: screenHeight } = row;
  return {
    sdkName: SDK_NAME,
    sdkVersion: String(row.sdk_version),
    ...(row.page_url !== "" && { pageUrl: String(row.page_url) }),
    ...(row.referrer_url !== "" && { referrer: String(row.referrer_url) }),
    ...(row.page_title !== "" && { pageTitle: String(row.page_title) }),
    ...(screenWidth !== null && { screenWidth: Number(screenWidth) }),
    ...(screenHeight !== null && { screenHeight: Number(screenHeight) }),
  };
}

/** Writes a time as ISO 8601 has it: of a date, or of the text in which ClickHouse writes it. */
export function toIsoTime(time: unknown): string {
  return time instanceof Date ? time.toISOString() : `${String(time).replace(" ", "T")}Z`;
}
