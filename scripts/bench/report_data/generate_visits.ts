import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { createRandom, type Random } from "../../../src/ingest/server/demo/random.ts";
import { PATHS, REFERRERS, SHOP_ORIGIN, STEPS } from "./shop.ts";
import type { EventContext } from "../../../mod.ts";

/** Size of what is made up. */
export interface YearOptions {
  /** Number of events. */
  readonly events: number;
  /** Last UTC day of the year, `2026-11-20`. */
  readonly lastDay: string;
  /** The same seed makes the same year. */
  readonly seed: number;
}

const DAYS = 365;

const DAY_MS = 86_400_000;

/** Share of visits whose visitor hasn't answered the question of consent. */
const PENDING_SHARE = 0.35;

/** Share of visits that name no referrer. */
const DIRECT_SHARE = 0.4;

const SDK = { sdkName: "@vendor/sdk", sdkVersion: "0.1.0" } as const;

/**
 * Makes up a year of a shop, visit by visit in the order of time: more visits at the end than at the beginning, fewer
 * at weekends and at night, a sale in the last month; a few popular pages and a long tail.
 */
export function* generateVisits({ events, lastDay, seed }: YearOptions): Generator<readonly StoredEvent[]> {
  const random = createRandom(seed);
  const startMs = Date.parse(lastDay) - (DAYS - 1) * DAY_MS;
  const weights = Array.from({ length: DAYS }, (_, index) => weighDay(index, startMs, random));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let made = 0;
  let due = 0;
  for (const [index, weight] of weights.entries()) {
    due += events * weight / sum;
    while (made < Math.round(due)) {
      const visit = generateVisit(startMs + index * DAY_MS + pickTimeMs(random), random).slice(
        0,
        Math.round(due) - made,
      );
      made += visit.length;
      yield visit;
    }
  }
}

function weighDay(index: number, startMs: number, random: Random): number {
  const weekday = new Date(startMs + index * DAY_MS).getUTCDay();
  const weekend = weekday === 0 || weekday === 6 ? 0.6 : 1;
  const sale = index >= DAYS - 30 && index < DAYS - 23 ? 1.7 : 1;
  return (1 + index / DAYS) * weekend * sale * (0.85 + 0.3 * random.next());
}

// The mean of two is a hill with its top at noon.
function pickTimeMs(random: Random): number {
  return Math.floor((random.next() + random.next()) / 2 * (DAY_MS - 3_600_000));
}

function generateVisit(startMs: number, random: Random): readonly StoredEvent[] {
  const isPending = random.next() < PENDING_SHARE;
  const sessionId = random.uuid();
  const anonymousId = random.uuid();
  const views = 1 + Math.floor(6 * random.next() ** 2);
  const events: StoredEvent[] = [];
  let referrer = random.next() < DIRECT_SHARE ? undefined : random.popular(REFERRERS);
  let timeMs = startMs;

  function push(name: string, context: EventContext, full: Partial<StoredEvent>): void {
    const timestamp = new Date(timeMs).toISOString();
    const event = { id: random.uuid(), name, timestamp, receivedAt: timestamp, context } as const;
    events.push(isPending ? { ...event, collection: "aggregate" } : { ...event, collection: "full", ...full });
    timeMs += 1000 + random.below(60_000);
  }

  for (let view = 0; view < views; view++) {
    const pageUrl = SHOP_ORIGIN + random.popular(PATHS);
    if (isPending) {
      push("$pageview", { ...SDK, pageUrl, ...restrictReferrer(referrer) }, {});
      referrer = SHOP_ORIGIN;
      continue;
    }
    const context = {
      ...SDK,
      pageUrl,
      ...(referrer && { referrer }),
      pageTitle: "Teas",
      screenWidth: 390,
      screenHeight: 844,
    };
    const visitor = { sessionId, identity: { userId: null, anonymousId }, batchId: random.uuid() };
    push("$pageview", context, visitor);
    const steps = random.below(3);
    for (let step = 0; step < steps; step++) {
      const name = random.popular(STEPS);
      push(name, context, { ...visitor, properties: buildProperties(name, step, random) });
    }
    referrer = pageUrl;
  }
  return events;
}

function buildProperties(name: string, position: number, random: Random): NonNullable<StoredEvent["properties"]> {
  if (name === "$engagement") return { engagedMs: 1000 + random.below(120_000) };
  if (name === "$form") return { form: "newsletter", path: "/subscribe" };
  if (name.startsWith("$")) return { url: random.popular(REFERRERS) };
  return { position, price: random.below(5000) / 100 };
}

// The referrer of an aggregate is an origin (SPEC 2.5); the SDK leaves out an opaque one.
function restrictReferrer(url: string | undefined): Pick<EventContext, "referrer"> {
  const origin = url === undefined ? "null" : new URL(url).origin;
  return origin === "null" ? {} : { referrer: origin };
}
