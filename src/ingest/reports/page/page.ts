/**
 * Data that a page is written from.
 *
 * @module
 */
import type { PathRules } from "../../events/path_rules.ts";
import type { VisitCounts } from "../../ports/report_counts.ts";
import type { Note } from "../query/notes.ts";
import type { ViewQuery } from "../query/view_query.ts";

/** A section of the page: what its frame has to know of a view. */
export interface Section {
  /** Name in queries, in code and of its files. */
  readonly name: string;
  /** Its name on the page. */
  readonly title: string;
  /** Of which time it is: of the days that are asked for, of the last minutes, or of all that is kept. */
  readonly span: "days" | "minutes" | "all";
  /** Of what it is. What single people did goes by the right to read it, and asks by POST. */
  readonly subject: "site" | "sites" | "person";
  /** Whether another period stands beside its days. */
  readonly hasBefore: boolean;
}

/** The parts that links are built of. */
export interface Linked<Q = object> {
  /** The query. */
  readonly query: ViewQuery & { readonly site: string } & Q;
  /** Writes what is asked for as the parameters of a URL. */
  write(query: ViewQuery & { readonly site: string }): URLSearchParams;
}

/** Everything around a view, for its part of the page. */
export interface Page<Q = object> extends Linked<Q> {
  /** Section of the view. */
  readonly section: Section;
  /** Sections to choose from. */
  readonly sections: readonly Section[];
  /** Counts of the days that were asked for; absent where the view isn't of them, or of all sites. */
  readonly totals?: Pick<VisitCounts, "pageviews" | "visitors" | "users" | "sessions">;
  /** When it is on the clocks of the zone, `14:30`, while the days that were asked for aren't over. */
  readonly clock?: string;
  /** Rules by which paths are written. */
  readonly pathRules: PathRules;
  /** Sites to choose from. */
  readonly sites: readonly string[];
  /** Current day in the zone. */
  readonly today: string;
  /** Publishable key of the site. */
  readonly apiKey: string;
  /** Names of the key's goals. */
  readonly goalNames: readonly string[];
  /** Currency of their values; absent where the key names none. */
  readonly currency?: string;
  /** Most frequent pages and steps, which views with stages propose; absent for other views. */
  readonly frequent?: FrequentNames;
  /** Notes of the days, the first day first. */
  readonly notes: readonly Note[];
  /** The newest one before them; absent where there is none, or none that is of interest any more. */
  readonly earlierNote?: Note;
  /** Day of the site's newest event, whatever its flag; absent for a site without events. */
  readonly lastDay?: string;
  /** Time of that event, in milliseconds since the Unix epoch. */
  readonly lastMs?: number;
  /** Other sites of the key that have events, those with the most first, where the site has none; otherwise empty. */
  readonly busySites: readonly string[];
  /** Whether the page reads itself anew after a while. */
  readonly isRefreshing: boolean;
  /** Link by which a reader leaves; absent for who came without a secret. */
  readonly leaveLink?: string;
  /** Whether its figures are rounded, and small ones not told. */
  readonly isCoarse: boolean;
  /** URL that this ingest takes events at, as far as the page knows. */
  readonly endpoint: string;
  /** Whether the form that asks for a person was sent with neither or both of its fields filled in. */
  readonly isWrong: boolean;
}

/** The most frequent pages and steps, and the goals that are reached. */
export interface FrequentNames {
  /** Paths, the most viewed first. */
  readonly pages: readonly string[];
  /** Those of the paths whose view reaches no goal. */
  readonly otherPages: readonly string[];
  /** Names of steps, the most frequent first. */
  readonly steps: readonly string[];
  /** Names of the goals that somebody reached, the one with the most visitors first. */
  readonly goals: readonly string[];
}
