import { PAGEVIEW_NAME } from "../keys/allowance.ts";
import type { StoredEvent } from "../sinks/sink.ts";

/** What a report counts of an event. Labels are free of control characters and at most 1024 units long. */
export interface EventFacts {
  /** UTC day of the event's timestamp. */
  readonly day: string;
  /** Event name. */
  readonly name: string;
  /** Whether it came as a full event or as an aggregate pageview. */
  readonly collection: StoredEvent["collection"];
  /** Session; absent from aggregates. */
  readonly sessionId: string | undefined;
  /** Origin of the page; empty where the event names none. */
  readonly site: string;
  /** Path of the page; undefined unless it is a pageview. */
  readonly path: string | undefined;
  /** Origin the pageview came from; empty where it named none, undefined for the site itself and for other events. */
  readonly referrer: string | undefined;
}

/** The parts of a URL that count. */
export interface Place {
  /** Origin; for schemes without one, such as `android-app:`, scheme and host. Empty for what is no URL. */
  readonly origin: string;
  /** Path without query and fragment. */
  readonly path: string;
}

/** Longest label, in UTF-16 units: a URL may have a megabyte. */
const MAX_LABEL_UNITS = 1024;

const NOWHERE: Place = { origin: "", path: "" };

/** Reads what counts of an event. `locate` is {@linkcode parsePlace}, or a memory of what it returned. */
export function readFacts(event: StoredEvent, locate: (url: string) => Place = parsePlace): EventFacts {
  const { name, collection, timestamp, sessionId, context } = event;
  const { origin, path } = locate(context?.pageUrl ?? "");
  const isPageview = name === PAGEVIEW_NAME;
  const referrer = isPageview ? locate(context?.referrer ?? "").origin : undefined;
  return {
    day: timestamp.slice(0, "2026-01-31".length),
    name: cleanLabel(name),
    collection,
    sessionId: collection === "full" && sessionId !== undefined ? cleanLabel(sessionId) : undefined,
    site: origin,
    path: isPageview ? path : undefined,
    // A click within the site is no source of visits; where both are unknown, the source is unknown too.
    referrer: referrer === origin && origin !== "" ? undefined : referrer,
  };
}

/** Finds origin and path of a URL. */
export function parsePlace(url: string): Place {
  if (!URL.canParse(url)) return NOWHERE;
  const { origin, protocol, host, pathname } = new URL(url);
  const isOpaque = origin === "null" && host !== "";
  return { origin: cleanLabel(isOpaque ? `${protocol}//${host}` : origin), path: cleanLabel(pathname) };
}

/** Makes text safe to store and to join: SQLite's text ends at a NUL, and half a character isn't UTF-8. */
function cleanLabel(text: string): string {
  return text.slice(0, MAX_LABEL_UNITS).toWellFormed().replace(/\p{Cc}/gu, "\ufffd");
}
