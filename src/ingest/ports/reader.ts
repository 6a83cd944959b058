/**
 * The port between the reports and the store that counts for them. docs/reports.md defines each number; every store
 * gives the same ones for the same events.
 *
 * @module
 */
import type { ViolationKind } from "@vendor/sdk/contract";
import type { StoredEvent } from "../events/stored_event.ts";
import type {
  AcceptanceCounts,
  EventTotals,
  Listed,
  PageCounts,
  SourceCounts,
  StepCounts,
  StepValues,
  ViewCounts,
  VisitCounts,
} from "./report_counts.ts";
import type { Funnel, FunnelEvent, ListChoice, ReportQuery, SourceGrouping } from "./report_query.ts";

/** Columns of a goal beside the rows of a list. */
export const GOAL_COLUMNS = ["conversions", "conversionRate", "goalValue"] as const;

/** Each {@linkcode PageColumn}. */
export const PAGE_COLUMNS: readonly PageColumn[] = [
  "path",
  "views",
  "visitors",
  "consentShare",
  "entries",
  "exits",
  "bounceRate",
  "exitRate",
  "engagedMsPerView",
  ...GOAL_COLUMNS,
];

/** Each {@linkcode SourcesColumn}. */
export const SOURCE_COLUMNS: readonly SourcesColumn[] = [
  "label",
  "views",
  "sessions",
  "visitors",
  "landings",
  "bounceRate",
  ...GOAL_COLUMNS,
];

/** Each {@linkcode StepColumn}. */
export const STEP_COLUMNS: readonly StepColumn[] = ["name", "count", "visitors"];

/** Each {@linkcode ValueColumn}. */
export const VALUE_COLUMNS: readonly ValueColumn[] = [...STEP_COLUMNS, ...GOAL_COLUMNS];

/** Most sites that a reader lists: where any origin may send, a sender may make up any number of them. */
export const MAX_SITES = 1000;

/** Most names of a step's properties that are listed. */
export const MAX_PROPERTY_KEYS = 50;

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
      /** Milliseconds of engagement, of all visitors together. */
      readonly engagedMs: number;
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
      | (
        | "path"
        | "views"
        | "visitors"
        | "consentShare"
        | "entries"
        | "exits"
        | "bounceRate"
        | "exitRate"
        | "engagedMsPerView"
      )
      | ("conversions" | "conversionRate" | "goalValue")
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
    choice?: ListChoice<
      | ("label" | "views" | "sessions" | "visitors" | "landings" | "bounceRate")
      | ("conversions" | "conversionRate" | "goalValue")
    >,
  ): Promise<Listed<SourceCounts>>;
  /**
   * Counts people by what they come with: by sessions, then by pageviews, then by label. Each label has what the events with it
   * are of, and the sessions that have one; aggregate pageviews have none of it.
   */
  audience(
    query: ReportQuery,
    by: "visitor" | "screen" | "signedIn" | "device" | "browser" | "version" | "system" | "country",
    rows: number,
    choice?: ListChoice<
      | ("label" | "views" | "sessions" | "visitors" | "landings" | "bounceRate")
      | ("conversions" | "conversionRate" | "goalValue")
    >,
  ): Promise<Listed<SourceCounts>>;
  /** Counts steps, pageviews not among them: the site's own before automatic ones, by their number, then by name. */
  steps(
    query: ReportQuery,
    rows: number,
    choice?: ListChoice<"name" | "count" | "visitors">,
  ): Promise<Listed<StepCounts>>;
  /** Counts what breaks the plan: by the number of events, then by kind and name. */
  violations(query: ReportQuery, rows: number, choice?: Pick<ListChoice<never>, "skip">): Promise<
    Listed<{
      /** Event name, as it was sent. */
      readonly name: string;
      /** Kind of the breach. */
      readonly kind: ViolationKind;
      /** Number of those stored. */
      readonly count: number;
    }>
  >;
  /**
   * Counts the values of a step's property: by their number, then by the value's JSON; of values that a choice names, the numbers
   * aren't summed. Without a key, the names of the properties are listed instead.
   */
  stepValues(
    query: ReportQuery,
    of: {
      readonly step: string;
      readonly key?: string;
      /** Another property, whose numbers are summed for each value. */
      readonly sumOf?: string;
    },
    rows: number,
    choice?: ListChoice<"name" | "count" | "visitors" | "conversions" | "conversionRate" | "goalValue">,
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
        | { readonly list: "audience"; readonly by: Parameters<ReportReader["audience"]>[1] }
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
      /** Of pages alone: exits of sessions that don't reach the goal. */
      readonly exitsWithout?: number;
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
    choice?: Pick<ListChoice<never>, "skip">,
  ): Promise<readonly StoredEvent[]>;
  /** Returns the files whose events no figure has, since they can't be read. Ask after the figures; absent where there are none. */
  damaged?(): Promise<
    readonly {
      /** Its name. */
      readonly file: string;
      /** Number of events that it should have, of all keys. */
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

/** Column that sources, and people, are sorted by. */
export type SourcesColumn = ColumnOf<Parameters<ReportReader["sources"]>[3]>;

/** Name of a filter that people are listed by. */
export type AudienceDimension = Parameters<ReportReader["audience"]>[1];

/** Column that steps are sorted by. */
export type StepColumn = ColumnOf<Parameters<ReportReader["steps"]>[2]>;

/** Column that the values of a step are sorted by. */
export type ValueColumn = ColumnOf<Parameters<ReportReader["stepValues"]>[3]>;

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
