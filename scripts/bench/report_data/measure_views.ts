import { createReports, type ReportReader, type Reports } from "../../../src/ingest/mod.ts";
import { findMedian, findQuantile } from "../statistics.ts";
import { generateVisits } from "./generate_visits.ts";
import { readCpuMs } from "./read_process.ts";
import { SHOP_ORIGIN } from "./shop.ts";

/** Options of {@linkcode measureViews}. */
export interface ViewsOptions {
  /** Publishable key of its events. */
  readonly apiKey: string;
  /** Last UTC day of the year. */
  readonly lastDay: string;
  /** Requests of each view, over each range. */
  readonly runs: number;
}

/** Time that a view took. */
export interface ViewTime {
  /** Name of the view. */
  readonly name: string;
  /** Length of its range. */
  readonly days: number;
  /** 95 of 100 took less, in milliseconds. */
  readonly p95Ms: number;
  /** Limit of `p95Ms`. */
  readonly limitMs: number;
  /** Milliseconds of CPU, the median: other programs hardly change it. */
  readonly cpuMs: number;
}

interface View {
  readonly name: string;
  /** Limits of its time, of 30 days and of a year. */
  readonly limitsMs: readonly [month: number, year: number];
  read(reports: Reports, days: Days): Promise<unknown>;
}

interface Days {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const LIMITS = [200, 350] as const;

/** It is five views: its figures, and the first rows of four lists. */
const OVERVIEW_LIMITS = [400, 700] as const;

const VIEWS: readonly View[] = [
  { name: "overview", limitsMs: OVERVIEW_LIMITS, read: (reports, days) => reports.overview(days) },
  {
    name: "overview, three filters",
    limitsMs: OVERVIEW_LIMITS,
    read: (reports, days) =>
      reports.overview({
        ...days,
        filters: [
          { name: "page", values: ["/teas"] },
          { name: "channel", values: ["Search"] },
          { name: "step", values: ["tea_viewed"] },
        ],
      }),
  },
  { name: "consent", limitsMs: LIMITS, read: (reports, days) => reports.consent(days) },
  { name: "channels", limitsMs: LIMITS, read: (reports, days) => reports.sources(days) },
  { name: "sources", limitsMs: LIMITS, read: (reports, days) => reports.sources({ ...days, by: "source" }) },
  {
    name: "sources of the first",
    limitsMs: LIMITS,
    read: (reports, days) => reports.sources({ ...days, of: "first" }),
  },
  { name: "pages, with engagement", limitsMs: LIMITS, read: (reports, days) => reports.pages(days) },
  { name: "steps, links, downloads, forms", limitsMs: LIMITS, read: (reports, days) => reports.steps(days) },
  {
    name: "values of a step",
    limitsMs: LIMITS,
    read: (reports, days) => reports.steps({ ...days, step: "tea_viewed", key: "price" }),
  },
  { name: "goals", limitsMs: LIMITS, read: (reports, days) => reports.goals(days) },
  {
    name: "funnel",
    limitsMs: LIMITS,
    read: (reports, days) =>
      reports.funnel({ ...days, within: "7d", stages: ["page:/", "step:add_to_cart", "step:order_placed"] }),
  },
  { name: "retention", limitsMs: LIMITS, read: (reports, days) => reports.retention({ ...days, unit: "week" }) },
  { name: "all sites", limitsMs: LIMITS, read: (reports, days) => reports.sites(days) },
  { name: "live", limitsMs: LIMITS, read: (reports, days) => reports.live(days) },
  {
    name: "one person",
    limitsMs: LIMITS,
    read: (reports) => reports.person({ anonymousId: VISITOR, site: SHOP_ORIGIN }),
  },
];

/** A visitor of the year. */
const VISITOR = [...generateVisits({ events: 100, lastDay: "2026-01-01", seed: 1 })].flat()
  .find(({ identity }) => identity !== undefined)?.identity?.anonymousId ?? "";

function toDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, "2026-01-31".length);
}

/** Asks for each view of 30 days and of the year, and prints what it takes. */
export async function measureViews(reader: ReportReader, options: ViewsOptions): Promise<readonly ViewTime[]> {
  const { apiKey, lastDay, runs } = options;
  const reports = createReports({
    keys: [{
      apiKey,
      secretKey: "sk_bench_0123456789",
      origins: [SHOP_ORIGIN],
      goals: {
        Order: { step: "order_placed", value: "price" },
        Tea: { page: "/teas/*" },
        Cheap: { step: "add_to_cart", property: { key: "position", value: 0 } },
      },
    }],
    reader,
    now: () => Date.parse(lastDay) + DAY_MS / 2,
  });
  const times: ViewTime[] = [];
  for (const { name, limitsMs, read } of VIEWS) {
    for (const [index, days] of [30, 365].entries()) {
      const [tookMs, cpuMs]: [number[], number[]] = [[], []];
      for (let run = 0; run < runs; run++) {
        // Each time other days, since what two questions share is counted once.
        const toMs = Date.parse(lastDay) - run * DAY_MS;
        const [startMs, startCpuMs] = [performance.now(), readCpuMs()];
        await read(reports, { from: toDay(toMs - (days - 1) * DAY_MS), to: toDay(toMs) });
        tookMs.push(performance.now() - startMs);
        cpuMs.push(readCpuMs() - startCpuMs);
      }
      const [p95Ms, limitMs] = [findQuantile(tookMs, 0.95), limitsMs[index] ?? 0];
      const time = { name, days, p95Ms, limitMs, cpuMs: findMedian(cpuMs) };
      console.log(
        `${name}, ${days} days: p95 of ${runs} ${Math.round(p95Ms)} ms, of at most ${limitMs} ms; ` +
          `${Math.round(time.cpuMs)} ms of CPU`,
      );
      times.push(time);
    }
  }
  return times;
}
