import type { KeyedEvent } from "../load_target.ts";
import { cleanLabel, createLocator } from "../tally.ts";
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
  return events.map(({ keyHash, event }) => {
    const { id, name, collection, properties, sessionId, identity, context, batchId, violation } = event;
    const { origin: site, path } = locate(context?.pageUrl ?? "");
    const timestamp = toDateTime(event.timestamp);
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
      site,
      path,
      referrer_url: toText(context?.referrer),
      referrer: locate(context?.referrer ?? "").origin,
      title: toText(context?.pageTitle),
      screen_width: context?.screenWidth ?? null,
      screen_height: context?.screenHeight ?? null,
      sdk_version: toText(context?.sdkVersion),
      batch_id: batchId ?? "",
      violation: violation ?? "",
      properties: toJson(properties),
    };
  });
}

/** Returns the day under which an event is stored. */
export function toDay(timestamp: string): string {
  return toDateTime(timestamp).slice(0, DAY_LENGTH);
}

/** Writes a time of the contract, `2026-01-31T12:00:00Z`, as ClickHouse reads it, to the millisecond. */
function toDateTime(time: string): string {
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
