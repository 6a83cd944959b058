/**
 * What the live feed and the terminal show: one row per event accepted, repeat or refusal.
 *
 * @module
 */
import type { RefusedOutcome, StoredEvent } from "@vendor/sdk/ingest";

/** The row of an event that was stored. */
export interface AcceptedRow {
  /** Discriminant. */
  readonly kind: "accepted";
  /** When it was: ISO 8601, UTC. */
  readonly at: string;
  /** The event as stored. */
  readonly event: StoredEvent;
}

/** The row of the events of a request that were stored before. */
export interface DuplicatesRow {
  /** Discriminant. */
  readonly kind: "duplicates";
  /** When it was: ISO 8601, UTC. */
  readonly at: string;
  /** How many. At least 1. */
  readonly count: number;
}

/** The row of a request that was refused, and when it was: ISO 8601, UTC. */
export type RefusedRow = RefusedOutcome & { readonly at: string };

/** What became of an event or a request. */
export type FeedRow = AcceptedRow | DuplicatesRow | RefusedRow;

/** Returns the first eight characters of an identifier, enough to tell visitors of a demo apart. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** Returns path, query and fragment of a URL, or the text itself where it is none. */
export function urlPath(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
}
