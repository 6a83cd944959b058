import type { EventColumn } from "../../events/columns.ts";
import { type PathRules, toPathExpression } from "../../events/path_rules.ts";
import { listScalarForms } from "../../events/scalars.ts";
import { type FilterKind, FILTERS, isAudienceDimension } from "../../ports/report_filters.ts";
import type { AudienceDimension } from "../../ports/reader.ts";
import { type FunnelEvent, keepsAggregates, type ReportFilter } from "../../ports/report_query.ts";
import type { Dialect } from "./engine.ts";

/** Conditions of a query's filters. */
export interface Conditions {
  /** Conditions on each event that they choose. */
  readonly ofEvents: readonly string[];
  /** Conditions on each session that they choose. */
  readonly ofSessions: readonly string[];
  /** Conditions on at least one event of each session that they choose. */
  readonly ofSomeEvent: readonly string[];
}

/** Options of {@linkcode writeConditions}. */
export interface ConditionOptions {
  readonly dialect: Dialect;
  readonly pathRules: PathRules;
}

/** Writes the conditions of filters. */
export function writeConditions(filters: readonly ReportFilter[], options: ConditionOptions): Conditions {
  const write = (chosen: FilterKind["chooses"]): readonly string[] =>
    filters.filter(({ name }) => FILTERS[name].chooses === chosen).map((filter) => writeCondition(filter, options));
  return {
    ofEvents: [...(keepsAggregates(filters) ? [] : ["is_full"]), ...write("events")],
    ofSessions: write("sessions"),
    ofSomeEvent: write("sessionsWith"),
  };
}

/** Joins conditions that hold together. */
export function joinAll(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(" AND ") || "1 = 1";
}

/** Writes the condition of an event that passes a stage of a funnel, or reaches a goal. */
export function writePoint(event: FunnelEvent, { dialect: { quote }, pathRules }: ConditionOptions): string {
  if ("page" in event) return `(is_full AND is_view AND page = ${quote(event.page)})`;
  if ("pages" in event) {
    return `(is_full AND is_view AND ${writeFit("page", event.pages, { quote, pathRules })})`;
  }
  const isNamed = `NOT is_view AND name = ${quote(event.step)}`;
  if (event.property === undefined) return `(${isNamed})`;
  // A property that isn't there reads as an empty text, which is no JSON.
  if (event.property.value === "") return "1 = 0";
  const forms = listScalarForms(event.property.value).map(quote).join(", ");
  return `(${isNamed} AND JSONExtractRaw(scalars, ${quote(event.property.key)}) IN (${forms}))`;
}

/** Writes the condition of an event that passes any of several. */
export function writePoints(events: readonly FunnelEvent[], options: ConditionOptions): string {
  return events.map((event) => writePoint(event, options)).join(" OR ") || "1 = 0";
}

/** Writes the condition of a path that fits a pattern. */
function writeFit(
  path: string,
  pattern: string,
  { quote, pathRules }: Pick<Dialect, "quote"> & Pick<ConditionOptions, "pathRules">,
): string {
  const { source, ignoreCase } = toPathExpression(pattern, pathRules);
  // No path has a line break. With `s`, DuckDB takes what ends with `.*` for a beginning, which it finds faster.
  return `match(${path}, ${quote(`(?s${ignoreCase ? "i" : ""})${source}`)})`;
}

/** The page that a session landed on; empty where it joined midway. */
export const LANDING_PAGE = "if(is_landing, first_page, '')";

/** Writes what an event is filtered and listed under. */
export function writeEventLabel(name: AudienceDimension): string {
  // `newcomers` has the visitors whose first event is in the days.
  const isNew = "person IN (SELECT visitor_hash FROM newcomers)";
  // Of a person who was never on a page before, a backend's step belongs to no session.
  if (name === "visitor") return `if(person = 0, '', if(${isNew}, 'new', if(visit = 0, '', 'returning')))`;
  const { column } = FILTERS[name];
  if (column === undefined) throw new TypeError(`the filter ${name} has no column`);
  return writeColumnLabel(column);
}

/** Writes the text of a column, else whether it has anything. */
function writeColumnLabel({ name, type }: EventColumn): string {
  if (type === "label" || type === "text") return name;
  return `if(${type === "boolean" ? name : `${name} <> 0`}, 'yes', 'no')`;
}

function writeCondition(
  { name, values, patterns = [], key = "", step, events = [] }: ReportFilter,
  options: ConditionOptions,
): string {
  const { quote } = options.dialect;
  const isOneOf = (what: string, texts: readonly string[]): string =>
    texts.length === 0 ? "1 = 0" : `${what} IN (${texts.map(quote).join(", ")})`;
  const isPage = (path: string): string =>
    `(${
      [isOneOf(path, values), ...patterns.map((pattern) => writeFit(path, pattern, { quote, ...options }))].join(" OR ")
    })`;
  if (isAudienceDimension(name)) return isOneOf(writeEventLabel(name), values);
  switch (name) {
    case "page":
      return isPage("page");
    case "entry":
      return isPage(LANDING_PAGE);
    case "exit":
      return `views > 0 AND ${isPage("last_page")}`;
    case "step":
      return `NOT is_view AND ${isOneOf("name", values)}`;
    case "property": {
      const isOfStep = step === undefined ? "" : ` AND ${isOneOf("name", [step])}`;
      const jsons = values.filter((value) => value !== "").flatMap(listScalarForms);
      return `NOT is_view${isOfStep} AND ${isOneOf(`JSONExtractRaw(scalars, ${quote(key)})`, jsons)}`;
    }
    case "goal":
      return writePoints(events, options);
    default:
      return isOneOf(`session_${name}`, values);
  }
}
