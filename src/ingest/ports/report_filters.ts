/**
 * The filters of the reports: what each is called, and what it chooses. The page, the guide, the OpenAPI document and the queries
 * take them from here.
 *
 * @module
 */
import { type EventColumn, FILTERED_COLUMNS } from "../events/columns.ts";
import type { AudienceDimension } from "./reader.ts";
import { type FilterName, SOURCE_DIMENSIONS, type SourceDimension } from "./report_query.ts";

/** A filter. */
export interface FilterKind {
  /** Its name for people. */
  readonly title: string;
  /** Events or sessions that it chooses, as a phrase for the guide. */
  readonly about: string;
  /** Text behind its name in the guide, such as `:/teas`. */
  readonly example?: string;
  /**
   * Kind of its choice: events, and with them the sessions that have one; whole sessions, by what they are; or whole
   * sessions, by an event that happened in them. Under `page` aggregate pageviews of the page stay; under any other
   * filter there are none, since they have neither session nor screen.
   */
  readonly chooses: "events" | "sessions" | "sessionsWith";
  /** The column that it looks at. */
  readonly column?: EventColumn;
  /** The values that it takes; any by default. */
  readonly values?: readonly string[];
}

const TITLES: Readonly<Record<SourceDimension, string>> = {
  channel: "Channel",
  source: "Source",
  referrer: "Referrer",
  medium: "Medium",
  campaign: "Campaign",
  term: "Term",
  content: "Content",
};

/** Each filter, in the order of the guide. */
export const FILTERS: Readonly<Record<FilterName, FilterKind>> = {
  page: {
    title: "Page",
    example: ":/teas",
    chooses: "events",
    about:
      "events on the page. A pattern like those of `pathRules` is any page that fits, here, in `entry` and in `exit`: " +
      "`page:/docs/*`",
  },
  entry: {
    title: "Landing page",
    example: ":/teas",
    chooses: "sessions",
    about: "sessions that begin there; an empty value, those that joined midway",
  },
  exit: { title: "Exit page", example: ":/teas", chooses: "sessions", about: "sessions that end there" },
  step: { title: "Step", example: ":signup", chooses: "sessionsWith", about: "sessions that have the step" },
  property: {
    title: "Property",
    example: ':tier:"pro"',
    chooses: "sessionsWith",
    about: "sessions with a step that has the value, which is JSON; of one step it is " +
      '`property@signup:tier:"pro"`',
  },
  goal: {
    title: "Goal",
    example: ":Order",
    chooses: "sessionsWith",
    about: "sessions that reach the [goal](#goals)",
  },
  ...mapNames(SOURCE_DIMENSIONS, (name): FilterKind => ({
    title: TITLES[name],
    chooses: "sessions",
    about: "sessions from there; an empty value, those without one",
  })),
  visitor: {
    title: "New or returning",
    chooses: "events",
    values: ["new", "returning"],
    about: "events of visitors who were first seen in the days asked for, or earlier",
  },
  // The compiler asks that the type of the name has each of them.
  ...mapNames(FILTERED_COLUMNS.map(({ filter: { name } }) => name), toKind),
};

/** Each name of a filter. */
export const FILTER_NAMES: readonly FilterName[] = Object.keys(FILTERS) as FilterName[];

/** Names of the filters that people are listed by. Those that need no setting of the key come first. */
export const AUDIENCE_DIMENSIONS: readonly AudienceDimension[] = [
  ...["visitor", "screen", "signedIn"] as const,
  ...FILTER_NAMES.filter(isAudienceDimension).filter((name) => FILTERS[name].column?.field !== undefined),
];

/** Returns whether people are listed by a filter: by each that chooses events, but for that of a page. */
export function isAudienceDimension(name: FilterName): name is AudienceDimension {
  return FILTERS[name].chooses === "events" && name !== "page";
}

function toKind(name: FilterName): FilterKind {
  const column = FILTERED_COLUMNS.find(({ filter }) => filter.name === name);
  if (column === undefined) throw new TypeError(`no column has the filter ${name}`);
  const { filter: { name: _, ...words } } = column;
  return { ...words, chooses: "events", column };
}

function mapNames<N extends string, T>(names: readonly N[], map: (name: N) => T): Readonly<Record<N, T>> {
  return Object.fromEntries(names.map((name) => [name, map(name)])) as Record<N, T>;
}
