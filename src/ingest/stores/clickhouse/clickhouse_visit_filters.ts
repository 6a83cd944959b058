import { EVENT_FILTERS, type ReportFilter, SCREEN_CLASSES } from "../../ports/report_store.ts";
import type { Parameters } from "./clickhouse_port.ts";

/** What a query's filters ask of its events and of its sessions, in the words of the tables of visits. */
export interface FilterConditions {
  /** What holds of each event that they choose. */
  readonly ofEvents: readonly string[];
  /** What holds of each session that they choose. */
  readonly ofSessions: readonly string[];
  /** Values of the bound parameters. */
  readonly parameters: Parameters;
}

/** Builds the conditions of filters. */
export function buildFilters(filters: readonly ReportFilter[]): FilterConditions {
  const named = filters.map((filter, index) => ({ filter, parameter: `filter_${index}` }));
  const build = (isOfEvents: boolean): readonly string[] =>
    named.filter(({ filter }) => EVENT_FILTERS.includes(filter.name) === isOfEvents)
      .map(({ filter, parameter }) => buildCondition(filter, parameter));
  const isOfPages = filters.every(({ name }) => name === "page");
  return {
    ofEvents: [...(isOfPages ? [] : ["is_full"]), ...build(true)],
    ofSessions: build(false),
    parameters: Object.assign({}, ...named.map(({ filter, parameter }) => bindFilter(filter, parameter))),
  };
}

/** Joins conditions that hold together. */
export function joinAll(conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(" AND ") || "true";
}

function buildCondition({ name, step }: ReportFilter, parameter: string): string {
  const isNamed = (what: string): string => `has({${parameter}:Array(String)}, ${what})`;
  switch (name) {
    case "page":
      return isNamed("page");
    case "screen":
      return `has({${parameter}:Array(UInt8)}, screen)`;
    case "signedIn":
      return `has({${parameter}:Array(UInt8)}, user_hash <> 0)`;
    case "entry":
      return `is_landing AND ${isNamed("first_page")}`;
    case "exit":
      return `views > 0 AND ${isNamed("last_page")}`;
    case "step":
      return `countIf(is_action AND ${isNamed("name")}) > 0`;
    case "property": {
      const isOfStep = step === undefined ? "" : ` AND name = {${parameter}_step:String}`;
      return `countIf(is_action${isOfStep} AND ${isNamed(`scalars[{${parameter}_key:String}]`)}) > 0`;
    }
    default:
      return isNamed(`session_${name}`);
  }
}

function bindFilter({ name, values, key = "", step }: ReportFilter, parameter: string): Parameters {
  switch (name) {
    case "screen":
      return { [parameter]: toPlaces(values, ["", ...SCREEN_CLASSES]) };
    case "signedIn":
      return { [parameter]: toPlaces(values, ["no", "yes"]) };
    case "property":
      return {
        // An empty text is no JSON, and is what a map has of a property that isn't there.
        [parameter]: toTexts(values.filter((value) => value !== "")),
        [`${parameter}_key`]: key.toWellFormed(),
        ...(step !== undefined && { [`${parameter}_step`]: step.toWellFormed() }),
      };
    default:
      return { [parameter]: toTexts(values) };
  }
}

/** Returns the places of values in a list, without those that aren't in it. */
function toPlaces(values: readonly string[], all: readonly string[]): readonly number[] {
  return values.map((value) => value === "" ? -1 : all.indexOf(value)).filter((place) => place >= 0);
}

function toTexts(values: readonly string[]): readonly string[] {
  return values.map((value) => value.toWellFormed());
}
