/**
 * A view: a folder of `views/` exports one, and `views/registry.ts` lists it.
 *
 * @module
 */
import type { PathRules } from "../../events/path_rules.ts";
import type { ReportReader } from "../../ports/reader.ts";
import type { VisitCounts } from "../../ports/report_counts.ts";
import type { Html } from "../page/html.ts";
import type { Page, Section } from "../page/page.ts";
import type { Goals } from "../query/goals.ts";
import type { Note } from "../query/notes.ts";
import type { ParametersOf, Schema } from "../query/parameter.ts";
import type { PersonId } from "../access/person.ts";
import type { Problem } from "../query/query.ts";
import type { ViewQuery } from "../query/view_query.ts";
import type { Table } from "./csv.ts";

/** Most rows of a list. */
export const MAX_ROWS = 10_000;

/** Where a view is counted. */
export interface ViewSource {
  /** Counts for it. */
  readonly reader: ReportReader;
  /** Current time in milliseconds since the Unix epoch. */
  now(): number;
}

/** A query, and the events that it is of. */
export interface ViewRequest extends Omit<ViewQuery, "view"> {
  /** Publishable key that the events were sent with. */
  readonly apiKey: string;
  /** Origin of the site. */
  readonly site: string;
  /** Other origins of the key. */
  readonly ownOrigins: readonly string[];
  /** Rules by which paths are written. */
  readonly pathRules: PathRules;
  /** Goals of the key. */
  readonly goals: Goals;
  /** Currency of their values; absent where the key names none. */
  readonly currency?: string;
  /** Notes of the site and the days. */
  readonly notes: readonly Note[];
  /** The newest note of the site before the days; absent where there is none, or none that is of interest any more. */
  readonly earlierNote?: Note;
  /** Pageviews a month that the key may send; null for no limit. */
  readonly allowance: number | null;
  /** Names of the views that may be read; all of them where it's absent. */
  readonly views?: readonly string[];
  /** Whose events, where the view is of single people. */
  readonly person?: PersonId;
  /** Lists the sites of the key; the empty one where there are events of none. */
  sites(): Promise<readonly string[]>;
}

/** The fields of every view. */
export interface ViewObject {
  /** Which view it is. */
  readonly view: string;
  /** Files of the store that can't be read: none of their events is counted. Absent where there is none. */
  readonly damaged?: readonly {
    /** Its name. */
    readonly file: string;
    /** Number of events that it should have, of all keys. */
    readonly events: number;
  }[];
}

/** A view: what may be asked, the object that is its JSON, its part of the page, its file and its schema. */
export interface View<Q = object, V extends ViewObject = ViewObject> extends Section {
  readonly name: V["view"];
  /** A sentence for programs that choose among the views. */
  readonly description: string;
  /** The parameters that it alone has. */
  readonly parameters: ParametersOf<Q>;
  /** Its schema, and those that it names, by their names in the OpenAPI document. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Columns that its list can be sorted by; absent where it has no list. */
  readonly columns?: readonly string[];
  /**
   * Whether its forms ask for stages, and propose frequent pages and steps.
   *
   * @default {false}
   */
  readonly hasStages?: boolean;
  /**
   * Most rows of a list on the page.
   *
   * @default {25}
   */
  readonly pageRows?: number;
  /** Returns what is wrong with parameters that don't go together. */
  checkQuery?(query: Partial<Q>): Problem | undefined;
  /** Lists the goals that its parameters name. */
  listGoals?(query: Q): readonly string[];
  /** Counts it, with at most so many rows in each list. */
  read(source: ViewSource, request: ViewRequest & Q, rows: number): Promise<V>;
  /** Builds its part of the page. */
  build(page: Page<Q>, view: V): Html;
  /** Builds the rows of its file, names first. */
  toTable(view: V): Table;
  /**
   * Returns whether it has nothing of its own, so that the page says that there is nothing in the days.
   *
   * @default {always shown}
   */
  isEmpty?(view: V): boolean;
  /** Returns whether the page says when the newest event was, though the view isn't empty. */
  isQuiet?(view: V): boolean;
  /** Returns counts of its days that it has anyway; otherwise the page reads them. */
  findTotals?(view: V): Pick<VisitCounts, "pageviews" | "visitors" | "users" | "sessions">;
  /** Says what else there is to know of the share with consent. */
  describeLead?(view: V): string | undefined;
  /** Names the time that it is of, where that isn't the days. */
  nameSpan?(page: Page<Q>, view: V): string;
  /** Builds what stands below it, or below the note that there is nothing. */
  buildBelow?(view: V): Html | undefined;
}
