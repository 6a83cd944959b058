import { type PathRules, toPathExpression } from "../../events/path_rules.ts";
import {
  EVENT_FILTERS,
  type FunnelEvent,
  keepsAggregates,
  type ReportFilter,
  SCREEN_CLASSES,
} from "../../ports/reader.ts";
import { quote, quoteAll } from "./clickhouse_visit_words.ts";

/** What a query's filters ask, in the words of the tables of visits. */
export interface FilterConditions {
  /** What holds of each event that they choose. */
  readonly ofEvents: readonly string[];
  /** What holds of each session that they choose. */
  readonly ofSessions: readonly string[];
}

/** Builds the conditions of filters. */
export function buildFilters(filters: readonly ReportFilter[], rules: PathRules): FilterConditions {
  const isOfEvents = ({ name }: ReportFilter): boolean => EVENT_FILTERS.includes(name);
  return {
    ofEvents: [
      ...(keepsAggregates(filters) ? [] : ["is_full"]),
      ...filters.filter(isOfEvents).map((filter) => buildCondition(filter, rules)),
    ],
    ofSessions: filters.filter((filter) => !isOfEvents(filter)).map((filter) => buildCondition(filter, rules)),
  };
}

/** Joins conditions that hold together. */
export function joinAll(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(" AND ") || "true";
}

/** Builds the condition of an event that passes a stage of a funnel, or reaches a goal. */
export function buildPoint(event: FunnelEvent, rules: PathRules): string {
  if ("page" in event) return `(is_full AND is_view AND page = ${quote(event.page)})`;
  if ("pages" in event) {
    const { source, ignoreCase } = toPathExpression(event.pages, rules);
    return `(is_full AND is_view AND match(page, ${quote(`${ignoreCase ? "(?i)" : ""}${source}`)}))`;
  }
  const isNamed = `is_action AND name = ${quote(event.step)}`;
  if (event.property === undefined) return `(${isNamed})`;
  // A property that isn't there reads as an empty text, which is no JSON.
  if (event.property.value === "") return "false";
  return `(${isNamed} AND scalars[${quote(event.property.key)}] = ${quote(event.property.value)})`;
}

function buildCondition({ name, values, key = "", step, events = [] }: ReportFilter, rules: PathRules): string {
  switch (name) {
    case "page":
      return isOneOf("page", values);
    case "screen":
      // The first of the classes is 1.
      return isOneOf("screen", values.map((value) => SCREEN_CLASSES.findIndex((known) => known === value) + 1 || -1));
    case "signedIn":
      return isOneOf("user_hash <> 0", values.map((value) => ["no", "yes"].indexOf(value)));
    case "entry":
      return `is_landing AND ${isOneOf("first_page", values)}`;
    case "exit":
      return `views > 0 AND ${isOneOf("last_page", values)}`;
    case "step":
      return `countIf(is_action AND ${isOneOf("name", values)}) > 0`;
    case "property": {
      const isOfStep = step === undefined ? "" : ` AND ${isOneOf("name", [step])}`;
      // A property that isn't there reads as an empty text, which is no JSON.
      const jsons = values.filter((value) => value !== "");
      return `countIf(is_action${isOfStep} AND ${isOneOf(`scalars[${quote(key)}]`, jsons)}) > 0`;
    }
    case "goal":
      return `countIf(${events.map((event) => buildPoint(event, rules)).join(" OR ") || "false"}) > 0`;
    default:
      return isOneOf(`session_${name}`, values);
  }
}

function isOneOf(what: string, values: readonly (string | number)[]): string {
  return values.length === 0 ? "false" : `has([${quoteAll(values)}], ${what})`;
}
