/**
 * What the live feed and the terminal show: one row per event accepted, repeat or refusal.
 *
 * @module
 */
import type { AcceptedOutcome, IngestOutcome } from "../../src/ingest/options.ts";

/** An outcome of the ingest and when it was: ISO 8601, UTC. */
export type FeedRow = IngestOutcome & { readonly at: string };

/** The row of an event that was stored. */
export type AcceptedRow = AcceptedOutcome & { readonly at: string };

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
