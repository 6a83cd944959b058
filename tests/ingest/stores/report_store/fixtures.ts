/**
 * What the tests of a store of reports have in common.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { DataStore, EventSink, StoredEvent } from "../../../../src/ingest/mod.ts";
import type { OverviewCounts, ReportReader } from "../../../../src/ingest/ports/reader.ts";
import type { ViewCounts } from "../../../../src/ingest/ports/report_counts.ts";
import type { Funnel, FunnelEvent, ReportQuery, SourceDimension } from "../../../../src/ingest/ports/report_query.ts";
import { SITE } from "../../reports/fixtures.ts";
import { ask, at, toMs, type VisitParts } from "../../reports/visit_fixtures.ts";

/** A sink, the views of what it stored, and what erases and prunes it: nothing is erased where that is absent. */
export interface ReportStoreParts {
  readonly sink: EventSink;
  readonly store: ReportReader;
  readonly data?: Pick<DataStore, "erase" | "prune">;
}

export const NOTHING: OverviewCounts = {
  pageviews: { full: 0, aggregate: 0 },
  visitors: 0,
  users: 0,
  sessions: 0,
  landings: 0,
  landingViews: 0,
  bounces: 0,
  instantSessions: 0,
  medianSessionMs: null,
  engagedMs: 0,
};

export const SEARCH = "https://www.google.com/";

export const MINUTE_MS = 60_000;

/** Builds an event that tells how long a page was looked at. */
export function engagement(time: string, parts: VisitParts, engagedMs: number): StoredEvent {
  return at(time, { ...parts, name: "$engagement", properties: { engagedMs } });
}

export function full(count: number, aggregate = 0): ViewCounts {
  return { full: count, aggregate };
}

export async function readTotal(store: ReportReader, query: ReportQuery = ask()): Promise<OverviewCounts> {
  return (await store.overview(query, [])).total;
}

/** Returns what sources are listed with: label, sessions, full pageviews. */
export async function readSources(
  store: ReportReader,
  by: SourceDimension,
  query: ReportQuery = ask(),
): Promise<readonly (readonly [string | null, number, number])[]> {
  const { rows } = await store.sources(query, { by }, 100);
  return rows.map(({ label, sessions, views }) => [label, sessions, views.full] as const);
}

export const TO_ORDER: Funnel = {
  stages: [[{ page: "/teas" }], [{ page: "/cart" }], [{ step: "Order placed" }]],
  within: "session",
  order: "sequential",
};

/** Returns what the stages of a funnel have: visitors, and the median time. */
export async function readFunnel(
  store: ReportReader,
  changes: Partial<Funnel> = {},
  query: ReportQuery = ask(),
): Promise<readonly (readonly [number, number | null])[]> {
  const stages = await store.funnel(query, { ...TO_ORDER, ...changes });
  return stages.map(({ visitors, medianMs }) => [visitors, medianMs] as const);
}

/** Returns what the cohorts of days have, from the first of March: size, and returns. */
export async function readCohorts(
  store: ReportReader,
  { days = 4, returns, filters = [] }: {
    readonly days?: number;
    readonly returns?: readonly FunnelEvent[];
    readonly filters?: ReportQuery["filters"];
  } = {},
): Promise<readonly (readonly [number, readonly number[]])[]> {
  const bounds = Array.from({ length: days + 1 }, (_, day) => toMs("00:00") + day * 24 * 60 * MINUTE_MS);
  const cohorts = await store.retention(ask({ filters }), { bounds, ...(returns !== undefined && { returns }) });
  assertEquals(cohorts.map(({ from }) => from), bounds.slice(0, -1));
  return cohorts.map(({ size, returned }) => [size, returned] as const);
}

/** Builds a step as a backend sends it, which names no page, no session and no visitor. */
export function backendStep(time: string, name: string, parts: VisitParts = {}): StoredEvent {
  return { ...at(time, { name, page: null, ...parts }), site: SITE };
}

/** Registers a test of a store. */
export type RegisterTest = (what: string, use: (parts: ReportStoreParts) => Promise<void>) => void;
