import { monthOf } from "../../../events/stored_event.ts";
import type { PageCounts, StepCounts, ViewCounts } from "../../../ports/report_counts.ts";
import { toDay } from "../../query/days.ts";
import { WHOLE_LIST } from "../../query/list_query.ts";
import type { Note } from "../../query/notes.ts";
import { toEngagedPerView } from "../../view/rows.ts";
import { type Beside, listBeside, type ListBesideOptions, type ListedBeside } from "../../view/list_beside.ts";
import { readDamaged, readScope, toQuery, type ViewScope } from "../../view/scope.ts";
import {
  type PartCounts,
  type ReadPeriod,
  readPeriods,
  type SpanCounts,
  toParts,
  toSpanCounts,
} from "../../view/spans.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import { type GoalsView, readGoals } from "../goals/object.ts";
import { listSources, type SourcesView } from "../sources/object.ts";

/** The overview: its figures, and the first rows of each list. */
export interface OverviewView extends ViewScope {
  /** Which view it is. */
  readonly view: "overview";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** The days that were asked for. */
  readonly current: SpanCounts & {
    /** First day. */
    readonly from: string;
    /** Last day, included. */
    readonly to: string;
    /** Median length of the sessions with two events or more, in milliseconds; null without one. */
    readonly medianSessionMs: number | null;
    /** Mean engagement of the views with consent, in milliseconds; null where none was recorded. */
    readonly engagedMsPerView: number | null;
  };
  /** The period beside them. It ends at the same hour while they aren't over. */
  readonly before: OverviewView["current"];
  /** Length of the parts. */
  readonly unit: "hour" | "day" | "week" | "month";
  /** Parts of `current`. */
  readonly parts: readonly PartCounts[];
  /** Parts of `before`. */
  readonly partsBefore: readonly PartCounts[];
  /** Notes of `current`, the first day first. */
  readonly notes: readonly Note[];
  /** Pageviews of crawlers and of own visits in the days that were asked for, whatever the filters. */
  readonly flagged: Readonly<Record<"bots" | "own", ViewCounts>>;
  // SPEC 1
  /** Use of the key's allowance: this month, by all sites, whatever the filters. */
  readonly allowance: {
    /** The month in UTC, by the time of arrival: `2026-11`. It's the current one, whatever the range of the report. */
    readonly month: string;
    /** Pageviews that count: full and aggregate, of all sites of the key. */
    readonly used: number;
    /** Pageviews that the plan allows; null where there is no limit. */
    readonly limit: number | null;
  };
  /** First rows of other views, at most eight of each, as far as these may be read. */
  readonly lists: {
    /** The most viewed pages. */
    readonly pages?: {
      /** Their paths and views. */
      readonly rows: readonly Beside<Pick<PageCounts, "path" | "views">, "path">[];
      /** Number of all of them. */
      readonly count: number;
    };
    /** Channels of the most sessions. */
    readonly sources?: Pick<SourcesView, "rows" | "count">;
    /** Steps, the site's own before automatic ones. */
    readonly steps?: {
      /** Their names, and how often each was recorded. */
      readonly rows: readonly Beside<Pick<StepCounts, "name" | "count">, "name">[];
      /** Number of all of them. */
      readonly count: number;
    };
    /** Goals, in the order of the key. */
    readonly goals?: Pick<GoalsView, "rows"> & {
      /** Number of all of them. */
      readonly count: number;
    };
  };
}

/** The figures of the overview. */
export type OverviewFigures = Omit<OverviewView, "lists">;

/** Counts of a period. */
export type PeriodCounts = OverviewFigures["current"];

/** Rows of each list. */
const FIRST_ROWS = 8;

/** Counts visitors, pageviews and sessions, and lists what there are most of. */
export async function readOverview(source: ViewSource, request: ViewRequest): Promise<OverviewView> {
  const mayRead = (view: string): boolean => request.views?.includes(view) ?? true;
  const figures = await readOverviewFigures(source, request);
  return {
    ...figures,
    lists: {
      ...(mayRead("pages") && { pages: await listFirstPages(source, request) }),
      ...(mayRead("sources") && { sources: await listFirstSources(source, request) }),
      ...(mayRead("steps") && { steps: await listFirstSteps(source, request) }),
      ...(mayRead("goals") && { goals: await readFirstGoals(source, request, figures) }),
    },
    // The lists may have come upon another file.
    ...await readDamaged(source),
  };
}

type Lists = Required<OverviewView["lists"]>;

async function listFirstPages(source: ViewSource, request: ViewRequest): Promise<Lists["pages"]> {
  return await listFirst<Pick<PageCounts, "path" | "views">, "path">(source, {
    ...{ request, name: "path", nameOf: ({ path }) => path },
    find: async (query, most, choice) => {
      const { rows, count } = await source.reader.pages(query, most, { ...choice, isBrief: true });
      return { rows: rows.map(({ path, views }) => ({ path, views })), count, other: null };
    },
  });
}

async function listFirstSteps(source: ViewSource, request: ViewRequest): Promise<Lists["steps"]> {
  return await listFirst<Pick<StepCounts, "name" | "count">, "name">(source, {
    ...{ request, name: "name", nameOf: ({ name }) => name },
    find: async (query, most, choice) => {
      const { rows, count } = await source.reader.steps(query, most, { ...choice, isBrief: true });
      return { rows: rows.map(({ name, count }) => ({ name, count })), count, other: null };
    },
  });
}

async function listFirst<T extends object, N extends keyof T>(
  source: ViewSource,
  options: Omit<ListBesideOptions<T, N>, "list">,
): Promise<Pick<ListedBeside<T, N>, "rows" | "count">> {
  const { rows, count } = await listBeside(source, {
    ...options,
    list: (query) => options.find(query, FIRST_ROWS, {}),
  });
  return { rows, count };
}

async function listFirstSources(source: ViewSource, request: ViewRequest): Promise<Lists["sources"]> {
  const asked = { ...request, ...WHOLE_LIST, by: "channel", of: "session" } as const;
  const { rows, count } = await listSources(source, asked, FIRST_ROWS);
  return { rows, count };
}

async function readFirstGoals(
  source: ViewSource,
  request: ViewRequest,
  { current, before }: OverviewFigures,
): Promise<Lists["goals"]> {
  const goals = Object.entries(request.goals);
  if (goals.length === 0) return { rows: [], count: 0 };
  const first = { ...request, goals: Object.fromEntries(goals.slice(0, FIRST_ROWS)) };
  const known = { current: current.visitors, before: before.visitors };
  return { rows: (await readGoals(source, first, known)).rows, count: goals.length };
}

/** Counts visitors, pageviews and sessions. */
export async function readOverviewFigures(source: ViewSource, request: ViewRequest): Promise<OverviewFigures> {
  const { reader, now } = source;
  const { current, before, unit } = await readPeriods(source, request);
  const month = monthOf(toDay(now()));
  const flagged = await reader.countFlagged(toQuery(request, current.period));
  const used = await reader.countPageviews(request.apiKey, month);
  return {
    view: "overview",
    ...await readScope(source, request),
    compare: request.compare,
    current: toPeriodCounts(current, request),
    before: toPeriodCounts(before, request),
    unit,
    parts: toParts(current, { ...request, unit }),
    partsBefore: toParts(before, { ...request, unit }),
    notes: request.notes,
    flagged,
    allowance: { month, used, limit: request.allowance },
  };
}

function toPeriodCounts({ period, total }: ReadPeriod, { filters }: ViewRequest): PeriodCounts {
  const { from, to, startMs, endMs } = period;
  const { medianSessionMs, engagedMs, pageviews } = total;
  const engagedMsPerView = toEngagedPerView(engagedMs, pageviews);
  return { from, to, ...toSpanCounts(total, { startMs, endMs, filters }), medianSessionMs, engagedMsPerView };
}
