/**
 * What an event says.
 *
 * @module
 */
import { isWaypoint } from "../../../../src/ingest/events/channels.ts";
import { cleanLabel, createLocator } from "../../../../src/ingest/events/place.ts";
import type { StoredEvent } from "../../../../src/ingest/events/stored_event.ts";
import type { Traffic } from "../../../../src/ingest/ports/report_query.ts";

/** Cuts up URLs, each once. */
export type Locate = ReturnType<typeof createLocator>;

type Scalar = string | number | boolean | null;

const TAGS = ["source", "medium", "campaign", "term", "content"] as const;

/** Where an event came from; a text is empty where it says nothing. */
export type Origin = Readonly<Record<typeof TAGS[number] | "referrer", string>>;

const AD_CLICKS = [
  ...[["gclid", "google"], ["gbraid", "google"], ["wbraid", "google"], ["msclkid", "bing"], ["ttclid", "tiktok"]],
  ...[["twclid", "twitter"], ["li_fat_id", "linkedin"], ["rdt_cid", "reddit"], ["yclid", "yandex"]],
] as const;

export const NOWHERE: Origin = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };

/** What is read of an event. */
export interface ReadEvent {
  readonly site: string;
  readonly path: string;
  readonly time: number;
  /** Place in its batch, and id. */
  readonly place: number;
  readonly id: string;
  readonly kind: "aggregate" | "pageview" | "step" | "automatic";
  readonly name: string;
  readonly isArrival: boolean;
  readonly from: Origin;
  readonly session: string;
  /** The session that it belongs to: its own, or, of a backend's step, the last that its visitor began before. Empty for none. */
  readonly visit: string;
  /** The one that it names; of a backend's step that names a user alone, that of this user's first event that has one. Empty for none. */
  readonly visitor: string;
  readonly user: string;
  /** Empty for none. */
  readonly screen: string;
  readonly dimensions: NonNullable<StoredEvent["dimensions"]>;
  readonly engagedMs: number;
  readonly properties: ReadonlyMap<string, Scalar>;
  /** How it breaks the plan, a space, and its name; empty for one that doesn't. */
  readonly violation: string;
  readonly traffic: Traffic;
}

// What an event says.

/** Reads an event. */
export function readEvent(event: StoredEvent, locate: Locate = createLocator()): ReadEvent {
  const { id, name, collection, timestamp, sessionId, identity, context, properties } = event;
  const isFull = collection === "full";
  const page = locate(context?.pageUrl ?? "");
  const referrer = locate(context?.referrer ?? "").origin;
  const isView = name === "$pageview";
  const site = page.origin || (event.site ?? "");
  const isOwn = referrer === site;
  return {
    site: shorten(site, 512),
    path: shorten(page.path, 512),
    time: new Date(timestamp).getTime() + (event.clockOffsetMs ?? 0),
    place: event.place ?? 0,
    id,
    kind: isView ? (isFull ? "pageview" : "aggregate") : name[0] === "$" ? "automatic" : "step",
    name: shorten(name, 512),
    isArrival: isView && (site === "" || !isOwn),
    from: readOrigin(context?.pageUrl ?? "", isOwn || isWaypoint(referrer) ? "" : mergeReferrer(referrer)),
    session: isFull ? shorten(sessionId ?? "", 512) : "",
    visit: isFull ? shorten(sessionId ?? "", 512) : "",
    visitor: isFull ? shorten(identity?.anonymousId ?? "", 512) : "",
    user: isFull ? shorten(identity?.userId ?? "", 512) : "",
    screen: readScreen(context?.screenWidth ?? 0),
    dimensions: event.dimensions ?? {},
    engagedMs: name === "$engagement" ? readEngagement(properties?.engagedMs) : 0,
    properties: readProperties(properties ?? {}),
    violation: event.violation === undefined ? "" : cleanLabel(`${event.violation} ${name}`),
    traffic: event.flag === "bot" ? "bots" : event.flag ?? "people",
  };
}

/** Two names of one site are one referrer. */
function mergeReferrer(origin: string): string {
  const [, host] = /^https?:\/\/(.+)$/.exec(origin) ?? [];
  if (host === undefined) return shorten(origin, 512);
  const short = host.replace(/^(www|m)\./, "");
  return shorten(`https://${short.includes(".") ? short : host}`, 512);
}

function shorten(text: string, units: number): string {
  return cleanLabel(text).slice(0, units).toWellFormed();
}

function readOrigin(pageUrl: string, referrer: string): Origin {
  const nothing = { ...NOWHERE, referrer };
  if (!URL.canParse(pageUrl)) return nothing;
  const { searchParams, hash } = new URL(pageUrl.split(/&amp;|&?#0?38;/).join("&"));
  const ofFragment = new URLSearchParams(hash.replace(/^#[^?]*\?|^#/, ""));
  const find = (name: string): string => searchParams.get(name) ?? ofFragment.get(name) ?? "";
  const tags = TAGS.map((tag) => [tag, shorten(cleanLabel(find(`utm_${tag}`)).trim().toLowerCase(), 512)] as const);
  const origin: Origin = { ...nothing, ...Object.fromEntries(tags) };
  const network = AD_CLICKS.find(([parameter]) => find(parameter) !== "")?.[1];
  if (network !== undefined) {
    return { ...origin, source: origin.source || network, medium: origin.medium || "cpc" };
  }
  return origin;
}

function readScreen(width: number): string {
  if (!(width > 0)) return "";
  if (width < 576) return "phone";
  if (width < 992) return "tablet";
  return width < 1440 ? "laptop" : "desktop";
}

function readEngagement(ms: unknown): number {
  return typeof ms === "number" && Number.isFinite(ms) && ms > 0 ? Math.min(Math.round(ms), 24 * 60 * 60 * 1000) : 0;
}

function readProperties(properties: Readonly<Record<string, unknown>>): ReadonlyMap<string, Scalar> {
  const read = new Map<string, Scalar>();
  for (const [key, value] of Object.entries(properties).slice(0, 50)) {
    const name = shorten(key, 200);
    // Of two long names that are the same once they are cut, the first counts.
    if (read.has(name)) continue;
    if (typeof value === "string") read.set(name, shorten(value, 200));
    if (typeof value === "number" && Number.isFinite(value)) read.set(name, value);
    if (typeof value === "boolean" || value === null) read.set(name, value);
  }
  return read;
}

export function isStepOrAutomatic({ kind }: ReadEvent): boolean {
  return kind === "step" || kind === "automatic";
}

export function isView({ kind }: ReadEvent): boolean {
  return kind === "pageview" || kind === "aggregate";
}
