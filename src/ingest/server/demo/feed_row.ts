/**
 * Rows of the page and the terminal: one for each event that the ingest accepted, repeat or refusal.
 *
 * @module
 */
import type { StoredEvent } from "../../events/stored_event.ts";
import type { RefusedOutcome } from "../../options.ts";

/** Outcome of an event or a request. */
export type FeedOutcome =
  /** The event was stored. */
  | { readonly kind: "accepted"; readonly event: StoredEvent }
  /** Events of a request were stored before. */
  | { readonly kind: "duplicates"; readonly count: number }
  | RefusedOutcome;

/** An outcome, and when it was: ISO 8601, UTC. */
export type FeedRow = FeedOutcome & { readonly at: string };

/** A row in words; what it doesn't have is `-`, or empty where it can't have it. */
export interface FeedCells {
  /** `full`, `aggregate`, `duplicate` or `refused`. */
  readonly kind: string;
  /** Name of the event, or what is said of the request. */
  readonly name: string;
  /** `userId`, or `anonymous`. */
  readonly user: string;
  /** First characters of the visitor's ID: enough to tell the visitors of a demo apart. */
  readonly visitor: string;
  /** First characters of the session's ID. */
  readonly session: string;
  /** Path, query and fragment of the page. */
  readonly page: string;
}

const SHORT_ID_LENGTH = 8;
const NONE = "-";

/** Puts a row into words. */
export function toCells(row: FeedRow): FeedCells {
  const request = { user: "", visitor: "", session: "", page: "" };
  if (row.kind === "duplicates") return { ...request, kind: "duplicate", name: `${row.count} known already` };
  if (row.kind === "refused") return { ...request, kind: row.kind, name: `${row.status} ${row.code}: ${row.message}` };
  const { collection, name, identity, sessionId = NONE, context } = row.event;
  return {
    kind: collection,
    name,
    user: identity === undefined ? NONE : identity.userId ?? "anonymous",
    visitor: (identity?.anonymousId ?? NONE).slice(0, SHORT_ID_LENGTH),
    session: sessionId.slice(0, SHORT_ID_LENGTH),
    page: urlPath(context?.pageUrl ?? NONE),
  };
}

/** Returns path, query and fragment of a URL, or the text itself where it is none. */
export function urlPath(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
}
