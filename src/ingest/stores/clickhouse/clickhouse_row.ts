import { type EventContext, type Identity, SDK_NAME, type ViolationKind } from "@vendor/sdk/contract";
import type { KeyedEvent } from "../../ports/load_target.ts";
import type { EventFlag, StoredEvent } from "../../events/stored_event.ts";
import { cleanLabel, createLocator } from "../../events/place.ts";
import { readScalars } from "../../events/scalars.ts";
import { createVisitReader } from "../../events/visit_facts.ts";
import type { Row } from "./clickhouse_port.ts";

/** Times that the types of ClickHouse hold; a visitor's clock may show any. */
const [MIN_TIME, MAX_TIME] = ["1900-01-01 00:00:00.000", "2299-12-31 23:59:59.999"] as const;

const TIME_LENGTH = MIN_TIME.length;

const DAY_LENGTH = "2026-01-31".length;

/**
 * Builds the rows of events. What a row is known again by, its key, day and id, follows from the event as it was
 * captured: one that comes again, whenever that is, meets its first.
 */
export function buildRows(events: readonly KeyedEvent[]): readonly Row[] {
  const locate = createLocator();
  const readVisit = createVisitReader();
  return events.map(({ keyHash, event }) => {
    const { id, name, collection, properties, sessionId, identity, context, batchId, place, violation } = event;
    const { origin, path } = locate(context?.pageUrl ?? "");
    const timestamp = toDateTime(event.timestamp);
    const { from, engagedMs } = readVisit(event);
    return {
      key_hash: keyHash,
      day: timestamp.slice(0, DAY_LENGTH),
      id,
      name: cleanLabel(name),
      collection,
      timestamp,
      received_at: toDateTime(event.receivedAt),
      session_id: cleanLabel(sessionId ?? ""),
      user_id: identity?.userId?.toWellFormed() ?? null,
      anonymous_id: identity?.anonymousId ?? "",
      traits: toJson(identity?.traits),
      page_url: toText(context?.pageUrl),
      site: origin || (event.site ?? ""),
      path,
      referrer_url: toText(context?.referrer),
      referrer: locate(context?.referrer ?? "").origin,
      title: toText(context?.pageTitle),
      screen_width: context?.screenWidth ?? null,
      screen_height: context?.screenHeight ?? null,
      sdk_version: toText(context?.sdkVersion),
      batch_id: batchId ?? "",
      place: place ?? 0,
      violation: violation ?? "",
      properties: toJson(properties),
      source_referrer: from.referrer,
      utm_source: from.source,
      utm_medium: from.medium,
      utm_campaign: from.campaign,
      utm_term: from.term,
      utm_content: from.content,
      engaged_ms: engagedMs,
      scalars: Object.fromEntries([...readScalars(properties)].map(([key, value]) => [key, JSON.stringify(value)])),
      clock_offset_ms: event.clockOffsetMs ?? 0,
      flag: event.flag ?? "",
    };
  });
}

/** The columns of which an event is made again. */
export const STORED_COLUMNS: readonly string[] = [
  ...["id", "name", "collection", "timestamp", "received_at", "session_id", "user_id", "anonymous_id", "traits"],
  ...["page_url", "site", "referrer_url", "title", "screen_width", "screen_height", "sdk_version"],
  ...["batch_id", "place", "violation", "properties", "clock_offset_ms", "flag"],
];

/** Makes an event of its row again. What is empty in the row was empty or absent, and is absent. */
export function readRow(row: Row): StoredEvent {
  const isFull = row.collection === "full";
  const context = readContext(row);
  return {
    id: String(row.id),
    name: String(row.name),
    collection: isFull ? "full" : "aggregate",
    timestamp: toIsoTime(row.timestamp),
    receivedAt: toIsoTime(row.received_at),
    ...(row.properties !== "" && { properties: JSON.parse(String(row.properties)) }),
    ...(row.session_id !== "" && { sessionId: String(row.session_id) }),
    ...(isFull && { identity: readIdentity(row) }),
    ...(context.sdkVersion !== "" && { context }),
    ...(row.page_url === "" && row.site !== "" && { site: String(row.site) }),
    ...(row.batch_id !== "" && { batchId: String(row.batch_id) }),
    place: Number(row.place),
    ...(Number(row.clock_offset_ms) !== 0 && { clockOffsetMs: Number(row.clock_offset_ms) }),
    ...(row.violation !== "" && { violation: row.violation as ViolationKind }),
    ...(row.flag !== "" && { flag: row.flag as EventFlag }),
  };
}

function readIdentity({ user_id: userId, anonymous_id: anonymousId, traits }: Row): Identity {
  return {
    userId: userId === null ? null : String(userId),
    ...(anonymousId !== "" && { anonymousId: String(anonymousId) }),
    ...(traits !== "" && { traits: JSON.parse(String(traits)) }),
  };
}

function readContext(row: Row): EventContext {
  const { screen_width: screenWidth, screen_height: screenHeight } = row;
  return {
    sdkName: SDK_NAME,
    sdkVersion: String(row.sdk_version),
    ...(row.page_url !== "" && { pageUrl: String(row.page_url) }),
    ...(row.referrer_url !== "" && { referrer: String(row.referrer_url) }),
    ...(row.title !== "" && { pageTitle: String(row.title) }),
    ...(screenWidth !== null && { screenWidth: Number(screenWidth) }),
    ...(screenHeight !== null && { screenHeight: Number(screenHeight) }),
  };
}

/** Writes a time as ISO 8601 has it, of the text in which ClickHouse writes it. */
export function toIsoTime(text: unknown): string {
  return `${String(text).replace(" ", "T")}Z`;
}

/** Writes a time of the contract, `2026-01-31T12:00:00Z`, as ClickHouse reads it, to the millisecond. */
export function toDateTime(time: string): string {
  const [whole = "", fraction = ""] = time.slice(0, -1).replace("T", " ").split(".");
  const text = `${whole}.${fraction.padEnd(3, "0")}`.slice(0, TIME_LENGTH);
  if (text < MIN_TIME) return MIN_TIME;
  return text > MAX_TIME ? MAX_TIME : text;
}

function toText(text = ""): string {
  return text.toWellFormed();
}

function toJson(value: Readonly<Record<string, unknown>> | undefined): string {
  return value === undefined ? "" : JSON.stringify(value);
}
