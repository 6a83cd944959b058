/**
 * Definitions that every store shares of what the views of the reports count of an event.
 *
 * @module
 */
import { isWaypoint } from "./channels.ts";
import { cleanLabel, createLocator, type Place } from "./place.ts";
import { type EventFlag, isPageview, type StoredEvent } from "./stored_event.ts";

/** The kind of an event in a visit. An automatic event other than a pageview, `$engagement`, saves no bounce. */
type VisitKind = "aggregate" | "pageview" | "step" | "automatic";

/** Where an event says that its visit came from; each field is empty where it says nothing. */
export interface TrafficSource {
  /** Origin of the referring page, where that is neither the page's own nor one that visitors are sent to and come back from. */
  readonly referrer: string;
  /** `utm_source` of the page's URL; for an ad's click without one its network. */
  readonly source: string;
  /** `utm_medium`; `cpc` for an ad's click without one. */
  readonly medium: string;
  /** `utm_campaign`. */
  readonly campaign: string;
  /** `utm_term`. */
  readonly term: string;
  /** `utm_content`. */
  readonly content: string;
}

/** Longest text of a fact, in UTF-16 units. */
const MAX_FACT_UNITS = 512;

/** Name of the event that says how long a page was looked at. */
const ENGAGEMENT_NAME = "$engagement";

/** Property of `$engagement` with its time, in milliseconds. */
export const ENGAGED_KEY = "engagedMs";

/** Property that joins `$engagement` to its pageview, and says nothing to people. */
export const PAGEVIEW_ID = "pageviewId";

/** Engagement from which a visit is no bounce, in milliseconds. */
export const ENGAGED_MS = 10_000;

/**
 * Milliseconds before and behind a range in which stores look for events of its sessions. The SDK ends a session after
 * a day; other senders may not.
 */
export const LONG_SESSION_MS: number = 48 * 60 * 60 * 1000;

/** Longest engagement that one event can report: a day, in milliseconds. */
const MAX_ENGAGED_MS = 86_400_000;

/** Classes of screens, from the narrowest on. */
export const SCREEN_CLASSES = ["phone", "tablet", "laptop", "desktop"] as const;

/** Widths in CSS pixels from which a screen is of the next class. */
const SCREEN_WIDTHS = [576, 992, 1440] as const;

/** The facts of an event that count. */
export interface VisitFacts {
  /** Origin of the page, or the key's only site; empty where the event has neither. */
  readonly site: string;
  /** Time of the event, by the clock of the ingest where the visitor's was wrong, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** Its kind. */
  readonly kind: VisitKind;
  /** Name. */
  readonly name: string;
  /** Path of the page, without query and fragment; empty where it names no page. */
  readonly path: string;
  /** Whether it is a pageview that comes from elsewhere: its referrer isn't a page of the site. */
  readonly isArrival: boolean;
  /** Where it came from. */
  readonly from: TrafficSource;
  /** Session; empty for none. */
  readonly session: string;
  /** Visitor, by the anonymous id; empty for none. */
  readonly visitor: string;
  /** User; empty for none. */
  readonly user: string;
  /** Class of the screen; empty where the event names no width. */
  readonly screen: (typeof SCREEN_CLASSES)[number] | "";
  /** Milliseconds of engagement that it reports; 0 for most. */
  readonly engagedMs: number;
  /** Its flag; empty for none. */
  readonly flag: EventFlag | "";
}

const NOTHING: TrafficSource = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };

/** Creates the reader of events, which parses each URL once. */
export function createVisitReader(): (event: StoredEvent) => VisitFacts {
  const locate = createLocator();
  return (event) => readVisitFacts(event, locate);
}

function readVisitFacts(event: StoredEvent, locate: (url: string) => Place): VisitFacts {
  const { name, collection, timestamp, sessionId, identity, context } = event;
  const { origin, path } = locate(context?.pageUrl ?? "");
  const site = origin || (event.site ?? "");
  const referrer = locate(context?.referrer ?? "").origin;
  const isView = isPageview(event);
  const isFull = collection === "full";
  const kind = isView ? (isFull ? "pageview" : "aggregate") : name.startsWith("$") ? "automatic" : "step";
  return {
    site: cut(site),
    time: readTime(timestamp) + (event.clockOffsetMs ?? 0),
    kind,
    name: toFactText(name),
    path: cut(path),
    isArrival: isView && (referrer !== site || site === ""),
    from: readSource(context?.pageUrl ?? "", referrer === site || isWaypoint(referrer) ? "" : toReferrerText(referrer)),
    session: isFull ? toFactText(sessionId ?? "") : "",
    visitor: isFull ? toFactText(identity?.anonymousId ?? "") : "",
    user: isFull ? toFactText(identity?.userId ?? "") : "",
    screen: classifyScreen(context?.screenWidth),
    engagedMs: name === ENGAGEMENT_NAME ? readEngagement(event.properties?.engagedMs) : 0,
    flag: event.flag ?? "",
  };
}

/** The ingest takes no other times; of what others store, one that can't be read is the first of all. */
function readTime(timestamp: string): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? 0 : time;
}

function readEngagement(ms: unknown): number {
  if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0) return 0;
  return Math.round(Math.min(ms, MAX_ENGAGED_MS));
}

/** Parameters that ad networks add to each click, and the network. */
const CLICK_IDS: readonly (readonly [parameter: string, network: string])[] = [
  ...[["gclid", "google"], ["gbraid", "google"], ["wbraid", "google"], ["msclkid", "bing"]] as const,
  ...[["ttclid", "tiktok"], ["twclid", "twitter"], ["li_fat_id", "linkedin"], ["rdt_cid", "reddit"]] as const,
  ["yclid", "yandex"],
];

/** Parameters of an arrival's URL that say where it came from. */
const MAY_HAVE_TAGS = /[?&#;](?:utm_|gclid|[gw]braid|msclkid|ttclid|twclid|li_fat_id|rdt_cid|yclid)/;

/** An ampersand as HTML has it, which mails and editors put into links. */
const ESCAPED_AMPERSAND = /&(?:amp|#0?38);|#0?38;/g;

/** Reads the tags of a URL, in its fragment as well; the click of an ad stands for those of its network. */
function readSource(pageUrl: string, referrer: string): TrafficSource {
  if (!MAY_HAVE_TAGS.test(pageUrl)) return referrer === "" ? NOTHING : { ...NOTHING, referrer };
  const [head = "", ...fragments] = pageUrl.slice(0, 8192).replaceAll(ESCAPED_AMPERSAND, "&").split("#");
  const query = head.split("?").slice(1).join("?");
  const fragment = fragments.join("#");
  // A router's fragment has a query of its own, others are one.
  const parameters = new URLSearchParams(`${query}&${fragment.slice(fragment.indexOf("?") + 1)}`);
  const read = (name: string): string => toTagText(parameters.get(name) ?? "");
  const [, network = ""] = CLICK_IDS.find(([parameter]) => read(parameter) !== "") ?? [];
  const tags = {
    source: read("utm_source") || network,
    medium: read("utm_medium") || (network && "cpc"),
    campaign: read("utm_campaign"),
    term: read("utm_term"),
    content: read("utm_content"),
  };
  return { referrer, ...tags };
}

/** Returns whether a link had a tag of campaigns, one at least: it goes before a referrer. */
export function isTagged({ source, medium, campaign, term, content }: TrafficSource): boolean {
  return [source, medium, campaign, term, content].some((tag) => tag !== "");
}

/** Returns the class of a screen of this width. */
export function classifyScreen(width: number | undefined): VisitFacts["screen"] {
  if (width === undefined || !(width > 0)) return "";
  return SCREEN_CLASSES[SCREEN_WIDTHS.filter((limit) => width >= limit).length] ?? "";
}

/** Writes a tag as facts have it: people write one source with and without capitals and blanks. */
export function toTagText(text: string): string {
  return cut(cleanLabel(text).trim().toLowerCase());
}

/** Writes an origin as facts have a referrer: a site is one with and without `www.` or `m.`, by http and by https. */
export function toReferrerText(origin: string): string {
  return cut(origin.replace(/^https?:\/\/(?:(?:www|m)\.(?=[^.]+\.))?/, "https://"));
}

/** Writes a text as facts have it. */
export function toFactText(text: string): string {
  return cut(cleanLabel(text));
}

function cut(text: string): string {
  return text.length > MAX_FACT_UNITS ? text.slice(0, MAX_FACT_UNITS).toWellFormed() : text;
}
