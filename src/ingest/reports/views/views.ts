/**
 * The views of a report as objects: their JSON is these, as they are.
 *
 * @module
 */
import type { PathRules } from "../../events/path_rules.ts";
import { monthOf, type StoredEvent } from "../../events/stored_event.ts";
import type {
  AcceptanceCounts,
  CountedEvent,
  EventTotals,
  Funnel,
  Listed,
  OverviewCounts,
  PageCounts,
  ReportFilter,
  ReportQuery,
  ReportReader,
  SourceCounts,
  SourceGrouping,
  StepCounts,
  StepValues,
  Traffic,
  ValueCounts,
  ViewCounts,
  ViolationRow,
  VisitCounts,
} from "../../ports/reader.ts";
import { keepsAggregates } from "../../ports/reader.ts";
import { toDay } from "../query/days.ts";
import { type Goal, type Goals, resolveFilters, resolveStages, toGoalEvent } from "../query/goals.ts";
import type { Note } from "../query/notes.ts";
import { findPeriods, type PartUnit, type Period } from "../query/periods.ts";
import { type PersonId, writeEraseCommand } from "./person/query.ts";
import type { ViewQuery } from "./view_query.ts";
import { listPeriods, toWithin, writeStage } from "../query/stages.ts";
import { formatClock, startOfDay, toZoneDay, type Zone } from "../query/zones.ts";

/** Of what a view is. */
export interface ViewScope {
  /** Origin of the site. */
  readonly site: string;
  /** First day, `2026-01-01`. */
  readonly from: string;
  /** Last day, included. */
  readonly to: string;
  /** Time zone of the days. */
  readonly zone: string;
  /** Whose events are counted: `people` leaves out those of crawlers and of the site's own people. */
  readonly traffic: Traffic;
  /** Filters that hold. */
  readonly filters: readonly ReportFilter[];
  /** Share of what is stored that is counted, 0 to 1: less than 1 for a while after an upgrade of a large SQLite file. */
  readonly counted: number;
}

/** Counts of a span of time. */
export interface SpanCounts {
  /** Its first moment, in ISO 8601. */
  readonly start: string;
  /** Its end, in ISO 8601; what happened then isn't counted. */
  readonly end: string;
  /** Pageviews. */
  readonly pageviews: ViewCounts;
  /** Share of the pageviews with consent, 0 to 1; null without pageviews, and under filters that leave none before consent. */
  readonly consentShare: number | null;
  /** Distinct visitors, of the views with consent, as all that follows. */
  readonly visitors: number;
  /** Distinct users. */
  readonly users: number;
  /** Sessions that began in it. */
  readonly sessions: number;
  /** Those of them that began with an arrival. The others were joined midway, where a visitor consented on a later page. */
  readonly landings: number;
  /** Pageviews a landing; null without one. */
  readonly viewsPerSession: number | null;
  /** Share of the landings that bounced, 0 to 1; null without one. */
  readonly bounceRate: number | null;
  /** Sessions among them that have nothing but pageviews of one moment: they last 0 s, and show no sign of life. */
  readonly instantSessions: number;
}

/** The overview. */
export interface OverviewView extends ViewScope {
  /** Which view it is. */
  readonly view: "overview";
  /** What `before` is: as many days before, the same weekdays of the weeks before, or those a year ago. */
  readonly compare: "before" | "weeks" | "year";
  /** The days that were asked for. */
  readonly current: SpanCounts & {
    /** First day. */
    readonly from: string;
    /** Last day, included. */
    readonly to: string;
    /** Median length of the sessions with two events or more, in milliseconds; null without one. */
    readonly medianSessionMs: number | null;
  };
  /** What stands beside them. It ends at the same hour while they aren't over. */
  readonly before: OverviewView["current"];
  /** How long the parts are. */
  readonly unit: "hour" | "day" | "week";
  /** Parts of `current`. */
  readonly parts: readonly (SpanCounts & {
    /** When it begins on the clocks of the zone: a day, or `2026-01-31T14:00`. */
    readonly from: string;
  })[];
  /** Parts of `before`. */
  readonly partsBefore: OverviewView["parts"];
  /** Notes of `current`, the first day first. */
  readonly notes: readonly Note[];
  /** Pageviews of crawlers and of own visits in the days that were asked for, whatever the filters. */
  readonly flagged: Readonly<Record<Exclude<Traffic, "people">, ViewCounts>>;
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
}

/** Counts of a period. */
export type PeriodCounts = OverviewView["current"];

/** Counts of a minute, an hour, a day or a week. */
export type PartCounts = OverviewView["parts"][number];

/** Pages, the most viewed first. */
export interface PagesView extends ViewScope {
  /** Which view it is. */
  readonly view: "pages";
  /** Pages. */
  readonly rows: readonly (Omit<PageCounts, "bounces" | "engagedMs"> & {
    /** Share of the pageviews with consent. */
    readonly consentShare: number | null;
    /** Share of the entries that bounced; null without one. */
    readonly bounceRate: number | null;
    /** Mean engagement of its views with consent, in milliseconds; null where none was recorded. */
    readonly engagedMsPerView: number | null;
  })[];
  /** How many there are. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Omit<PagesView["rows"][number], "path" | "visitors"> | null;
}

/** A page. */
export type PageRow = PagesView["rows"][number];

/** Sources, those of the most sessions first. */
export interface SourcesView extends ViewScope {
  /** Which view it is. */
  readonly view: "sources";
  /** What they are grouped by. */
  readonly by: SourceGrouping;
  /** Whose source sessions are listed under: their own, or that of their visitor's first session in all that is kept. */
  readonly of: "session" | "first";
  /** Where sessions came from. */
  readonly rows: readonly (Omit<SourceCounts, "bounces"> & {
    /** Share of the landings that bounced; null without one. */
    readonly bounceRate: number | null;
  })[];
  /** How many there are. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Omit<SourcesView["rows"][number], "label" | "visitors"> | null;
}

/** Where sessions came from. */
export type SourceRow = SourcesView["rows"][number];

/** Steps, the most frequent first; with `step`, the values of one of its properties. */
export interface StepsView extends ViewScope {
  /** Which view it is. */
  readonly view: "steps";
  /** Steps. */
  readonly rows: readonly StepCounts[];
  /** How many there are. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Pick<StepCounts, "count"> | null;
  /** Values of a step; absent unless one was asked for. */
  readonly values?: {
    /** Name of the step. */
    readonly step: string;
    /** How long the parts are. */
    readonly unit: "hour" | "day" | "week";
    /** How often it happened, part by part. */
    readonly parts: readonly {
      /** When it begins on the clocks of the zone: a day, or `2026-01-31T14:00`. */
      readonly from: string;
      /** How often it happened. */
      readonly count: number;
      /** Distinct visitors who made it. */
      readonly visitors: number;
    }[];
    /** Notes of the days, the first day first. */
    readonly notes: readonly Note[];
    /** Its properties, the most frequent first, at most 50. */
    readonly keys: readonly string[];
    /** The property whose values are listed: the first one unless another was asked for; null for steps without properties. */
    readonly key: string | null;
    /** Values, the most frequent first. */
    readonly rows: readonly ValueCounts[];
    /** How many distinct ones there are. */
    readonly count: number;
    /** How many steps have other values than those listed; null where all are. */
    readonly other: Pick<ValueCounts, "count"> | null;
    /** What the numbers among them are; null where there is none. */
    readonly numbers: StepValues["numbers"];
  };
  /** What breaks the plan, the most frequent first; none with `step`. */
  readonly violations: readonly ViolationRow[];
  /** How many ways of breaking it there are. */
  readonly violationCount: number;
  /** Targets of the automatic events of `./auto` that lead somewhere, as far as there are such events; none with `step`. */
  readonly targets: readonly {
    /** Name of the event. */
    readonly step: "$outbound" | "$download" | "$form";
    /** The property that says where. */
    readonly key: "url" | "form" | "path";
    /** Its values, the most frequent first. */
    readonly rows: readonly ValueCounts[];
    /** How many distinct ones there are. */
    readonly count: number;
    /** How often others were led to; null where all are listed. */
    readonly other: Pick<ValueCounts, "count"> | null;
  }[];
}

/** The values of a step. */
export type StepValuesView = NonNullable<StepsView["values"]>;

/** A step in an hour, a day or a week. */
export type StepPart = StepValuesView["parts"][number];

/** Where an automatic event led to. */
export type TargetsView = StepsView["targets"][number];

/** The goals of the key, in their order there. */
export interface GoalsView extends ViewScope {
  /** Which view it is. */
  readonly view: "goals";
  /** What `before` is: as many days before, the same weekdays of the weeks before, or those a year ago. */
  readonly compare: "before" | "weeks" | "year";
  /** The days that were asked for. */
  readonly current: {
    /** First day. */
    readonly from: string;
    /** Last day, included. */
    readonly to: string;
    /** Distinct visitors, whatever they did. */
    readonly visitors: number;
  };
  /** What stands beside them. It ends at the same hour while they aren't over. */
  readonly before: GoalsView["current"];
  /** Goals; none where the key has none. */
  readonly rows: readonly {
    /** Name. */
    readonly name: string;
    /** What reaches it, for people to read: `page:/thanks/:order`. As a stage of a funnel write `goal:` and its name. */
    readonly event: string;
    /** In the days that were asked for. */
    readonly current: {
      /** Distinct visitors who reached it. */
      readonly visitors: number;
      /** How often it was reached. */
      readonly completions: number;
      /** Share of the visitors who reached it, 0 to 1; null without visitors. */
      readonly conversionRate: number | null;
      /** What the completions are worth together; null for a goal without a value. */
      readonly value: number | null;
    };
    /** In those beside them. */
    readonly before: GoalsView["rows"][number]["current"];
  }[];
}

/** A goal, beside the period before. */
export type GoalRow = GoalsView["rows"][number];

/** Counts of a goal. */
export type GoalCounts = GoalRow["current"];

/** A funnel: how many visitors came how far. */
export interface FunnelView extends ViewScope {
  /** Which view it is. */
  readonly view: "funnel";
  /** In which time the last stage has to follow the first. */
  readonly within: "session" | "1h" | "1d" | "7d" | "30d";
  /** How stages follow each other. */
  readonly order: Funnel["order"];
  /** The stages; none where none were asked for. */
  readonly stages: readonly {
    /** Distinct visitors who came that far. */
    readonly visitors: number;
    /** Median of the time since the stage before, in milliseconds; null for the first stage, and where nobody came that far. */
    readonly medianMs: number | null;
    /** What passes it, written as in the query: `page:/cart|step:checkout_started`. */
    readonly stage: string;
    /** Share of those who passed the first stage, 0 to 1; null without any. */
    readonly share: number | null;
  }[];
}

/** Retention: who comes back. */
export interface RetentionView extends ViewScope {
  /** Which view it is. */
  readonly view: "retention";
  /** How long the periods are. */
  readonly unit: "week" | "day" | "month";
  /** What counts as a return, written as in the query: `goal:Order`; absent where any event does. */
  readonly event?: string;
  /** Visitors by the period of their first event, a row each. */
  readonly cohorts: readonly {
    /** First day of the period. */
    readonly from: string;
    /** How many. */
    readonly size: number;
    /** How many of them have an event in this period, the next, and so on. */
    readonly returned: readonly number[];
  }[];
  /** Whether the last period isn't over yet, so that its numbers grow. */
  readonly isRunning: boolean;
}

/** Consent: what came with it and before it, side by side. */
export interface ConsentView extends ViewScope {
  /** Which view it is. */
  readonly view: "consent";
  /** What `before` is: as many days before, the same weekdays of the weeks before, or those a year ago. */
  readonly compare: "before" | "weeks" | "year";
  /** The days that were asked for. */
  readonly current: ConsentView["before"] & Omit<ConsentView["parts"][number], "from"> & {
    /** Pageviews that came from elsewhere. */
    readonly arrivals: ViewCounts;
    /** Pageviews an arrival before consent; null without one. */
    readonly viewsPerArrival: number | null;
    /** Pageviews a session that began with an arrival, with consent; null without one. */
    readonly viewsPerSession: number | null;
  };
  /** What stands beside them. */
  readonly before: ConsentShare & AcceptanceCounts & {
    /** First day. */
    readonly from: string;
    /** Last day, included. */
    readonly to: string;
    /** As that of `current`. */
    readonly acceptance: number | null;
  };
  /** How long the parts are. */
  readonly unit: "hour" | "day" | "week";
  /** Parts of `current`. */
  readonly parts: readonly (ConsentShare & AcceptanceCounts & {
    /** When it begins on the clocks of the zone. */
    readonly from: string;
    /**
     * The newly consented, divided by the arrivals before a choice: an estimate. It's null without any, and under filters
     * that leave none before consent. It is above 1 where more consent than are known to have arrived: then it estimates
     * nothing.
     */
    readonly acceptance: number | null;
  })[];
  /** Notes of `current`, the first day first. */
  readonly notes: readonly Note[];
  /** Pages, the most viewed first. */
  readonly pages: readonly (ConsentShare & {
    /** Path, or origin. */
    readonly label: string | null;
  })[];
  /** How many pages there are. */
  readonly pageCount: number;
  /** Origins that pageviews came from, those with the most first; null for those that named none. */
  readonly referrers: ConsentView["pages"];
  /** How many referrers there are. */
  readonly referrerCount: number;
}

/** Pageviews, and the share of those with consent. */
export interface ConsentShare {
  /** Pageviews. */
  readonly pageviews: ViewCounts;
  /** Share of those with consent, 0 to 1; null without any, and under filters that leave none before consent. */
  readonly consentShare: number | null;
}

/** Live: the last 30 minutes. The days are those of the zone that they are in. */
export interface LiveView extends ViewScope {
  /** Which view it is. */
  readonly view: "live";
  /** Distinct visitors with an event in the last 5 minutes. */
  readonly visitorsNow: number;
  /** The 30 minutes. */
  readonly current: SpanCounts;
  /** Each of them, the oldest first. */
  readonly parts: OverviewView["parts"];
  /** Pages, the most viewed first. */
  readonly pages: PagesView["rows"];
  /** What sources are grouped by. */
  readonly by: SourceGrouping;
  /** Sources of the sessions that began, those of the most sessions first. */
  readonly sources: SourcesView["rows"];
  /** Steps, the most frequent first. */
  readonly steps: readonly StepCounts[];
}

/** All sites of a key beside each other. */
export interface SitesView extends Omit<ViewScope, "site"> {
  /** Which view it is. */
  readonly view: "sites";
  /** What `before` is: as many days before, the same weekdays of the weeks before, or those a year ago. */
  readonly compare: "before" | "weeks" | "year";
  /** Sites, the most viewed first: at most 50, of more those with the most events. */
  readonly rows: readonly (SiteCounts & {
    /** Its origin; empty for events that are of no site. */
    readonly site: string;
    /** The same of what stands beside the days. */
    readonly before: SiteCounts;
  })[];
  /** How many there are. */
  readonly count: number;
}

/** Counts of a site. */
export interface SiteCounts extends ConsentShare {
  /** Distinct visitors. */
  readonly visitors: number;
  /** Sessions that began. */
  readonly sessions: number;
}

/** A site. */
export type SiteRow = SitesView["rows"][number];

/** One visitor or user. */
export interface PersonView extends Pick<ViewScope, "site" | "counted"> {
  /** Which view it is. */
  readonly view: "person";
  /** Whose events they are. */
  readonly of: {
    /** Id of a visitor's browser. */
    readonly anonymousId: string;
  } | {
    /** Id of a user, as the site gave it to `identify()`. */
    readonly userId: string;
  };
  /** Their newest events on the site, as they are stored, the newest first. */
  readonly events: readonly StoredEvent[];
  /** Command that erases what is stored of them under the key. */
  readonly eraseCommand: string;
}

/** What visitors view and do most. */
export interface FrequentNames {
  /** Paths, the most viewed first. */
  readonly pages: readonly string[];
  /** Names of steps, the most frequent first. */
  readonly steps: readonly string[];
}

/** Any of the views. */
export type AnyView =
  | OverviewView
  | PagesView
  | SourcesView
  | StepsView
  | GoalsView
  | FunnelView
  | RetentionView
  | ConsentView
  | LiveView
  | SitesView
  | PersonView;

/** What is asked for, and of which events. */
export interface ViewRequest extends Omit<ViewQuery, "view"> {
  /** Publishable key that the events were sent with. */
  readonly apiKey: string;
  /** Origin of the site. */
  readonly site: string;
  /** Other origins of the key. */
  readonly ownOrigins: readonly string[];
  /** How paths are written. */
  readonly pathRules: PathRules;
  /** Goals of the key. */
  readonly goals: Goals;
  /** Notes of the site and the days. */
  readonly notes: readonly Note[];
  /** Pageviews a month that the key may send; null for no limit. */
  readonly allowance: number | null;
}

/** Makes the views of a report. */
export interface Views {
  /** Counts visitors, pageviews and sessions. */
  overview(request: ViewRequest): Promise<OverviewView>;
  /** Counts the days that were asked for, without their parts. */
  totals(request: ViewRequest): Promise<VisitCounts>;
  /** Lists pages. */
  pages(request: ViewRequest, rows: number): Promise<PagesView>;
  /** Lists sources. */
  sources(request: ViewRequest, rows: number): Promise<SourcesView>;
  /** Lists steps, and the values of one. */
  steps(request: ViewRequest, rows: number): Promise<StepsView>;
  /** Counts how often goals are reached. */
  goals(request: ViewRequest): Promise<GoalsView>;
  /** Names the most frequent pages and steps of the last of the days, whatever the filters. */
  names(request: ViewRequest, rows: number): Promise<FrequentNames>;
  /** Counts how many visitors come how far. */
  funnel(request: ViewRequest): Promise<FunnelView>;
  /** Counts how many visitors come back. */
  retention(request: ViewRequest): Promise<RetentionView>;
  /** Compares what came with consent and before it. */
  consent(request: ViewRequest, rows: number): Promise<ConsentView>;
  /** Counts the last 30 minutes. */
  live(request: ViewRequest, rows: number): Promise<LiveView>;
  /** Compares sites of the key, of which these are listed. */
  sites(request: ViewRequest, sites: readonly string[]): Promise<SitesView>;
  /** Reads the newest events of somebody. */
  person(of: Pick<ViewRequest, "apiKey" | "site"> & { readonly person: PersonId }, rows: number): Promise<PersonView>;
}

const MINUTE_MS = 60_000;

/** How many minutes the live view has, and how many of them are now. */
const [LIVE_MINUTES, NOW_MINUTES] = [30, 5] as const;

/** In how much time names are looked for: those of a year would cost more than the funnel that they are for. */
const NAMES_MS = 30 * 24 * 60 * MINUTE_MS;

/** Most sites that stand beside each other, and how many of them are counted at a time. */
const [MAX_COMPARED_SITES, SITES_AT_ONCE] = [50, 5] as const;

/** Most rows of a list. */
export const MAX_ROWS = 10_000;

const NOT_REACHED: GoalCounts = { visitors: 0, completions: 0, conversionRate: null, value: null };

/** Creates the views of what a store has. */
export function createViews(reader: ReportReader, now: () => number): Views {
  async function readScope({ site, from, to, zone, traffic, filters }: ViewRequest): Promise<ViewScope> {
    return { site, from, to, zone: zone.name, traffic, filters, counted: await reader.progress() };
  }

  async function readPeriods(request: ViewRequest): Promise<ReadPeriods> {
    const { current, before, unit } = findPeriods(request, now());
    return {
      current: { period: current, ...await reader.overview(toQuery(request, current), current.bounds) },
      before: { period: before, ...await reader.overview(toQuery(request, before), before.bounds) },
      unit,
    };
  }

  return {
    async overview(request) {
      const { current, before, unit } = await readPeriods(request);
      const month = monthOf(toDay(now()));
      return {
        view: "overview",
        ...await readScope(request),
        compare: request.compare,
        current: toPeriodCounts(current, request),
        before: toPeriodCounts(before, request),
        unit,
        parts: toParts(current, { ...request, unit }),
        partsBefore: toParts(before, { ...request, unit }),
        notes: request.notes,
        flagged: await reader.countFlagged(toQuery(request, current.period)),
        allowance: { month, used: await reader.countPageviews(request.apiKey, month), limit: request.allowance },
      };
    },
    async totals(request) {
      return (await reader.overview(toQuery(request, findPeriods(request, now()).current), [])).total;
    },
    async pages(request, rows) {
      const listed = await reader.pages(toQuery(request, findPeriods(request, now()).current), rows);
      return {
        view: "pages",
        ...await readScope(request),
        rows: listed.rows.map((row) => toPageRow(row, request)),
        count: listed.count,
        other: listed.other && toPageRow(listed.other, request),
      };
    },
    async sources(request, rows) {
      const { by, of } = request;
      const listed = await reader.sources(toQuery(request, findPeriods(request, now()).current), { by, of }, rows);
      return {
        view: "sources",
        ...await readScope(request),
        by,
        of,
        rows: listed.rows.map((row) => toSourceRow(row)),
        count: listed.count,
        other: listed.other && toSourceRow(listed.other),
      };
    },
    async steps(request, rows) {
      const { current, unit } = findPeriods(request, now());
      const query = toQuery(request, current);
      const listed = await reader.steps(query, rows);
      const { step, key, zone } = request;
      const values = step === undefined ? undefined : {
        step,
        unit,
        parts: await readStepParts(reader, { query, step, bounds: current.bounds, zone, unit }),
        notes: request.notes,
        ...await readValues(reader, { query, step, key, rows }),
      };
      const violations = step === undefined ? await reader.violations(query, rows) : undefined;
      return {
        view: "steps",
        ...await readScope(request),
        rows: listed.rows,
        count: listed.count,
        other: listed.other,
        ...(values !== undefined && { values }),
        violations: violations?.rows ?? [],
        violationCount: violations?.count ?? 0,
        targets: step === undefined ? await readTargets(reader, { query, rows, listed }) : [],
      };
    },
    async goals(request) {
      const { current, before } = findPeriods(request, now());
      const ofDays = await readGoals(reader, request, current);
      const ofBefore = await readGoals(reader, request, before);
      return {
        view: "goals",
        ...await readScope(request),
        compare: request.compare,
        current: ofDays.period,
        before: ofBefore.period,
        rows: Object.entries(request.goals).map(([name, goal], index) => ({
          name,
          event: writeStage([toGoalEvent(goal, request.pathRules)]),
          current: ofDays.counts[index] ?? NOT_REACHED,
          before: ofBefore.counts[index] ?? NOT_REACHED,
        })),
      };
    },
    async names(request, rows) {
      const { startMs, endMs: lastMs } = findPeriods(request, now()).current;
      const endMs = Math.max(startMs, Math.min(lastMs, now()));
      const query = toQuery({ ...request, filters: [] }, { startMs: Math.max(startMs, endMs - NAMES_MS), endMs });
      const [pages, steps] = await Promise.all([reader.pages(query, rows), reader.steps(query, rows)]);
      return { pages: pages.rows.map(({ path }) => path), steps: steps.rows.map(({ name }) => name) };
    },
    async funnel(request) {
      const { stages, within, order } = request;
      const query = toQuery(request, findPeriods(request, now()).current);
      const counted = stages.length === 0
        ? []
        : await reader.funnel(query, { stages: resolveStages(stages, request), within: toWithin(within), order });
      return {
        view: "funnel",
        ...await readScope(request),
        within,
        order,
        stages: counted.map(({ visitors, medianMs }, index) => ({
          stage: writeStage(stages[index] ?? []),
          visitors,
          share: divide(visitors, counted[0]?.visitors ?? 0),
          medianMs,
        })),
      };
    },
    async retention(request) {
      const { unit, event, zone } = request;
      const today = toZoneDay(zone, now());
      // Nobody was first seen in what is to come.
      const days = listPeriods(unit, request).filter((_, index, all) => index < 2 || (all[index - 1] ?? "") <= today);
      const bounds = days.map((day) => startOfDay(zone, day));
      const { apiKey, site, traffic, ownOrigins, pathRules } = request;
      const filters = resolveFilters(request.filters, request);
      const cohorts = await reader.retention({ apiKey, site, traffic, filters, ownOrigins, pathRules }, {
        bounds,
        ...(event !== undefined && { returns: resolveStages([event], request).flat() }),
      });
      return {
        view: "retention",
        ...await readScope(request),
        unit,
        ...(event !== undefined && { event: writeStage(event) }),
        cohorts: cohorts.map(({ size, returned }, index) => ({ from: days[index] ?? "", size, returned })),
        isRunning: now() < (bounds.at(-1) ?? 0),
      };
    },
    async consent(request, rows) {
      const { current, before, unit } = await readPeriods(request);
      const query = toQuery(request, current.period);
      const pages = await reader.pages(query, rows);
      // Aggregates name no campaign (SPEC 2.5), so that by channel or source the two kinds wouldn't compare.
      const sources = await reader.sources(query, { by: "referrer" }, MAX_ROWS);
      const referrers = sources.rows.filter(({ views }) => count(views) > 0);
      const arrivals = sum(
        [...referrers, ...(sources.other === null ? [] : [sources.other])].map(({ views }) => views),
      );
      const { pageviews, landings, landingViews } = current.total;
      const [acceptedBefore, accepted] = await readAcceptance(reader, query, { current, before });
      return {
        view: "consent",
        ...await readScope(request),
        compare: request.compare,
        current: {
          ...toConsentPeriod(current, request),
          ...toAcceptance(accepted, request),
          arrivals,
          viewsPerArrival: divide(pageviews.aggregate, arrivals.aggregate),
          viewsPerSession: divide(landingViews, landings),
        },
        before: { ...toConsentPeriod(before, request), ...toAcceptance(acceptedBefore, request) },
        unit,
        parts: toParts(current, { ...request, unit }).map(({ from, pageviews, consentShare }, index) => ({
          from,
          pageviews,
          consentShare,
          ...toAcceptance(accepted.slice(index, index + 1), request),
        })),
        notes: request.notes,
        pages: pages.rows.map(({ path, views }) => ({ label: path, ...toConsentShare(views, request.filters) })),
        pageCount: pages.count,
        referrers: referrers.toSorted((one, other) => count(other.views) - count(one.views)).slice(0, rows)
          .map(({ label, views }) => ({ label, ...toConsentShare(views, request.filters) })),
        referrerCount: referrers.length + sources.count - sources.rows.length,
      };
    },
    async live(request, rows) {
      const { zone, by, filters } = request;
      const endMs = now();
      const startMs = endMs - LIVE_MINUTES * MINUTE_MS;
      const bounds = Array.from({ length: LIVE_MINUTES + 1 }, (_, minute) => startMs + minute * MINUTE_MS);
      const query = toQuery(request, { startMs, endMs });
      const [{ total, parts }, { total: { visitors } }, pages, sources, steps] = await Promise.all([
        reader.overview(query, bounds),
        reader.overview({ ...query, from: endMs - NOW_MINUTES * MINUTE_MS }, []),
        reader.pages(query, rows),
        reader.sources(query, { by }, rows),
        reader.steps(query, rows),
      ]);
      return {
        view: "live",
        ...await readScope({ ...request, from: toZoneDay(zone, startMs), to: toZoneDay(zone, endMs) }),
        visitorsNow: visitors,
        current: toSpanCounts(total, { startMs, endMs, filters }),
        parts: toParts({ period: { bounds }, parts }, { zone, unit: "minute", filters }),
        pages: pages.rows.map((row) => toPageRow(row, request)),
        by,
        sources: sources.rows.filter(({ sessions }) => sessions > 0).map((row) => toSourceRow(row)),
        steps: steps.rows,
      };
    },
    async sites(request, sites) {
      const { current, before } = findPeriods(request, now());
      const { site: _, ...scope } = await readScope(request);
      const largest = sites.length > MAX_COMPARED_SITES ? await reader.sites(request.apiKey) : [];
      const compared = [...new Set([...largest.filter((site) => sites.includes(site)), ...sites])]
        .slice(0, MAX_COMPARED_SITES);
      const readSite = async (site: string, period: Period): Promise<SiteCounts> => {
        const { total } = await reader.overview(toQuery({ ...request, site }, period), []);
        const { visitors, sessions, pageviews } = total;
        return { visitors, sessions, ...toConsentShare(pageviews, request.filters) };
      };
      const rows: SiteRow[] = [];
      for (let start = 0; start < compared.length; start += SITES_AT_ONCE) {
        rows.push(
          ...await Promise.all(
            compared.slice(start, start + SITES_AT_ONCE).map(async (site) => {
              const [counts, countsBefore] = await Promise.all([readSite(site, current), readSite(site, before)]);
              return { site, ...counts, before: countsBefore };
            }),
          ),
        );
      }
      return {
        view: "sites",
        ...scope,
        compare: request.compare,
        rows: rows.toSorted((one, other) => count(other.pageviews) - count(one.pageviews)),
        count: sites.length,
      };
    },
    async person({ apiKey, site, person }, rows) {
      const events = await reader.person({ apiKey, site, ...person }, rows);
      const eraseCommand = writeEraseCommand(apiKey, person);
      return { view: "person", site, counted: await reader.progress(), of: person, events, eraseCommand };
    },
  };
}

interface ReadPeriod {
  readonly period: Period;
  readonly total: OverviewCounts;
}

interface ReadParts extends ReadPeriod {
  readonly parts: readonly VisitCounts[];
}

interface ReadPeriods {
  readonly current: ReadParts;
  readonly before: ReadParts;
  readonly unit: PartUnit;
}

interface ValuesQuery {
  readonly query: ReportQuery;
  readonly step: string;
  readonly key: string | undefined;
  readonly rows: number;
}

interface PartsQuery {
  readonly query: ReportQuery;
  readonly step: string;
  readonly bounds: readonly number[];
  readonly zone: Zone;
  readonly unit: PartUnit;
}

/** Reads how often a step happened, part by part. */
async function readStepParts(
  reader: ReportReader,
  { query, step, bounds, zone, unit }: PartsQuery,
): Promise<readonly StepPart[]> {
  const [{ parts } = { parts: [] }] = await reader.countEvents(query, [{ event: { step } }], bounds);
  return parts.map(({ count, visitors }, index) => ({
    from: formatStart(bounds[index] ?? 0, { zone, unit }),
    count,
    visitors,
  }));
}

/** Writes when a part begins on the clocks of a zone. */
function formatStart(
  startMs: number,
  { zone, unit }: { readonly zone: Zone; readonly unit: PartUnit | "minute" },
): string {
  const day = toZoneDay(zone, startMs);
  return unit === "day" || unit === "week" ? day : `${day}T${formatClock(zone, startMs)}`;
}

/** Reads the values of a property; without a key, those of the most frequent one. */
async function readValues(
  reader: ReportReader,
  { query, step, key, rows }: ValuesQuery,
): Promise<Omit<StepValuesView, "step" | "unit" | "parts" | "notes">> {
  const chosen = key ?? (await reader.stepValues(query, { step }, 1)).keys[0];
  if (chosen === undefined) return { keys: [], key: null, rows: [], count: 0, other: null, numbers: null };
  const { keys, values, distinct, other, numbers } = await reader.stepValues(query, { step, key: chosen }, rows);
  const summed = numbers && { ...numbers, sum: limit(numbers.sum) };
  return { keys, key: chosen, rows: values, count: distinct, other, numbers: summed };
}

interface ReadGoals {
  readonly period: GoalsView["current"];
  readonly counts: readonly GoalCounts[];
}

async function readGoals(reader: ReportReader, request: ViewRequest, period: Period): Promise<ReadGoals> {
  const query = toQuery(request, period);
  const goals = Object.values(request.goals);
  const events = goals.map((goal): CountedEvent => ({
    event: toGoalEvent(goal, request.pathRules),
    ...(typeof goal.value === "string" && { sumOf: goal.value }),
  }));
  const { total: { visitors } } = await reader.overview(query, []);
  const counted = await reader.countEvents(query, events, []);
  return {
    period: { from: period.from, to: period.to, visitors },
    counts: counted.map(({ total }, index) => ({
      visitors: total.visitors,
      completions: total.count,
      conversionRate: divide(total.visitors, visitors),
      value: sumValue(goals[index]?.value, total),
    })),
  };
}

function sumValue(value: Goal["value"], { count, sum }: EventTotals): number | null {
  if (value === undefined) return null;
  return limit(typeof value === "number" ? value * count : sum);
}

/** JSON has no infinity: a sum of huge numbers is the largest one. */
function limit(sum: number): number {
  return Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/** Automatic events that lead somewhere, and the properties that say where: the first that there is. */
const TARGET_KEYS: Readonly<Record<TargetsView["step"], readonly TargetsView["key"][]>> = {
  $outbound: ["url"],
  $download: ["url"],
  $form: ["form", "path"],
};

/** What is asked of all targets. */
interface TargetsQuery {
  readonly query: ReportQuery;
  readonly rows: number;
  /** The steps that there are. */
  readonly listed: Listed<StepCounts>;
}

/** Reads where automatic events led to. */
async function readTargets(reader: ReportReader, { query, rows, listed }: TargetsQuery): Promise<TargetsView[]> {
  const mayHave = (name: string): boolean =>
    listed.count > listed.rows.length || listed.rows.some((row) => row.name === name);
  const targets: TargetsView[] = [];
  for (const step of ["$outbound", "$download", "$form"] as const) {
    if (!mayHave(step)) continue;
    for (const key of TARGET_KEYS[step]) {
      const { values, distinct, other } = await reader.stepValues(query, { step, key }, rows);
      if (distinct === 0) continue;
      targets.push({ step, key, rows: values, count: distinct, other });
      break;
    }
  }
  return targets;
}

function toPageRow<T extends Omit<PageCounts, "path" | "visitors">>(
  { bounces, engagedMs, ...row }: T,
  { filters }: Ways,
): Omit<T, "bounces" | "engagedMs"> & Pick<PageRow, "consentShare" | "bounceRate" | "engagedMsPerView"> {
  const { consentShare } = toConsentShare(row.views, filters);
  const engagedMsPerView = engagedMs === 0 || row.views.full === 0 ? null : Math.round(engagedMs / row.views.full);
  return { ...row, consentShare, bounceRate: divide(bounces, row.entries), engagedMsPerView };
}

function toSourceRow<T extends Omit<SourceCounts, "label" | "visitors">>(
  { bounces, ...row }: T,
): Omit<T, "bounces"> & Pick<SourceRow, "bounceRate"> {
  return { ...row, bounceRate: divide(bounces, row.landings) };
}

function toQuery(request: ViewRequest, { startMs, endMs }: Pick<Period, "startMs" | "endMs">): ReportQuery {
  const { apiKey, site, traffic, ownOrigins, pathRules } = request;
  const filters = resolveFilters(request.filters, request);
  return { apiKey, site, traffic, from: startMs, to: endMs, filters, ownOrigins, pathRules };
}

interface Ways {
  readonly filters: readonly ReportFilter[];
}

function toPeriodCounts({ period, total }: ReadPeriod, ways: Ways): PeriodCounts {
  const { from, to, startMs, endMs } = period;
  const { medianSessionMs } = total;
  return { from, to, ...toSpanCounts(total, { startMs, endMs, ...ways }), medianSessionMs };
}

function toConsentPeriod(
  { period: { from, to }, total }: ReadPeriod,
  { filters }: Ways,
): ConsentShare & Pick<ConsentView["before"], "from" | "to"> {
  return { from, to, ...toConsentShare(total.pageviews, filters) };
}

function toParts(
  { period: { bounds }, parts }: Pick<ReadParts, "parts"> & { readonly period: Pick<Period, "bounds"> },
  { zone, unit, filters }: Ways & { readonly zone: Zone; readonly unit: PartUnit | "minute" },
): readonly PartCounts[] {
  return parts.map((part, index) => {
    const [startMs = 0, endMs = 0] = bounds.slice(index);
    return { from: formatStart(startMs, { zone, unit }), ...toSpanCounts(part, { startMs, endMs, filters }) };
  });
}

function toSpanCounts(
  { pageviews, visitors, users, sessions, landings, landingViews, bounces, instantSessions }: VisitCounts,
  { startMs, endMs, filters }: Ways & { readonly startMs: number; readonly endMs: number },
): SpanCounts {
  return {
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    ...toConsentShare(pageviews, filters),
    visitors,
    users,
    sessions,
    landings,
    viewsPerSession: divide(landingViews, landings),
    bounceRate: divide(bounces, landings),
    instantSessions,
  };
}

function toConsentShare(pageviews: ViewCounts, filters: readonly ReportFilter[]): ConsentShare {
  const { full, aggregate } = pageviews;
  return { pageviews, consentShare: keepsAggregates(filters) ? divide(full, full + aggregate) : null };
}

/** Reads who accepts, in the period before and in each part of the days, at once: most of the work is to find who is new. */
async function readAcceptance(
  reader: ReportReader,
  query: ReportQuery,
  { current, before }: Pick<ReadPeriods, "current" | "before">,
): Promise<readonly [readonly AcceptanceCounts[], readonly AcceptanceCounts[]]> {
  const [{ startMs, endMs }, { bounds }] = [before.period, current.period];
  if (endMs > query.from) { // a year beside the 364 days before
    return [
      await reader.acceptance({ ...query, from: startMs, to: endMs }, [startMs, endMs]),
      await reader.acceptance(query, bounds),
    ];
  }
  const isApart = endMs < query.from || bounds.length === 0;
  const spans = await reader.acceptance({ ...query, from: startMs }, [startMs, ...(isApart ? [endMs] : []), ...bounds]);
  return [spans.slice(0, 1), spans.slice(isApart ? 2 : 1)];
}

function toAcceptance(
  parts: readonly AcceptanceCounts[],
  { filters }: Ways,
): AcceptanceCounts & Pick<ConsentView["current"], "acceptance"> {
  const newlyConsented = parts.reduce((total, part) => total + part.newlyConsented, 0);
  const arrivalsBeforeChoice = parts.reduce((total, part) => total + part.arrivalsBeforeChoice, 0);
  const acceptance = keepsAggregates(filters) ? divide(newlyConsented, arrivalsBeforeChoice) : null;
  return { newlyConsented, arrivalsBeforeChoice, acceptance };
}

/** Divides; null where there is nothing to divide by. */
export function divide(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function count({ full, aggregate }: ViewCounts): number {
  return full + aggregate;
}

function sum(views: readonly ViewCounts[]): ViewCounts {
  return {
    full: views.reduce((total, { full }) => total + full, 0),
    aggregate: views.reduce((total, { aggregate }) => total + aggregate, 0),
  };
}
