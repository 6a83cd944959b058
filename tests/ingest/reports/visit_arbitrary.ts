/**
 * Histories of visits. There are few sites, people, pages and times, so that events meet: sessions grow, ids come again,
 * bounds fall on events.
 *
 * @module
 */
import fc from "fast-check";
import type { StoredEvent } from "../../../src/ingest/mod.ts";

/** Makes something more likely. */
export function often<const T>(times: number, value: T): readonly T[] {
  return Array<T>(times).fill(value);
}

/** Something that happens to a store. Keys are named by their place, 0 or 1. */
export type HistoryStep =
  | { readonly kind: "store"; readonly key: number; readonly events: readonly StoredEvent[] }
  | { readonly kind: "erase"; readonly key: number; readonly userId: string; readonly withVisitors: boolean }
  | { readonly kind: "erase"; readonly key: number; readonly anonymousId: string }
  | { readonly kind: "prune" };

/** When events arrived: `prune` takes the old ones, and the young ones not before the year 2199. */
const OLD = "2025-06-01T10:00:00.000Z";

const YOUNG = "2199-06-01T10:00:00.000Z";

/** Age from which events are pruned. */
export const KEEP_DAYS = 30;

export const MINUTE_MS = 60_000;

export const HOUR_MS = 3_600_000;

/** When sessions begin: an erasure names what was captured until now, and so nothing that is later. */
export const PAST_MS: number = Date.parse("2025-03-01T00:00:00.000Z");

export const LATER_MS: number = Date.parse("2199-03-01T00:00:00.000Z");

export const SITES = ["https://shop.example", "https://blog.example", "https://shop.example:8443"] as const;

const PATHS = [
  ...often(8, "/"),
  ...often(4, "/teas"),
  ...["/teas/", "/Teas", "/teas/green-tea", "/teas/black/", "/teas/black/7", "/teas//", "/a.b"],
  ...["/caf%C3%A9", "/caf%c3%a9/", "/CAF%C3%A9", "/c%61fé", "/a%2fb", "/100%Zz", `/${"x".repeat(600)}`],
] as const;

export const PATTERNS: readonly string[] = [
  ...["/teas/:tea", "/teas/*", "/:page", "/TEAS/:tea/7", "/a.b", "/aXb", "/green-teas/:tea", "/", "*"],
  ...["/Café/", "/teas/"],
];

const TAGS = [
  ...often(4, ""),
  ...["utm_source=news", "utm_source=News", "utm_medium=email", "utm_source=&utm_campaign=none", "gclid=1"],
  "utm_source=google&amp;utm_medium=cpc&#038;utm_campaign=spring+sale",
  "utm_source=facebook&utm_medium=paid-social&utm_term=tea&utm_content=a%2Fb",
  "a=1?&utm_source=ne%C3%A4s%00&utm_source=other",
  "utm_source=%F0%9F%8D%B5&utm_medium=%EF%BF%BD",
  ...["utm_source=constructor", `utm_campaign=${"c".repeat(600)}`],
] as const;

const REFERRERS = [
  ...[undefined, undefined, ...SITES.map((site) => `${site}/teas`), "https://www.google.com/", "https://chatgpt.com"],
  ...["https://www.paypal.com/checkout", "https://paypal.com.evil.example/", "https://Search.Example:443/?q=tea#top"],
  ...["android-app://com.slack/", "not a URL", "https://own.example/", "https://t.co/x"],
] as const;

const WIDTHS = [undefined, 0, 320, 575.5, 576, 991, 992, 1439, 1440, 5120] as const;

/** Within a day, which a session lasts at most. Many are the same. */
export const OFFSETS_MS: readonly number[] = [
  ...often(3, 0),
  ...[1, 1_000, 9_999, 10_000, MINUTE_MS, 31 * MINUTE_MS, 6 * HOUR_MS, 24 * HOUR_MS - 1],
];

const NAMES = [
  ...often(4, "signup"),
  ...["tea_chosen", "Order placed", "$click", "\u{1F375}", "\ud800", "__proto__"],
] as const;

const CLASSES = [
  ...often(4, undefined),
  { browser: "Chrome", version: "Chrome 142", system: "Android", device: "phone", country: "DE" },
  { browser: "Chrome", version: "Chrome 141", system: "Windows", device: "desktop", country: "FR" },
  { browser: "Firefox", version: "Firefox 145" },
  { country: "DE" },
] as const;

export const USERS = ["ada", "bob"] as const;

/** A second visitor in a session of the first: nobody does it, but a sender may. */
const SECOND_VISITOR = "v-second";

export const VISITORS: readonly string[] = ["v-0", "v-1", "v-2", "v-3", SECOND_VISITOR];

const KEYS = [
  ...often(4, "plan"),
  ...often(2, "price"),
  ...["1", "", "__proto__", "a/b", "k".repeat(220), "\u{1F375}\n"],
] as const;

/** Numbers have exact sums, in whatever order they are added. */
const VALUES = [
  ...often(2, "pro"),
  ...often(2, "1"),
  ...often(3, 1),
  ...["true", "null", "", "a/b \"'\\", "v".repeat(220), "v".repeat(230), "\u{1F375}\t", "\ufffd"],
  ...[0, -1, 2.5, 1_000_000, true, false, null, { plan: "pro" }, ["pro"]],
] as const;

const someProperties: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
  },
  {
    // The fiftieth counts, the fifty-first doesn't.
    weight: 1,
    arbitrary: fc.integer({ min: 48, max: 50 }).map((count) =>
      Object.fromEntries([...Array.from({ length: count }, (_, index) => [`key ${index}`, index]), ["plan", "pro"]])
    ),
  },
);

const aKind = fc.oneof(
  { weight: 6, arbitrary: fc.constant("$pageview" as const) },
  { weight: 2, arbitrary: fc.constant("aggregate" as const) },
  { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.constant("$engagement" as const) },
);

/** A session that begins at some time, of one visitor and one user. */
interface Visit {
  readonly site: string;
  readonly startMs: number;
  readonly visitor: string | undefined;
  readonly user: string;
  readonly isOld: boolean;
}

export const aStart: fc.Arbitrary<number> = fc.record({
  hours: fc.integer({ min: 0, max: 4 }).map((count) => 11 * count),
  ms: fc.constantFrom(0, 0, 1, 59_999),
  eraMs: fc.oneof({ weight: 6, arbitrary: fc.constant(PAST_MS) }, { weight: 1, arbitrary: fc.constant(LATER_MS) }),
}).map(({ hours, ms, eraMs }) => eraMs + hours * HOUR_MS + ms);

const aVisit: fc.Arbitrary<Visit> = fc.record({
  site: fc.constantFrom(...often(8, SITES[0]), ...SITES),
  startMs: aStart,
  visitor: fc.constantFrom("v-0", "v-1", "v-2", "v-3", undefined),
  user: fc.constantFrom(...USERS),
  isOld: fc.boolean(),
});

/** The parts of an event that don't follow from its visit. */
interface Parts {
  readonly key: number;
  readonly visit: number;
  readonly batch: number;
  readonly kind: string;
  readonly offsetMs: number;
  readonly place: number;
  readonly tie: number;
  readonly page: string | undefined;
  readonly isElsewhere: boolean;
  readonly referrer: string | undefined;
  readonly width: number | undefined;
  readonly dimensions: StoredEvent["dimensions"];
  readonly isSignedIn: boolean;
  readonly hasSession: boolean;
  readonly isOfSecond: boolean;
  /** Whom a backend names that sends it; undefined for an event of a page. */
  readonly backend: "user" | "visitor" | undefined;
  readonly engagedMs: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly violation: StoredEvent["violation"];
  readonly clockOffsetMs: number | undefined;
  readonly flag: StoredEvent["flag"];
}

const BATCHES = 3;

const rarely = fc.integer({ min: 0, max: 15 }).map((number) => number === 15);

const someParts: fc.Arbitrary<Parts> = fc.record({
  key: rarely.map(Number),
  visit: fc.nat({ max: 100 }),
  batch: fc.nat({ max: BATCHES - 1 }),
  kind: aKind,
  offsetMs: fc.constantFrom(...OFFSETS_MS),
  place: fc.constantFrom(0, 0, 1, 2, 9, 10, 99),
  tie: fc.nat({ max: 15 }),
  page: fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom(...TAGS), rarely).map(([path, tags, isAbsent]) =>
    isAbsent ? undefined : `${path}${tags && `?${tags}`}${tags.length % 2 === 0 ? "" : "#?utm_source=fragment"}`
  ),
  isElsewhere: rarely,
  referrer: fc.constantFrom(...REFERRERS),
  width: fc.constantFrom(...WIDTHS),
  dimensions: fc.constantFrom(...CLASSES),
  isSignedIn: fc.boolean(),
  hasSession: rarely.map((isAbsent) => !isAbsent),
  isOfSecond: rarely,
  backend: fc.constantFrom(...often(10, undefined), "user", "user", "visitor"),
  engagedMs: fc.constantFrom<unknown>(4_999.5, 5_000, 5_000, 10_000, 99_999_999, -5, "9000", undefined, null),
  properties: someProperties,
  violation: fc.constantFrom(...Array(6).fill(undefined), "unknown" as const, "missing" as const),
  clockOffsetMs: rarely.map((isWrong) => isWrong ? 600_001 : undefined),
  flag: fc.constantFrom(...Array(8).fill(undefined), "bot" as const, "own" as const),
});

/** What happens between two batches. */
type Between =
  | { readonly kind: "repeat"; readonly batch: number }
  | Exclude<HistoryStep, { readonly kind: "store" }>;

export const aKey: fc.Arbitrary<number> = rarely.map(Number);

const between: fc.Arbitrary<Between> = fc.oneof(
  fc.record({ kind: fc.constant("repeat" as const), batch: fc.nat({ max: BATCHES - 1 }) }),
  fc.record({
    kind: fc.constant("erase" as const),
    key: aKey,
    userId: fc.constantFrom(...USERS),
    withVisitors: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("erase" as const), key: aKey, anonymousId: fc.constantFrom(...VISITORS) }),
  fc.record({ kind: fc.constant("prune" as const) }),
);

/** What happens to a store, step by step: events come in any order, and again; some go. */
export const aHistory: fc.Arbitrary<readonly HistoryStep[]> = fc.record({
  visits: fc.array(aVisit, { minLength: 4, maxLength: 12, size: "max" }),
  parts: fc.array(someParts, { minLength: 1, maxLength: 80, size: "max" }),
  after: fc.array(fc.array(between, { maxLength: 2 }), { minLength: BATCHES, maxLength: BATCHES }),
}).map(({ visits, parts, after }) => {
  const made = parts.map((part, index) => ({ part, event: buildEvent(part, visits, index) }));
  const steps: HistoryStep[] = [];
  const store = (batch: number): void => {
    for (const key of [0, 1]) {
      const events = made.filter(({ part }) => part.batch === batch && part.key === key)
        .map(({ event }) => arriveLater(event, steps.length));
      if (events.length > 0) steps.push({ kind: "store", key, events });
    }
  };
  after.forEach((happenings, batch) => {
    store(batch);
    for (const happening of happenings) {
      if (happening.kind === "repeat") store(Math.min(batch, happening.batch));
      else steps.push(happening);
    }
  });
  return steps;
});

/** A step that names no page, no session, and of its person a user or a visitor. */
function buildBackendStep(event: StoredEvent, of: "user" | "visitor", { site, user, visitor }: Visit): StoredEvent {
  const { sessionId: _, ...rest } = event;
  return {
    ...rest,
    name: event.name === "$pageview" ? "signup" : event.name,
    site,
    identity: of === "user" || visitor === undefined ? { userId: user } : { userId: null, anonymousId: visitor },
    context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0" },
  };
}

function buildEvent(parts: Parts, visits: readonly Visit[], index: number): StoredEvent {
  const { kind, offsetMs, page, referrer, width, isSignedIn, hasSession, isOfSecond, properties, engagedMs } = parts;
  const { violation, clockOffsetMs, flag, dimensions } = parts;
  const number = parts.visit % visits.length;
  const visit = visits[number];
  if (visit === undefined) throw new Error("there is a visit");
  const isFull = kind !== "aggregate";
  // A session has the same id on another site of its key; it is another one there.
  const site = parts.isElsewhere ? SITES[1] : visit.site;
  const reported = engagedMs === undefined ? {} : { engagedMs };
  const visitor = isOfSecond ? SECOND_VISITOR : visit.visitor;
  const event: StoredEvent = {
    id: buildId(parts.tie, index),
    place: parts.place,
    name: isFull ? kind : "$pageview",
    collection: isFull ? "full" : "aggregate",
    timestamp: new Date(visit.startMs + offsetMs).toISOString(),
    receivedAt: visit.isOld && visit.startMs < LATER_MS ? OLD : YOUNG,
    ...(violation !== undefined && { violation }),
    ...(flag !== undefined && { flag }),
    ...(isFull && dimensions !== undefined && { dimensions }),
    ...(isFull && clockOffsetMs !== undefined && { clockOffsetMs }),
    ...(isFull && kind !== "$pageview" && { properties: kind === "$engagement" ? reported : properties }),
    ...(isFull && kind !== "$pageview" && page === undefined && isSignedIn && { site }),
    ...(isFull && hasSession && { sessionId: `s-${number}` }),
    ...(isFull && {
      identity: { userId: isSignedIn ? visit.user : null, ...(visitor !== undefined && { anonymousId: visitor }) },
    }),
    context: {
      sdkName: "@vendor/sdk",
      sdkVersion: "0.1.0",
      ...(page !== undefined && { pageUrl: site + page }),
      ...(referrer !== undefined && { referrer }),
      ...(width !== undefined && { screenWidth: width }),
    },
  };
  return parts.backend !== undefined && isFull ? buildBackendStep(event, parts.backend, visit) : event;
}

/** No two are the same, and some differ in their last digits alone. The first is no UUID. */
function buildId(tie: number, index: number): string {
  if (index === 0) return "made-up-id-0x12";
  const end = (tie * 2 ** 44 + index).toString(16).padStart(12, "0");
  return `00000000-0000-4000-8000-${index % 2 === 0 ? end : end.toUpperCase()}`;
}

function arriveLater(event: StoredEvent, seconds: number): StoredEvent {
  return { ...event, receivedAt: new Date(Date.parse(event.receivedAt) + seconds * 1_000).toISOString() };
}
