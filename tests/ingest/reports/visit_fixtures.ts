import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { NO_PATH_RULES } from "../../../src/ingest/events/path_rules.ts";
import type { ReportFilter, ReportQuery } from "../../../src/ingest/ports/report_query.ts";
import { SITE } from "./fixtures.ts";
import { KEY } from "./report_store.ts";

const DAY = "2026-03-01";

/** The parts of an event that views look at. */
export interface VisitParts {
  /** `$pageview` by default. */
  readonly name?: string;
  /** Path and query on the site, or a whole URL; `/` by default, and null for no page. */
  readonly page?: string | null;
  readonly referrer?: string;
  readonly session?: string;
  readonly visitor?: string;
  readonly user?: string;
  readonly width?: number;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly isAggregate?: boolean;
  readonly flag?: StoredEvent["flag"];
  /** Its place in its batch; 0 by default. */
  readonly place?: number;
  /** Its id; otherwise ids grow from event to event. */
  readonly id?: string;
}

let made = 0;

/** Builds an event of a time of the first of March, `10:00` or `10:00:30.500`, or of a whole one. It's a pageview by default. */
export function at(time: string, parts: VisitParts = {}): StoredEvent {
  const { name = "$pageview", page = "/", referrer, session, visitor, user, width, properties, isAggregate, flag } =
    parts;
  const { place = 0, id = `00000000-0000-4000-8000-${(made++).toString(16).padStart(12, "0")}` } = parts;
  const timestamp = new Date(toMs(time)).toISOString();
  return {
    id,
    place,
    name,
    collection: isAggregate ? "aggregate" : "full",
    timestamp,
    receivedAt: timestamp,
    ...(properties && { properties }),
    ...(flag && { flag }),
    ...(session !== undefined && { sessionId: session }),
    ...(!isAggregate && {
      identity: { userId: user ?? null, ...(visitor !== undefined && { anonymousId: visitor }) },
    }),
    context: {
      sdkName: "@vendor/sdk",
      sdkVersion: "0.1.0",
      ...(page !== null && { pageUrl: page.startsWith("/") ? SITE + page : page }),
      ...(referrer !== undefined && { referrer }),
      ...(width !== undefined && { screenWidth: width }),
    },
  };
}

/** Returns a time as `at` takes it, in milliseconds since the Unix epoch. */
export function toMs(time: string): number {
  return Date.parse(time.includes("T") ? time : `${DAY}T${time.length === "10:00".length ? `${time}:00` : time}Z`);
}

/** Asks for the first of March, without filters. */
export function ask(changes: Partial<ReportQuery> = {}): ReportQuery {
  return {
    apiKey: KEY,
    site: SITE,
    traffic: "people",
    from: toMs("00:00"),
    to: toMs("2026-03-02T00:00:00Z"),
    filters: [],
    ownOrigins: [],
    pathRules: NO_PATH_RULES,
    ...changes,
  };
}

/** Asks for the first of March with filters. */
export function askFor(...filters: readonly ReportFilter[]): ReportQuery {
  return ask({ filters });
}
