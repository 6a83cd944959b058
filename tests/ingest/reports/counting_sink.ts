import { isPageview, monthOf } from "../../../src/ingest/events/stored_event.ts";
import type { EventSink } from "../../../src/ingest/ports/sink.ts";
import { type CountRow, createEventCounts, type EventCounts } from "../../../src/ingest/events/event_counts.ts";
import type { LabelKind } from "../../../src/ingest/events/event_facts.ts";
import {
  MAX_SITES,
  type PageviewCounts,
  type PageviewRow,
  parseViolation,
  type Report,
  type ReportLimits,
  type ReportReader,
  type ReportScope,
  sumCounts,
} from "../../../src/ingest/ports/reader.ts";

/** A sink that counts what another one stores. */
export interface CountingSink extends EventSink, ReportReader {}

/** Counts in memory what a sink stores: reports without a store, and what the readers of stores are compared with. */
export function createCountingSink(sink: EventSink): CountingSink {
  const countsOf = new Map<string, EventCounts>();
  // By month of arrival and key.
  const pageviews = new Map<string, number>();

  function select(kind: LabelKind, { apiKey, site, from, to }: ReportScope): readonly Readonly<CountRow>[] {
    const rows = [...countsOf.get(apiKey)?.rows(kind) ?? []];
    return rows.filter((row) => row.site === site && row.day >= from && row.day <= to);
  }

  function read(scope: ReportScope, { rows }: ReportLimits): Report {
    const paths = select("paths", scope);
    const sessions = select("sessions", scope);
    const countDistinct = (kind: LabelKind): number => new Set(select(kind, scope).map(({ label }) => label)).size;
    const names = sortByCount(sumBy(select("names", scope), "label"));
    const violations = sortByCount(sumBy(select("violations", scope), "label"));
    const byPath = sortByCount(sumBy(paths, "label"));
    const byReferrer = sortByCount(sumBy(select("referrers", scope), "label"))
      .filter(([label]) => !scope.ownOrigins?.includes(label));
    const viewsOf = sumBy(paths, "day");
    const days = [...new Set([...paths, ...sessions].map(({ day }) => day))].sort();
    return {
      totals: {
        pageviews: sumCounts(paths),
        visitors: countDistinct("visitors"),
        users: countDistinct("users"),
        sessions: countDistinct("sessions"),
        events: sumCounts(names.map(([, counts]) => counts)).total,
        paths: byPath.length,
        referrers: byReferrer.length,
        names: names.length,
        violations: violations.length,
      },
      days: days.map((day) => ({
        day,
        ...(viewsOf.get(day) ?? sumCounts([])),
        sessions: sessions.filter((row) => row.day === day).length,
      })),
      paths: byPath.slice(0, rows).map(([path, counts]) => ({ path, ...counts })),
      referrers: byReferrer.slice(0, rows).map(([label, counts]) => ({
        referrer: label || null,
        ...counts,
      })),
      events: names.slice(0, rows).map(([name, { total }]) => ({ name, count: total })),
      violations: violations.slice(0, rows).map(([label, { total }]) => ({ ...parseViolation(label), count: total })),
    };
  }

  return {
    close: () => sink.close(),
    store: async (batch) => {
      const result = await sink.store(batch);
      if (!("events" in result) || result.events === undefined) return result;
      const counts = countsOf.get(batch.apiKey) ?? createEventCounts();
      countsOf.set(batch.apiKey, counts);
      counts.add(result.events);
      for (const { receivedAt } of result.events.filter(isPageview)) {
        const place = `${monthOf(receivedAt)} ${batch.apiKey}`;
        pageviews.set(place, (pageviews.get(place) ?? 0) + 1);
      }
      return result;
    },
    sites: (apiKey) => {
      const rows = [...countsOf.get(apiKey)?.rows("names") ?? []].filter(({ site }) => site !== "");
      return Promise.resolve(sortByCount(sumBy(rows, "site")).map(([site]) => site).slice(0, MAX_SITES));
    },
    read: (scope, limits) => Promise.resolve(read(scope, limits)),
    violations: (scope, limits) => Promise.resolve(read(scope, limits).violations),
    readPath: (scope, path) =>
      Promise.resolve(
        select("paths", scope).filter(({ label }) => label === path).map(buildPageviewRow)
          .sort((one, other) => compare(one.day, other.day)),
      ),
    countPageviews: (apiKey, month) => Promise.resolve(pageviews.get(`${month} ${apiKey}`) ?? 0),
    lastDay: ({ apiKey, site }) => {
      const days = [...countsOf.get(apiKey)?.rows("names") ?? []].filter((row) => row.site === site)
        .map(({ day }) => day);
      return Promise.resolve(days.sort().at(-1));
    },
    readDay: (scope, day) =>
      Promise.resolve(
        select("paths", { ...scope, from: day, to: day }).map(buildPageviewRow)
          .sort((one, other) => compare(one.path, other.path)),
      ),
  };
}

function buildPageviewRow(row: Readonly<CountRow>): PageviewRow {
  return { day: row.day, path: row.label, ...sumCounts([row]) };
}

function sumBy(
  rows: readonly Readonly<CountRow>[],
  field: "day" | "label" | "site",
): ReadonlyMap<string, PageviewCounts> {
  const sums = new Map<string, PageviewCounts>();
  for (const row of rows) {
    const { full, aggregate } = sums.get(row[field]) ?? sumCounts([]);
    sums.set(row[field], sumCounts([row, { full, aggregate }]));
  }
  return sums;
}

// The greatest first; equal ones in the order of their labels, so that a report reads the same twice.
function sortByCount(sums: ReadonlyMap<string, PageviewCounts>): readonly (readonly [string, PageviewCounts])[] {
  return [...sums].sort(([one, a], [other, b]) => b.total - a.total || compare(one, other));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
