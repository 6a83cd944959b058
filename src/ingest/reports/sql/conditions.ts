import type { EventColumn } from "../../events/columns.ts";
import { type PathRules, toPathExpression } from "../../events/path_rules.ts";
import { listScalarForms } from "../../events/scalars.ts";
import { hashKey } from "../../platform/digest.ts";
import { type FilterKind, FILTERS, isAudienceDimension } from "../../ports/report_filters.ts";
import type { AudienceDimension, CountedEvent } from "../../ports/reader.ts";
import { type FunnelEvent, keepsAggregates, type ReportFilter, type ReportQuery } from "../../ports/report_query.ts";
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

/** Writes the condition of a key's events. */
export async function writeKey({ quote }: Dialect, apiKey: string): Promise<string> {
  return `key_hash = ${quote(await hashKey(apiKey))}`;
}

/** Writes the condition of a site's events. */
export async function writeSite(
  dialect: Dialect,
  { apiKey, site }: Pick<ReportQuery, "apiKey" | "site">,
): Promise<string> {
  return `${await writeKey(dialect, apiKey)} AND site = ${dialect.quote(site)}`;
}

/** Joins conditions that hold together. */
export function joinAll(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(" AND ") || "1 = 1";
}

/** Writes the condition of an event that passes a stage of a funnel, or reaches a goal. */
export function writePoint(event: FunnelEvent, { dialect, pathRules }: ConditionOptions): string {
  if ("page" in event) return `(is_full AND is_view AND page = ${dialect.quote(event.page)})`;
  if ("pages" in event) return `(is_full AND is_view AND ${writeFit("page", event.pages, { dialect, pathRules })})`;
  const { step, property } = event;
  const value = property && { key: property.key, values: [property.value] };
  return `(${writeStep({ names: [step], ...value }, dialect)})`;
}

/** Writes the condition of an event that passes any of several. */
export function writePoints(events: readonly FunnelEvent[], options: ConditionOptions): string {
  return events.map((event) => writePoint(event, options)).join(" OR ") || "1 = 0";
}

/** A number's JSON begins with a digit or a minus. */
export const IS_NUMBER = "'^[0-9-]'";

/**
 * Writes the number that an event is worth: 0 where the property has none, or nothing is summed. It is a fraction always, since
 * ClickHouse adds up numbers of one type.
 */
export function writeWorth({ event, sumOf }: CountedEvent, { quote }: Dialect): string {
  if (sumOf === undefined || !("step" in event)) return "0e0";
  const json = `JSONExtractRaw(scalars, ${quote(sumOf)})`;
  return `if(match(${json}, ${IS_NUMBER}), toFloat64OrZero(${json}), 0)`;
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

function writeCondition(filter: ReportFilter, options: ConditionOptions): string {
  const { name, values, patterns = [], key, step, events = [] } = filter;
  const { dialect } = options;
  const isPage = (path: string): string =>
    `(${
      [isOneOf(path, values, dialect), ...patterns.map((pattern) => writeFit(path, pattern, options))].join(" OR ")
    })`;
  if (isAudienceDimension(name)) return isOneOf(writeEventLabel(name), values, dialect);
  switch (name) {
    case "page":
      return isPage("page");
    case "entry":
      return isPage(LANDING_PAGE);
    case "exit":
      return `views > 0 AND ${isPage("last_page")}`;
    case "step":
      return writeStep({ names: values }, dialect);
    case "property":
      return writeStep({ key, values, ...step !== undefined && { names: [step] } }, dialect);
    case "goal":
      return writePoints(events, options);
    default:
      return isOneOf(`session_${name}`, values, dialect);
  }
}

/** Writes the condition of a step: of any name where none is given, and with one of the values of a property if there's a key. */
function writeStep(
  { names, key, values = [] }: {
    readonly names?: readonly string[];
    readonly key?: string | undefined;
    /** As JSON. */
    readonly values?: readonly string[];
  },
  dialect: Dialect,
): string {
  // A property that isn't there reads as an empty text, which is no JSON.
  const forms = values.filter((value) => value !== "").flatMap(listScalarForms);
  return [
    "NOT is_view",
    ...(names === undefined ? [] : [isOneOf("name", names, dialect)]),
    ...(key === undefined ? [] : [isOneOf(`JSONExtractRaw(scalars, ${dialect.quote(key)})`, forms, dialect)]),
  ].join(" AND ");
}

function isOneOf(what: string, texts: readonly string[], { quote }: Dialect): string {
  return texts.length === 0 ? "1 = 0" : `${what} IN (${texts.map(quote).join(", ")})`;
}

/** Writes the condition of a path that fits a pattern. */
function writeFit(path: string, pattern: string, { dialect, pathRules }: ConditionOptions): string {
  const { source, ignoreCase } = toPathExpression(pattern, pathRules);
  // No path has a line break. With `s`, DuckDB takes what ends with `.*` for a beginning, which it finds faster.
  return `match(${path}, ${dialect.quote(`(?s${ignoreCase ? "i" : ""})${source}`)})`;
}
