/**
 * Queries of the reports to a store.
 *
 * @module
 */
import type { PathRules } from "../events/path_rules.ts";
import type { EventFlag } from "../events/stored_event.ts";

/** Whose events a view counts. */
export type Traffic = ReportQuery["traffic"];

/** Each {@linkcode Traffic}. */
export const TRAFFICS: readonly Traffic[] = ["people", "bots", "own"];

/** The flag that the events of each have; empty for none. */
export const TRAFFIC_FLAGS: Readonly<Record<Traffic, EventFlag | "">> = { people: "", bots: "bot", own: "own" };

/** Name of a filter. */
export type FilterName = ReportFilter["name"];

/** Returns whether filters leave pageviews before consent: of all that filters choose by, those have a page alone. */
export function keepsAggregates(filters: readonly ReportFilter[]): boolean {
  return filters.every(({ name }) => name === "page");
}

/** By what sessions are grouped that came from somewhere. */
export type SourceDimension = Exclude<SourceGrouping, "landing">;

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

/** By what sources are listed; `landing` is the page that a session began on. */
export type SourceGrouping =
  | ("channel" | "source" | "referrer" | "medium" | "campaign" | "term" | "content")
  | "landing";

/** Each {@linkcode SourceGrouping}. */
export const SOURCE_GROUPINGS: readonly SourceGrouping[] = [...SOURCE_DIMENSIONS, "landing"];

/** Narrows a view. Filters of a view hold together: what is counted fulfils each of them. */
export interface ReportFilter {
  /** Its name. Those of a page, of somebody's screen, browser and so on choose events, the others whole sessions. */
  readonly name:
    | "page"
    | ("screen" | "visitor" | "signedIn" | "device" | "browser" | "version" | "system" | "country")
    | ("entry" | "exit")
    | Exclude<SourceGrouping, "landing">
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

/** A way that visitors are to take. */
export interface Funnel {
  /** 2 to 8 stages, each passed by any of its events. */
  readonly stages: readonly (readonly FunnelEvent[])[];
  /** In which time the last stage has to follow the first: within one session, or so many milliseconds. */
  readonly within: "session" | number;
  /**
   * Order of stages: as they are listed with anything between (`sequential`), with no other pageview or step between
   * (`strict`), or in any order after the first, but with the last at the end (`flexible`).
   */
  readonly order: "sequential" | "strict" | "flexible";
}

/** Which rows of a list, and in which order. */
export interface ListChoice<C extends string = string> {
  /**
   * Column that they are sorted by. What has nothing there comes last; equal ones are in the usual order. By their names,
   * values that are numbers come before the others, and in the order of numbers.
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
  /**
   * The goal whose conversions, conversion rate or value they are sorted by: an event, and the property whose numbers are
   * summed; without one the value is how often it is reached.
   */
  readonly goal?: { readonly event: FunnelEvent; readonly sumOf?: string };
  /** Text that each has in its name, in any case, as it is or percent-encoded; a value that is a text, in that. */
  readonly contains?: string;
  /** Names of those that are listed, a value as JSON; any where it's absent. What is without a name has "". */
  readonly names?: readonly string[];
  /**
   * Number of rows that are passed over.
   *
   * @default {0}
   */
  readonly skip?: number;
  /**
   * Whether only the number that they are usually ordered by is needed: a reader may leave the others 0.
   *
   * @default {false}
   */
  readonly isBrief?: boolean;
}
