import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { NO_PATH_RULES } from "../../../src/ingest/events/path_rules.ts";
import type { ReportReader } from "../../../src/ingest/ports/reader.ts";
import type { ReportQuery } from "../../../src/ingest/ports/report_query.ts";

export const SITE = "https://shop.example";

export const DAY = "2026-03-01";

/** The parts of an event that reports look at. */
export interface EventParts {
  readonly name?: string;
  readonly collection?: StoredEvent["collection"];
  /** @default {10 o'clock on the first of March} */
  readonly timestamp?: string;
  readonly receivedAt?: string;
  readonly pageUrl?: string;
  readonly referrer?: string;
  readonly sessionId?: string;
  readonly anonymousId?: string;
  readonly userId?: string;
  readonly violation?: NonNullable<StoredEvent["violation"]>;
}

let made = 0;

/** Builds an event with an id of its own. */
export function buildEvent(parts: EventParts): StoredEvent {
  const {
    name = "step",
    collection = "full",
    timestamp = `${DAY}T10:00:00.000Z`,
    pageUrl,
    referrer,
    sessionId,
    anonymousId,
    userId,
  } = parts;
  const { receivedAt = timestamp, violation } = parts;
  return {
    id: `event-${made++}`,
    name,
    collection,
    timestamp,
    receivedAt,
    ...(sessionId !== undefined && { sessionId }),
    ...((anonymousId !== undefined || userId !== undefined) && {
      identity: { userId: userId ?? null, ...(anonymousId !== undefined && { anonymousId }) },
    }),
    ...(violation !== undefined && { violation }),
    place: 0,
    context: {
      sdkName: "@vendor/sdk",
      sdkVersion: "0.1.0",
      ...(pageUrl !== undefined && { pageUrl }),
      ...(referrer !== undefined && { referrer }),
    },
  };
}

/** Builds a pageview. */
export function buildPageview(parts: Omit<EventParts, "name">): StoredEvent {
  return buildEvent({ ...parts, name: "$pageview" });
}

/** Builds what a report is asked for: the site in the first quarter of 2026, or from one UTC day to another. */
export function buildQuery(
  { from = "2026-01-01", to = "2026-03-31", ...changes }:
    & Partial<Omit<ReportQuery, "from" | "to">>
    & { readonly from?: string; readonly to?: string } = {},
): ReportQuery {
  return {
    apiKey: "pk_test_1",
    site: SITE,
    traffic: "people",
    from: Date.parse(from),
    to: Date.parse(to) + 24 * 60 * 60 * 1000,
    filters: [],
    ownOrigins: [],
    pathRules: NO_PATH_RULES,
    ...changes,
  };
}

/** Counts the events of any name that a report has. */
export async function countEvents(reader: ReportReader, query: ReportQuery): Promise<number> {
  const { total: { pageviews: { full, aggregate } } } = await reader.overview(query, []);
  const steps = await reader.steps(query, 10_000);
  return full + aggregate + steps.rows.reduce((sum, { count }) => sum + count, 0);
}
