import type { StoredEvent } from "./stored_event.ts";

/** An event as it is written to a file: of an export of several keys with its key's hash. */
export interface ExportedEvent extends StoredEvent {
  /** First 32 hexadecimal digits of the SHA-256 of the publishable key. */
  readonly keyHash?: string;
}

/** A column of a table of events. */
export interface EventColumn {
  /** Its name. */
  readonly name: string;
  /** What its cells hold: a time is ISO 8601 text in UTC, JSON an object. */
  readonly type: "text" | "time" | "number" | "json";
  /** Reads the cell of an event; undefined or null for an empty one. */
  readonly read: (event: ExportedEvent) => unknown;
}

/** The columns of a table of events. */
export const EXPORT_COLUMNS: readonly EventColumn[] = [
  { name: "id", type: "text", read: ({ id }) => id },
  { name: "name", type: "text", read: ({ name }) => name },
  { name: "collection", type: "text", read: ({ collection }) => collection },
  { name: "timestamp", type: "time", read: ({ timestamp }) => timestamp },
  { name: "received_at", type: "time", read: ({ receivedAt }) => receivedAt },
  { name: "session_id", type: "text", read: ({ sessionId }) => sessionId },
  { name: "user_id", type: "text", read: ({ identity }) => identity?.userId },
  { name: "anonymous_id", type: "text", read: ({ identity }) => identity?.anonymousId },
  { name: "traits", type: "json", read: ({ identity }) => identity?.traits },
  { name: "page_url", type: "text", read: ({ context }) => context?.pageUrl },
  { name: "site", type: "text", read: ({ site }) => site },
  { name: "page_title", type: "text", read: ({ context }) => context?.pageTitle },
  { name: "referrer", type: "text", read: ({ context }) => context?.referrer },
  { name: "screen_width", type: "number", read: ({ context }) => context?.screenWidth },
  { name: "screen_height", type: "number", read: ({ context }) => context?.screenHeight },
  { name: "sdk_version", type: "text", read: ({ context }) => context?.sdkVersion },
  { name: "batch_id", type: "text", read: ({ batchId }) => batchId },
  { name: "place", type: "number", read: ({ place = 0 }) => place },
  { name: "clock_offset_ms", type: "number", read: ({ clockOffsetMs }) => clockOffsetMs },
  { name: "violation", type: "text", read: ({ violation }) => violation },
  { name: "flag", type: "text", read: ({ flag }) => flag },
  { name: "properties", type: "json", read: ({ properties }) => properties },
];

/** The columns of a table of the events of several keys. */
export const KEYED_COLUMNS: readonly EventColumn[] = [
  { name: "key_hash", type: "text", read: ({ keyHash }) => keyHash },
  ...EXPORT_COLUMNS,
];
