/**
 * The port between the reports and the store that counts for them. docs/reports.md defines each number; every store
 * gives the same ones for the same events.
 *
 * @module
 */
import type { ViolationKind } from "@vendor/sdk/contract";
import type { PathRules } from "../events/path_rules.ts";
import type { EventFlag, StoredEvent } from "../events/stored_event.ts";

/** Whose events a view counts. */
export type Traffic = ReportQuery["traffic"];

/** Each {@linkcode Traffic}. */
export const TRAFFICS: readonly Traffic[] = ["people", "bots", "own"];

/** The flag that the events of each have; empty for none. */
export const TRAFFIC_FLAGS: Readonly<Record<Traffic, EventFlag | "">> = { people: "", bots: "bot", own: "own" };

/** Name of a filter. */
export type FilterName = ReportFilter["name"];

/**
 * Filters that choose events, and with them the sessions that have one of those. Under `page` aggregate pageviews of the page
 * stay; under any other filter there are none, since they have neither session nor screen.
 */
export const EVENT_FILTERS: readonly FilterName[] = ["page", "screen", "signedIn"];

/** Returns whether filters leave pageviews before consent: of all that filters choose by, those have a page alone. */
export function keepsAggregates(filters: readonly ReportFilter[]): boolean {
  return filters.every(({ name }) => name === "page");
}

/** By what sessions are grouped that came from somewhere. */
export type SourceDimension = "channel" | "source" | "referrer" | "medium" | "campaign" | "term" | "content";

/** Each {@linkcode SourceDimension}. */
export const SOURCE_DIMENSIONS: readonly SourceDimension[] = [
  "channel",
  "source",
  "referrer",
  "medium",
  "campaign",
  "term",
  "content",
];

/** By what sources are listed: a {@linkcode SourceDimension}, or `landing`, the page that a session began on. */
export type SourceGrouping = SourceDimension | "landing";

/** Each {@linkcode SourceGrouping}. */
export const SOURCE_GROUPINGS: readonly SourceGrouping[] = [...SOURCE_DIMENSIONS, "landing"];

/** Classes of screens, by their width in CSS pixels: under 576, under 992, under 1440, and the others. */
export const SCREEN_CLASSES = ["phone", "tablet", "laptop", "desktop"] as const;

/** Narrows a view. Filters of a view hold together: what is counted fulfils each of them. */
export interface ReportFilter {
  /** Its name. Those of pages, screens and whether somebody is signed in choose events, the others whole sessions. */
  readonly name:
    | "page"
    | "screen"
    | "signedIn"
    | "entry"
    | "exit"
    | SourceDimension
    | "step"
    | "property"
    | "goal";
  /**
   * Any of these: page, entry and exit take paths as the report lists them; `step` names; `signedIn` "yes" or "no"; sources
   * their labels, "" for those without one; `property` values as JSON, `"pro"` or `3`.
   */
  readonly values: readonly string[];
  /** Patterns of paths, alternatives to `values`. Only with page, entry and exit; the reports fill it in. */
  readonly patterns?: readonly string[];
  /** Name of the property; present with `property` alone. */
  readonly key?: string;
  /** Name of the step that has the property; any step where it's absent. Only with `property`. */
  readonly step?: string;
  /** The events that reach one of the goals that `values` names. Only with `goal`; the reports fill it in. */
  readonly events?: readonly FunnelEvent[];
}

/** The query of a view. Times are in milliseconds since the Unix epoch. */
export interface ReportQuery {
  /** Publishable key that the events were sent with. */
  readonly apiKey: string;
  /** Origin of the pages. */
  readonly site: string;
  /**
   * Whose events: those without a flag, those of crawlers, or those of the site's own people. A session with events of two
   * kinds counts as two sessions.
   */
  readonly traffic: "people" | "bots" | "own";
  /** Time of the first event. */
  readonly from: number;
  /** Time of the end; an event of that time isn't counted. */
  readonly to: number;
  /** Filters; none by default. */
  readonly filters: readonly ReportFilter[];
  /** Origins of the key, as `toReferrerText()` writes them: who comes from there comes from nowhere. */
  readonly ownOrigins: readonly string[];
  /** Rules by which paths are written. */
  readonly pathRules: PathRules;
}

/** Pageviews of both forms. */
export interface ViewCounts {
  // SPEC 3
  /** Recorded with consent. */
  readonly full: number;
  // SPEC 2.8
  /** Recorded before consent, without visitor or session. */
  readonly aggregate: number;
}

/** The events of a span of time, counted. */
export interface VisitCounts {
  /** Pageviews. */
  readonly pageviews: ViewCounts;
  /** Distinct anonymous ids of full events. */
  readonly visitors: number;
  /** Distinct user ids of full events. */
  readonly users: number;
  /** Sessions whose first event is in the span. */
  readonly sessions: number;
  /** Those of them that begin with a pageview that comes from elsewhere; of these alone are `landingViews` and `bounces`. */
  readonly landings: number;
  /** Pageviews of the landings, whenever they were. */
  readonly landingViews: number;
  /** Landings with one pageview, no step and less than 10 s of engagement. */
  readonly bounces: number;
  /** Sessions that have nothing but pageviews of one moment: they show no sign of a person. */
  readonly instantSessions: number;
}

/** A page. */
export interface PageCounts {
  /** Path, or the pattern that it fits. */
  readonly path: string;
  /** Its pageviews. */
  readonly views: ViewCounts;
  /** Distinct visitors who viewed it with consent. */
  readonly visitors: number;
  /** Landings whose first pageview it is. */
  readonly entries: number;
  /** Sessions whose last pageview it is. */
  readonly exits: number;
  /** Bounces of the entries. */
  readonly bounces: number;
  /** Milliseconds of engagement with it, of all visitors together. */
  readonly engagedMs: number;
}

/** Who had a choice to make, and who consented. */
export interface AcceptanceCounts {
  /** Visitors who were first seen: people who consented, and had not before as far as is known. */
  readonly newlyConsented: number;
  /**
   * Pageviews from elsewhere of people who hadn't chosen: those before consent, and those that are a visitor's first event,
   * which were recorded in full because consent was given on them.
   */
  readonly arrivalsBeforeChoice: number;
}

/** Where sessions came from. */
export interface SourceCounts {
  /**
   * Label: a channel, an origin, a campaign…; null for sessions without one. By `landing` it's the path, or the pattern that it
   * fits, of a landing's first pageview; null for sessions that are no landings.
   */
  readonly label: string | null;
  /** Pageviews that came from there themselves; by `landing`, those of the page that came from elsewhere. */
  readonly views: ViewCounts;
  /** Sessions from there. */
  readonly sessions: number;
  /** Distinct visitors of the sessions, each by its first event. */
  readonly visitors: number;
  /** Landings among the sessions. */
  readonly landings: number;
  /** Bounces among them. */
  readonly bounces: number;
}

/** Steps of one name. */
export interface StepCounts {
  /** Name. */
  readonly name: string;
  /** Number of them. */
  readonly count: number;
  /** Distinct visitors who made one. */
  readonly visitors: number;
}

/** A value of a step's property. */
export interface ValueCounts {
  /** The value: `1` and `"1"` are two. */
  readonly value: string | number | boolean | null;
  /** Number of steps that have it. */
  readonly count: number;
  /** Distinct visitors who made one of them. */
  readonly visitors: number;
}

/** The values of a property of a step. */
export interface StepValues {
  /** Names of the step's properties with a scalar value, the most frequent first, at most 50. */
  readonly keys: readonly string[];
  /** The values of the property that was asked for, the most frequent first. */
  readonly values: readonly ValueCounts[];
  /** Number of distinct values. */
  readonly distinct: number;
  /** Number of steps with other values than those listed; null where all are. */
  readonly other: Pick<ValueCounts, "count"> | null;
  /** Sums and ranks of the numbers among them; null where there is none. */
  readonly numbers: {
    /** Number of them. */
    readonly count: number;
    /** Their sum. */
    readonly sum: number;
    /** Median by nearest rank. */
    readonly median: number;
    /** 75th percentile by nearest rank, as web vitals are judged by. */
    readonly p75: number;
    /** 90th percentile by nearest rank. */
    readonly p90: number;
  } | null;
}

/** The numbers among the values of a property. */
export type NumberCounts = NonNullable<StepValues["numbers"]>;

/** An event that passes a stage of a funnel: a page, or a step, or a step with this value of a property. */
export type FunnelEvent =
  | {
    /** Path, as the report lists it. */
    readonly page: string;
  }
  | {
    /** Pattern of paths, as {@linkcode PathRules} has them. */
    readonly pages: string;
  }
  | {
    /** Name of a step. */
    readonly step: string;
    /** The property that the step has to have. */
    readonly property?: {
      /** Name of the property. */
      readonly key: string;
      /** Its value, as JSON. */
      readonly value: string;
    };
  };

/** Counts of events. */
export interface EventTotals {
  /** Number of them, with consent. */
  readonly count: number;
  /** Distinct visitors who made one. */
  readonly visitors: number;
  /** Sum of the property's numbers; 0 where none is summed. */
  readonly sum: number;
}

/** A way that visitors are to take. */
export interface Funnel {
  /** 2 to 8 stages, each passed by any of its events. */
  readonly stages: readonly (readonly FunnelEvent[])[];
  /** In which time the last stage has to follow the first: within one session, or so many milliseconds. */
  readonly within: "session" | number;
  /**
   * How stages follow each other: in their order with anything between (`sequential`), with no other pageview or step
   * between (`strict`), or in any order after the first, but with the last at the end (`flexible`).
   */
  readonly order: "sequential" | "strict" | "flexible";
}

/** Rows of a list, the largest first. */
export interface Listed<T> {
  /** At most as many as asked for. */
  readonly rows: readonly T[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of what the rows leave out, but for visitors, who don't add up; null where they leave out nothing. */
  readonly other: Omit<T, "path" | "label" | "name" | "kind" | "visitors"> | null;
}

/** Which rows of a list, and in which order. */
export interface ListChoice<C extends string = string> {
  /**
   * Column that they are sorted by. What has nothing there comes last; equal ones are in the usual order.
   *
   * @default {the order that the function says}
   */
  readonly sort?: C;
  /**
   * Whether the smallest come first.
   *
   * @default {false}
   */
  readonly isAscending?: boolean;
  /** Text that each has in its name, in any case, as it is or percent-encoded. */
  readonly contains?: string;
  /** Names of those that are listed, a value as JSON; any where it's absent. What is without a name has "". */
  readonly names?: readonly string[];
  /**
   * How many are passed over.
   *
   * @default {0}
   */
  readonly skip?: number;
}

/** Each {@linkcode PageColumn}. */
export const PAGE_COLUMNS: readonly PageColumn[] = [
  "path",
  "views",
  "visitors",
  "consentShare",
  "entries",
  "exits",
  "bounceRate",
  "engagedMsPerView",
];

/** Each {@linkcode SourcesColumn}. */
export const SOURCE_COLUMNS: readonly SourcesColumn[] = [
  "label",
  "views",
  "sessions",
  "visitors",
  "landings",
  "bounceRate",
];

/** Each {@linkcode StepColumn}. */
export const STEP_COLUMNS: readonly StepColumn[] = ["name", "count", "visitors"];

/** Most sites that a reader lists: where any origin may send, a sender may make up any number of them. */
export const MAX_SITES = 1000;

/** Most names of a step's properties that are listed. */
export const MAX_PROPERTY_KEYS = 50;

/** Farther from the Unix epoch than any event, in milliseconds. */
export const FARTHEST_MS = 9e15;

/** Reads what was stored, for the reports. */
export interface ReportReader {
  /** Returns the origins that a key has events of, flagged ones included, those with the most events first, at most 1000. */
  sites(apiKey: string): Promise<readonly string[]>;
  /** Returns how many pageviews of a key, of any site, flagged ones included, arrived in a month in UTC, `2026-01`. */
  countPageviews(apiKey: string, month: string): Promise<number>;
  /**
   * Returns the time of a site's newest event, whatever its flag, in milliseconds since the Unix epoch; undefined for a site
   * without events.
   */
  lastTime(of: Pick<ReportQuery, "apiKey" | "site">): Promise<number | undefined>;
  /**
   * Counts a whole range, and its parts.
   *
   * @param bounds Where the parts begin and end, ascending: two times for one part, none for no part.
   */
  overview(query: ReportQuery, bounds: readonly number[]): Promise<{
    readonly total: VisitCounts & {
      /** Median of the lengths of sessions with two events or more, by nearest rank, in milliseconds; null where there is none. */
      readonly medianSessionMs: number | null;
    };
    readonly parts: readonly VisitCounts[];
  }>;
  /** Counts the flagged pageviews of a range. */
  countFlagged(query: Pick<ReportQuery, "apiKey" | "site" | "from" | "to">): Promise<
    Readonly<Record<"bots" | "own", ViewCounts>>
  >;
  /** Counts pages: by pageviews of both forms, then by path. */
  pages(
    query: ReportQuery,
    rows: number,
    choice?: ListChoice<
      "path" | "views" | "visitors" | "consentShare" | "entries" | "exits" | "bounceRate" | "engagedMsPerView"
    >,
  ): Promise<Listed<PageCounts>>;
  /**
   * Counts sources: by sessions, then by pageviews, then by label. Of the `first`, a session is listed under the source, or the
   * entry page, of the first session of its visitor in all that is kept, and so is a full pageview; under its own where it has no
   * visitor, or where that has no session. The visitor of a session is that of its first event. Aggregate pageviews, which have
   * no visitor, are left out then.
   */
  sources(
    query: ReportQuery,
    grouping: {
      /** Dimension that they are grouped by. */
      readonly by: SourceGrouping;
      /** Which session's source it is: the session's own where it's absent. */
      readonly of?: "session" | "first";
    },
    rows: number,
    choice?: ListChoice<"label" | "views" | "sessions" | "visitors" | "landings" | "bounceRate">,
  ): Promise<Listed<SourceCounts>>;
  /** Counts steps, pageviews not among them: the site's own before automatic ones, by their number, then by name. */
  steps(
    query: ReportQuery,
    rows: number,
    choice?: ListChoice<"name" | "count" | "visitors">,
  ): Promise<Listed<StepCounts>>;
  /** Counts what breaks the plan: by the number of events, then by kind and name. */
  violations(query: ReportQuery, rows: number): Promise<
    Listed<{
      /** Event name, as it was sent. */
      readonly name: string;
      /** Kind of the breach. */
      readonly kind: ViolationKind;
      /** Number of those stored. */
      readonly count: number;
    }>
  >;
  /** Counts the values of a step's property: by their number, then by the value's JSON. Without a key, only names are listed. */
  stepValues(
    query: ReportQuery,
    of: { readonly step: string; readonly key?: string },
    rows: number,
    choice?: ListChoice<"name" | "count" | "visitors">,
  ): Promise<StepValues>;
  /**
   * Counts of the rows of a list with these names which of their sessions reach a goal, at any time of the session; rows without
   * a session are left out. Absent where the store doesn't count them.
   */
  readonly conversions?: (
    query: ReportQuery,
    of:
      & (
        | { readonly list: "pages" }
        | { readonly list: "sources"; readonly by: SourceGrouping; readonly of: "session" | "first" }
        | { readonly list: "values"; readonly step: string; readonly key: string }
      )
      & {
        /** The goal: an event, and the property whose numbers are summed. */
        readonly goal: { readonly event: FunnelEvent; readonly sumOf?: string };
      },
    names: readonly string[],
  ) => Promise<
    readonly {
      /** Name of the row, as a {@linkcode ListChoice} has it. */
      readonly name: string;
      /** Sessions that are listed under it, or have a pageview or a step that is. */
      readonly sessions: number;
      /** Those of them that reach the goal. */
      readonly conversions: number;
      /** Number of times that these reach it. */
      readonly completions: number;
      /** Sum of the property's numbers; 0 where none is summed. */
      readonly sum: number;
    }[]
  >;
  /**
   * Counts events of several kinds in a whole range, and in its parts.
   *
   * @param bounds As those of `overview`.
   */
  countEvents(
    query: ReportQuery,
    events: readonly {
      /** Which. */
      readonly event: FunnelEvent;
      /** Property of a step whose numbers are summed; none where it's absent. */
      readonly sumOf?: string;
    }[],
    bounds: readonly number[],
  ): Promise<
    readonly {
      readonly total: EventTotals;
      readonly parts: readonly EventTotals[];
    }[]
  >;
  /** Counts the visitors who take a way, of the pageviews and steps in the range that the filters choose. */
  funnel(query: ReportQuery, funnel: Funnel): Promise<
    readonly {
      /** Distinct visitors who came that far. Whoever tries several times counts once, by the longest way. */
      readonly visitors: number;
      /**
       * Median time since the stage before, by nearest rank, in milliseconds. A visitor's longest way counts; of equally
       * long ones the one that begins first, then the one that passes its next stages first. Null for the first stage, and
       * where nobody came that far.
       */
      readonly medianMs: number | null;
    }[]
  >;
  /**
   * Counts how many visitors come back. A visitor is of the period of their first event in all that is kept; filters choose visitors by that
   * event. Any full event counts as a return, or one of `returns`.
   *
   * @param bounds Where the periods begin, and the last one ends, ascending.
   */
  retention(
    query: Pick<ReportQuery, "apiKey" | "site" | "traffic" | "filters" | "ownOrigins" | "pathRules">,
    options: { readonly bounds: readonly number[]; readonly returns?: readonly FunnelEvent[] },
  ): Promise<
    readonly {
      /** Where the period begins, in milliseconds since the Unix epoch. */
      readonly from: number;
      /** Number of them. */
      readonly size: number;
      /** Number of those among them with an event in this period, the next, and so on. */
      readonly returned: readonly number[];
    }[]
  >;
  /**
   * Counts who arrives before a choice and who consents, in parts of a range. A visitor is of the part of their first event in
   * all that is kept; filters choose visitors by that event.
   *
   * @param bounds As those of `overview`.
   */
  acceptance(query: ReportQuery, bounds: readonly number[]): Promise<readonly AcceptanceCounts[]>;
  /** Reads the newest events of a visitor or a user on a site, whatever their flags, the newest first. */
  person(
    of: Pick<ReportQuery, "apiKey" | "site"> & ({ readonly anonymousId: string } | { readonly userId: string }),
    rows: number,
  ): Promise<readonly StoredEvent[]>;
  /** Returns the files whose events no figure has, since they can't be read. Ask after the figures; absent where there are none. */
  damaged?(): Promise<
    readonly {
      /** Its name. */
      readonly file: string;
      /** How many events it should have, of all keys. */
      readonly events: number;
      /** Path and reason, for the operator. */
      readonly message: string;
    }[]
  >;
  /** Returns the reader for one report, which is given up once the signal is aborted, or it takes too long; absent where none is. */
  readonly until?: (signal: AbortSignal) => ReportReader;
  /** Releases what it holds. */
  close(): Promise<void>;
}

/** Why nothing can be read, in a sentence that whoever asks for a report may read. */
export class ReaderFault extends Error {
  /** Tells it from other errors. */
  override readonly name = "ReaderFault";
}

/** The overview of a site. */
export type OverviewCounts = Awaited<ReturnType<ReportReader["overview"]>>["total"];

/** Pageviews that are left out of the other figures. */
export type FlaggedCounts = Awaited<ReturnType<ReportReader["countFlagged"]>>;

/** Events that are counted. */
export type CountedEvent = Parameters<ReportReader["countEvents"]>[1][number];

/** Column that pages are sorted by. */
export type PageColumn = ColumnOf<Parameters<ReportReader["pages"]>[2]>;

/** Column that sources are sorted by. */
export type SourcesColumn = ColumnOf<Parameters<ReportReader["sources"]>[3]>;

/** Column that steps, and the values of one, are sorted by. */
export type StepColumn = ColumnOf<Parameters<ReportReader["steps"]>[2]>;

type ColumnOf<Choice> = Choice extends ListChoice<infer Column> ? Column : never;

/** Counts of the rows of a list beside a goal. */
type ReadConversions = NonNullable<ReportReader["conversions"]>;

/** The list whose rows are counted beside a goal. */
export type ConvertedList = Parameters<ReadConversions>[1] extends infer List
  ? List extends unknown ? Omit<List, "goal"> : never
  : never;

/** The sessions of a row, and those that reach a goal. */
export type ConversionCounts = Awaited<ReturnType<ReadConversions>>[number];

/** A file that can't be read. */
export type DamagedFile = Awaited<ReturnType<NonNullable<ReportReader["damaged"]>>>[number];

/** Events that break the plan of the ingest that stored them, in one way. */
export type ViolationRow = Awaited<ReturnType<ReportReader["violations"]>>["rows"][number];

/** A stage of a funnel. */
export type FunnelStage = Awaited<ReturnType<ReportReader["funnel"]>>[number];

/** Visitors who were first seen in the same period. */
export type CohortCounts = Awaited<ReturnType<ReportReader["retention"]>>[number];

/** Reads what a violation is counted under: its kind, a space, the name. */
export function parseViolation(label: string): Pick<ViolationRow, "name" | "kind"> {
  const end = label.indexOf(" ");
  return { name: label.slice(end + 1), kind: label.slice(0, end) as ViolationKind };
}
