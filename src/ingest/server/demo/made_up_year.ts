/**
 * A year that the demo's shop never had: visitors who come back, who accept, decline or go on undecided, and who buy.
 *
 * @module
 */
import { type EventContext, SDK_NAME, SDK_VERSION } from "@vendor/sdk/contract";
import { PAGEVIEW_NAME, type StoredEvent } from "../../events/stored_event.ts";
import type { Goals } from "../../reports/query/goals.ts";
import type { Note } from "../../reports/query/notes.ts";
import { createRandom, type Random } from "./random.ts";

/** Options of {@linkcode makeUpYear}. */
export interface MadeUpYearOptions {
  /** Origin of the shop. */
  readonly origin: string;
  /** Its end, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Visits a day, in the middle of the year; 0 for no year. */
  readonly visitsPerDay: number;
}

/** Goals of the shop. */
export const SHOP_GOALS: Goals = { Basket: { step: "basket_add" }, Order: { step: "order", value: "total" } };

/** Days ago that the shop got another banner: from then on more people accept. */
const BANNER_DAYS_AGO = 45;

const DAYS = 365;

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];

const SEED = 4400;

const SDK = { sdkName: SDK_NAME, sdkVersion: SDK_VERSION } as const;

/** Where visits come from, and the query that their links carry; how many of 100. */
const ARRIVALS: readonly (readonly [share: number, referrer: string | undefined, query: string])[] = [
  [33, undefined, ""],
  [24, "https://www.google.com/", ""],
  [10, "https://mail.example/", "?utm_source=newsletter&utm_medium=email&utm_campaign=monday-letter"],
  [8, "https://www.instagram.com/", ""],
  [
    4,
    "https://www.google.com/",
    "?utm_source=google&utm_medium=cpc&utm_campaign=spring-harvest&utm_term=loose+leaf+tea",
  ],
  [3, "https://www.google.com/", "?utm_source=google&utm_medium=cpc&utm_campaign=spring-harvest&utm_term=sencha"],
  [5, "https://chatgpt.com/", ""],
  [4, "https://duckduckgo.com/", ""],
  [4, "https://www.reddit.com/r/tea/", ""],
  [3, "https://news.ycombinator.com/item?id=1", ""],
  [2, "https://tea-blog.example/best-sencha", ""],
];

const LANDINGS = ["/", "/teas", "/teas/sencha", "/story", "/teas/assam", "/sale"] as const;

/** Teas, the most wanted first, with the price of 50 g. */
const TEAS: readonly [Tea, ...Tea[]] = [
  ["sencha", 9.5],
  ["assam", 7.5],
  ["longjing", 12],
  ["keemun", 11],
  ["tieguanyin", 14],
  ["da-hong-pao", 18],
];

const CHECKOUT = "/checkout";

/** Links of the story to other sites, the most opened first. */
const OUTBOUND = ["https://www.instagram.com/tidewatertea", "https://pier-museum.example/visit"] as const;

/** Searches of visitors, the most frequent first, each with the number of teas that it finds. */
const SEARCHES: readonly [Search, ...Search[]] = [
  ["green", 2],
  ["sencha", 1],
  ["matcha", 0],
  ["gift", 0],
  ["oolong", 2],
];

/** Customers who come every few days, signed in. */
export const REGULARS = ["grace", "alan"] as const;

/** Days between two visits of the first of them, and more of each after it. */
const REGULAR_DAYS = 4;

/** Screens and browsers of visitors, the most frequent first. */
const EQUIPMENTS: readonly [Equipment, ...Equipment[]] = [
  [[390, 844], { browser: "Safari", version: "Safari 26", system: "iOS", device: "phone" }],
  [[1440, 900], { browser: "Chrome", version: "Chrome 142", system: "Windows", device: "desktop" }],
  [[412, 915], { browser: "Chrome", version: "Chrome 142", system: "Android", device: "phone" }],
  [[1920, 1080], { browser: "Firefox", version: "Firefox 145", system: "Linux", device: "desktop" }],
  [[1512, 982], { browser: "Safari", version: "Safari 26", system: "macOS", device: "desktop" }],
  [[820, 1180], { browser: "Safari", version: "Safari 18", system: "iPadOS", device: "tablet" }],
  [[1536, 864], { browser: "Edge", version: "Edge 142", system: "Windows", device: "desktop" }],
];

const COUNTRIES: readonly [string, ...string[]] = ["DE", "GB", "NL", "FR", "US", "AT", "CH", "JP"];

type Tea = readonly [name: string, price: number];

type Search = readonly [term: string, results: number];

type Equipment = readonly [
  screen: readonly [width: number, height: number],
  dimensions: NonNullable<StoredEvent["dimensions"]>,
];

/** Somebody who accepted, and so is known again. */
interface Visitor {
  readonly anonymousId: string;
  readonly equipment: Equipment;
  readonly country: string;
  /** Set with the first order, for those who aren't signed in. */
  userId: string | null;
}

/** Lists what changed in the year. */
export function listShopNotes({ nowMs, origin }: Pick<MadeUpYearOptions, "nowMs" | "origin">): readonly Note[] {
  const day = new Date(nowMs - BANNER_DAYS_AGO * DAY_MS).toISOString().slice(0, "2026-01-31".length);
  return [{ day, text: "new banner", site: origin }];
}

/** Makes the year up, visit by visit in the order of days. It has no event after its end. */
export function* makeUpYear({ origin, nowMs, visitsPerDay }: MadeUpYearOptions): Generator<readonly StoredEvent[]> {
  if (visitsPerDay === 0) return;
  const random = createRandom(SEED);
  const regulars = REGULARS.map((userId) => ({ ...makeUpVisitor(random), userId }));
  const known: Visitor[] = [];
  const midnightMs = nowMs - nowMs % DAY_MS;
  for (let day = DAYS - 1; day >= 0; day--) {
    const startMs = midnightMs - day * DAY_MS;
    for (let visit = Math.round(visitsPerDay * weighDay(startMs, day, random)); visit > 0; visit--) {
      const returning = random.next() < 0.35 ? known[Math.floor(known.length * (1 - random.next() ** 2))] : undefined;
      yield visitOn(startMs, returning, day < BANNER_DAYS_AGO ? 0.5 : 0.35);
    }
    for (const [place, regular] of regulars.entries()) {
      if (day % (REGULAR_DAYS + place) === 1) yield visitOn(startMs, regular);
    }
  }

  function visitOn(startMs: number, returning: Visitor | undefined, acceptance = 1): readonly StoredEvent[] {
    const timeMs = startMs + Math.floor((random.next() + random.next() + 0.4) / 2.4 * DAY_MS);
    const events = makeUpVisit({ origin, timeMs, acceptance, returning, known, random });
    return events.filter(({ timestamp }) => Date.parse(timestamp) < nowMs);
  }
}

function makeUpVisitor(random: Random): Visitor {
  const [equipment, country] = [random.popular(EQUIPMENTS), random.popular(COUNTRIES)];
  return { anonymousId: random.uuid(), equipment, country, userId: null };
}

function weighDay(startMs: number, daysAgo: number, random: Random): number {
  const weekday = new Date(startMs).getUTCDay();
  const weekend = weekday === 0 || weekday === 6 ? 0.7 : 1;
  const letter = weekday === 1 ? 1.25 : 1;
  return (1.5 - daysAgo / DAYS) * weekend * letter * (0.8 + 0.4 * random.next());
}

interface VisitOptions {
  readonly origin: string;
  readonly timeMs: number;
  /** Share of newcomers who accept. */
  readonly acceptance: number;
  /** Who comes back; absent for a newcomer. */
  readonly returning: Visitor | undefined;
  /** Those who can come back, and come to be added to. */
  readonly known: Visitor[];
  readonly random: Random;
}

/** Makes up a visit. Of the newcomers who accept most do so on the page that they came to. */
function makeUpVisit(
  { origin, timeMs, acceptance, returning, known, random }: VisitOptions,
): readonly StoredEvent[] {
  const [, referrer, query] = pickArrival(random);
  const paths = pickPaths(random);
  const accepts = returning === undefined && random.next() < acceptance;
  const acceptsAt = random.next() < 0.6 ? 0 : 1 + random.below(2);
  // What is accepted within seconds makes the view one with consent; later it has gone out as one before it.
  const isQuick = random.next() < 0.7;
  const events: StoredEvent[] = [];
  const [sessionId, batchId] = [random.uuid(), random.uuid()];
  let [clockMs, cameFrom, visitor] = [timeMs, referrer, returning];

  function push(name: string, path: string, properties?: StoredEvent["properties"]): void {
    const timestamp = new Date(clockMs).toISOString();
    const event = { id: random.uuid(), name, timestamp, receivedAt: timestamp };
    clockMs += 1_000;
    if (visitor === undefined) {
      const context = { ...SDK, pageUrl: origin + path.replace(/\?.*/, ""), ...toOriginOnly(cameFrom) };
      return void events.push({ ...event, collection: "aggregate", context });
    }
    const { anonymousId, userId, country, equipment: [[screenWidth, screenHeight], classes] } = visitor;
    const page = { pageUrl: origin + path, pageTitle: "Tidewater Tea", ...(cameFrom && { referrer: cameFrom }) };
    const identity = { userId, anonymousId };
    const context: EventContext = { ...SDK, ...page, screenWidth, screenHeight };
    events.push({
      ...event,
      collection: "full",
      context,
      sessionId,
      identity,
      batchId,
      dimensions: { ...classes, country },
      ...properties && { properties },
    });
  }

  function accept(): void {
    visitor = makeUpVisitor(random);
    known.push(visitor);
  }

  function browse(path: string): void {
    if (path === "/teas" && random.next() < 0.25) {
      const [term, results] = random.popular(SEARCHES);
      push("search", path, { term, results });
    }
    if (path.startsWith("/teas/") && random.next() < 0.06) {
      push("$download", path, { url: `${origin}/files/brewing-${path.slice("/teas/".length)}.pdf` });
    }
    if (path === "/story" && random.next() < 0.2) push("$outbound", path, { url: random.popular(OUTBOUND) });
  }

  function checkOut(path: string, total: number, buyer: Visitor): void {
    cameFrom = origin + path;
    push(PAGEVIEW_NAME, CHECKOUT);
    clockMs += random.below(MINUTE_MS);
    if (random.next() >= 0.65) return;
    buyer.userId ??= `customer-${1000 + known.length}`;
    push("order", CHECKOUT, { total, plan: random.popular(["post", "express", "pickup"]) });
  }

  for (const [index, path] of paths.entries()) {
    const address = index === 0 ? path + query : path;
    const isAccepting = accepts && index === acceptsAt;
    if (isAccepting && isQuick) accept();
    push(PAGEVIEW_NAME, address);
    if (isAccepting && !isQuick) accept();
    if (isAccepting) push("$consent", address);
    const engagedMs = 2_000 + Math.floor(MINUTE_MS * random.next() ** 2);
    clockMs += engagedMs;
    if (visitor !== undefined) {
      push("$engagement", address, { engagedMs, scrollPercent: 20 + random.below(81) });
      browse(path);
      const total = shop(path, random);
      if (total > 0) push("basket_add", path, { tea: path.split("/").at(-1), grams: 50, price: total });
      if (total > 0 && random.next() < 0.6) checkOut(path, total, visitor);
    }
    cameFrom = origin + address;
  }
  return events;
}

/** Returns what is put into the basket on a page, and 0 for nothing. */
function shop(path: string, random: Random): number {
  const [, price] = TEAS.find(([name]) => path === `/teas/${name}`) ?? [];
  return price !== undefined && random.next() < 0.3 ? price * (1 + random.below(2)) : 0;
}

function pickArrival(random: Random): typeof ARRIVALS[number] {
  let left = random.below(100);
  return ARRIVALS.find(([share]) => (left -= share) < 0) ?? ARRIVALS[0] ?? [100, undefined, ""];
}

function pickPaths(random: Random): readonly string[] {
  const tea = (): string => `/teas/${random.popular(TEAS)[0]}`;
  const further = Array.from({ length: Math.floor(6 * random.next() ** 2) }, (_, index) => {
    return index % 2 === 0 ? "/teas" : tea();
  });
  return [random.popular(LANDINGS), ...(random.next() < 0.4 ? [tea()] : []), ...further];
}

/** The referrer of an aggregate is an origin (SPEC 2.5). */
function toOriginOnly(url: string | undefined): Pick<EventContext, "referrer"> {
  return url === undefined ? {} : { referrer: new URL(url).origin };
}
