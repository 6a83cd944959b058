/**
 * Filters as they stand in a URL: `page:/teas`, `channel:Search`.
 *
 * @module
 */
import { FILTER_NAMES, FILTERS } from "../../ports/report_filters.ts";
import { type FilterName, type ReportFilter, SOURCE_DIMENSIONS } from "../../ports/report_query.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import { isProblem, type Problem, toScalarJson } from "./query.ts";

/** Longest value of a filter, in UTF-16 units: three times a fact's, which may be percent-encoded. */
const MAX_VALUE_UNITS = 2048;

/** Most values of all filters together. */
const MAX_VALUES = 50;

/** Reads filters, each a text such as `page:/teas`. */
export function readFilters(texts: readonly string[]): readonly ReportFilter[] | Problem {
  if (texts.length > MAX_VALUES) return refuse(`there may be ${MAX_VALUES} filters at most`);
  const filters: ReportFilter[] = [];
  for (const text of texts) {
    const filter = readFilter(text);
    if (isProblem(filter)) return filter;
    const index = filters.findIndex((other) => isSameTarget(other, filter));
    const same = filters[index];
    if (same === undefined) filters.push(filter);
    else filters[index] = { ...same, values: [...new Set([...same.values, ...filter.values])] };
  }
  return filters;
}

/** Returns whether two filters look at the same: they are alternatives. */
export function isSameTarget(one: ReportFilter, other: ReportFilter): boolean {
  return one.name === other.name && one.key === other.key && one.step === other.step;
}

function readFilter(text: string): ReportFilter | Problem {
  // People write a path as the list of pages has it.
  if (text.startsWith("/")) return readFilter(`page:${text}`);
  const [head = "", ...rest] = text.split(":");
  const [word = "", step] = head.split("@");
  const name = FILTER_NAMES.find((one) => one === word);
  const value = rest.join(":");
  if (name === undefined || rest.length === 0) {
    return refuse(`a filter is a name, a colon and a value; names are ${FILTER_NAMES.join(", ")}`);
  }
  if (value.length > MAX_VALUE_UNITS) {
    return refuse(`a filter's value has at most ${MAX_VALUE_UNITS} characters`);
  }
  if (name === "property") return readProperty(rest, step);
  if (step !== undefined) return refuse('only property goes with a step, as property@signup:tier:"pro"');
  return checkValue(name, value) ?? { name, values: [value] };
}

/** Reads what comes after `property:`, a key and a value as JSON. */
function readProperty([key = "", ...rest]: readonly string[], step: string | undefined): ReportFilter | Problem {
  const value = toScalarJson(rest.join(":"));
  if (key === "" || step === "" || value === undefined) {
    return refuse('a property is written as property:tier:"pro", its value as JSON');
  }
  return { name: "property", key: decode(key), values: [value], ...(step !== undefined && { step: decode(step) }) };
}

/** Says what is wrong with a value; undefined for nothing. */
function checkValue(name: FilterName, value: string): Problem | undefined {
  const { values, column } = FILTERS[name];
  if (values !== undefined && !values.includes(value)) return refuse(`${name} is one of ${values.join(", ")}`);
  if (name === "step" && value === PAGEVIEW_NAME) return refuse("pageviews are no steps: filter by page");
  const mayBeEmpty = name === "entry" || column !== undefined || SOURCE_DIMENSIONS.some((one) => one === name);
  if (value === "" && !mayBeEmpty) return refuse(`${name} needs a value`);
  return undefined;
}

/** Writes filters, a text for each of their values. */
export function listFilterTexts(filters: readonly ReportFilter[]): readonly string[] {
  return filters.flatMap(({ name, key, step, values }) => {
    const head = `${name}${step === undefined ? "" : `@${encode(step)}`}:${key === undefined ? "" : `${encode(key)}:`}`;
    return values.map((value) => head + value);
  });
}

/** Encodes what would end a name or a key. */
function encode(text: string): string {
  return text.replace(/[%:@]/g, (character) => encodeURIComponent(character));
}

function decode(text: string): string {
  return text.replace(/%(25|3A|40)/gi, (code) => decodeURIComponent(code));
}

function refuse(message: string): Problem {
  return { status: 400, code: "bad_filter", message };
}
