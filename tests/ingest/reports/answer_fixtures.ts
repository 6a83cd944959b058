import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "./fixtures.ts";
import { ask, createTestReports } from "./reports_fixtures.ts";

export const ADA = { sessionId: "s-1", anonymousId: "ada", userId: "u-1" } as const;

export const EVENTS: readonly StoredEvent[] = [
  buildPageview({
    timestamp: "2026-03-31T10:00:00.000Z",
    pageUrl: `${SITE}/?utm_source=letter&utm_campaign=spring`,
    referrer: "https://mail.example/",
    ...ADA,
  }),
  buildPageview({ timestamp: "2026-03-31T10:01:00.000Z", pageUrl: `${SITE}/teas`, referrer: `${SITE}/`, ...ADA }),
  buildEvent({
    timestamp: "2026-03-31T10:02:00.000Z",
    pageUrl: `${SITE}/teas`,
    name: "=signup",
    violation: "missing",
    ...ADA,
  }),
  buildPageview({
    timestamp: "2026-03-31T11:00:00.000Z",
    pageUrl: `${SITE}/teas`,
    referrer: "https://search.example/",
    collection: "aggregate",
  }),
  // Joined midway: its first pages were before consent.
  buildPageview({
    timestamp: "2026-03-30T10:00:00.000Z",
    pageUrl: `${SITE}/teas`,
    referrer: `${SITE}/`,
    sessionId: "s-2",
    anonymousId: "bob",
  }),
  buildPageview({ timestamp: "2026-03-29T11:30:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-3", anonymousId: "eve" }),
  buildPageview({ timestamp: "2026-03-29T12:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
];

export const RANGE = "from=2026-03-30&to=2026-03-31";

export const readJson = async (search: string, events: readonly StoredEvent[] = EVENTS): Promise<unknown> =>
  await (await ask(await createTestReports(events), `?format=json&${search}`)).json();

export const readCsv = async (search: string, events: readonly StoredEvent[] = EVENTS): Promise<string> =>
  await (await ask(await createTestReports(events), `?format=csv&${search}`)).text();
