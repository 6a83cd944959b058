/**
 * What a request for a view of a report asks for, in its URL.
 *
 * @module
 */
import {
  type FilterName,
  type Funnel,
  type ReportFilter,
  SCREEN_CLASSES,
  SOURCE_DIMENSIONS,
  SOURCE_GROUPINGS,
  type SourceGrouping,
  type Traffic,
  TRAFFICS,
} from "../../ports/reader.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import { isProblem, NO_SITE, type Problem, type Range, readOneOf, readRange, toScalarJson } from "../query/query.ts";
import {
  ORDERS,
  readReturn,
  readStages,
  type RetentionUnit,
  type Stage,
  UNITS,
  type Within,
  WITHINS,
  writeStage,
} from "../query/stages.ts";
import { createZone, toZoneDay, UTC, type Zone } from "../query/zones.ts";

/** The views of a report. */
export const VIEWS = [
  "overview",
  "pages",
  "sources",
  "steps",
  "goals",
  "funnel",
  "retention",
  "consent",
  "live",
  "sites",
  "person",
] as const;

/** One of {@linkcode VIEWS}. */
export type ViewName = typeof VIEWS[number];

/** What a period stands beside: as many days before, the same weekdays of the weeks before, or those a year ago. */
export const COMPARISONS = ["before", "weeks", "year"] as const;

/** One of {@linkcode COMPARISONS}. */
export type Comparison = typeof COMPARISONS[number];

/** Whose source sessions are listed under: their own, or that of their visitor's first session. */
export const SOURCES_OF = ["session", "first"] as const;

/** What is asked for, but for the site. */
export interface ViewQuery extends Range {
  /** The view. */
  readonly view: ViewName;
  /** Zone of the days. */
  readonly zone: Zone;
  /** What stands beside it. */
  readonly compare: Comparison;
  /** Whose events. */
  readonly traffic: Traffic;
  /** Filters; those of a name are one, with alternatives. */
  readonly filters: readonly ReportFilter[];
  /** What sources are grouped by. */
  readonly by: SourceGrouping;
  /** Whose source sessions are listed under. */
  readonly of: typeof SOURCES_OF[number];
  /** Name of the steps whose values are shown. */
  readonly step?: string;
  /** Property of the step. */
  readonly key?: string;
  /** Stages of the funnel; none where no funnel is asked for. */
  readonly stages: readonly Stage[];
  /** In which time the last stage has to follow the first. */
  readonly within: Within;
  /** How stages follow each other. */
  readonly order: Funnel["order"];
  /** Periods of retention. */
  readonly unit: RetentionUnit;
  /** What counts as a return; any event where it's absent. */
  readonly event?: Stage;
}

/** Names of filters, in the order of the documentation. */
export const FILTER_NAMES: readonly FilterName[] = [
  ...["page", "entry", "exit", "step", "property", "goal"] as const,
  ...SOURCE_DIMENSIONS,
  ...["screen", "signedIn"] as const,
];

/** Longest value of a filter, in UTF-16 units: three times a fact's, which may be percent-encoded. */
const MAX_VALUE_UNITS = 2048;

/** Most values of all filters together. */
const MAX_VALUES = 50;

/** Reads what is asked for. An empty parameter counts as missing. */
export function readViewQuery(parameters: URLSearchParams, now: number): ViewQuery | Problem {
  const view = readOneOf(parameters, "view", VIEWS);
  if (view === undefined) return refuse("bad_view", `view must be one of ${VIEWS.join(", ")}`);
  const zone = createZone(parameters.get("zone") || UTC.name);
  if (zone === undefined) return refuse("bad_zone", "zone must be a time zone such as Europe/Berlin");
  const range = readRange(parameters, { day: toZoneDay(zone, now), zone: zone.name });
  if (isProblem(range)) return range;
  const compare = readOneOf(parameters, "compare", COMPARISONS);
  if (compare === undefined) return refuse("bad_compare", `compare must be one of ${COMPARISONS.join(", ")}`);
  const traffic = readOneOf(parameters, "traffic", TRAFFICS);
  if (traffic === undefined) return refuse("bad_traffic", `traffic must be one of ${TRAFFICS.join(", ")}`);
  const by = readOneOf(parameters, "by", SOURCE_GROUPINGS);
  if (by === undefined) return refuse("bad_by", `by must be one of ${SOURCE_GROUPINGS.join(", ")}`);
  const of = readOneOf(parameters, "of", SOURCES_OF);
  if (of === undefined) return refuse("bad_of", `of must be one of ${SOURCES_OF.join(", ")}`);
  const filters = readFilters(parameters.getAll("filter").filter((text) => text !== ""));
  if (isProblem(filters)) return filters;
  const [step, key] = [parameters.get("step") || undefined, parameters.get("key") || undefined];
  if (key !== undefined && step === undefined) return refuse("bad_key", "key goes with the step that has it");
  const stages = readStages(parameters.getAll("stage").filter((text) => text !== ""));
  if (isProblem(stages)) return stages;
  const within = readOneOf(parameters, "within", WITHINS);
  if (within === undefined) return refuse("bad_funnel", `within must be one of ${WITHINS.join(", ")}`);
  const order = readOneOf(parameters, "order", ORDERS);
  if (order === undefined) return refuse("bad_funnel", `order must be one of ${ORDERS.join(", ")}`);
  const unit = readOneOf(parameters, "unit", UNITS);
  if (unit === undefined) return refuse("bad_unit", `unit must be one of ${UNITS.join(", ")}`);
  const event = parameters.get("event") ? readReturn(parameters.get("event") ?? "") : undefined;
  if (isProblem(event)) return event;
  return {
    view,
    stages,
    within,
    order,
    unit,
    ...range,
    zone,
    compare,
    traffic,
    filters,
    by,
    of,
    ...(step !== undefined && { step }),
    ...(key !== undefined && { key }),
    ...(event !== undefined && { event }),
  };
}

/** Reads filters, each a text such as `page:/teas`. */
function readFilters(texts: readonly string[]): readonly ReportFilter[] | Problem {
  if (texts.length > MAX_VALUES) return refuse("bad_filter", `there may be ${MAX_VALUES} filters at most`);
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
  const [head = "", ...rest] = text.split(":");
  const [word = "", step] = head.split("@");
  const name = FILTER_NAMES.find((one) => one === word);
  const value = rest.join(":");
  if (name === undefined || rest.length === 0) {
    return refuse("bad_filter", `a filter is a name, a colon and a value; names are ${FILTER_NAMES.join(", ")}`);
  }
  if (value.length > MAX_VALUE_UNITS) {
    return refuse("bad_filter", `a filter's value has at most ${MAX_VALUE_UNITS} characters`);
  }
  if (name === "property") return readProperty(rest, step);
  if (step !== undefined) return refuse("bad_filter", 'only property goes with a step, as property@signup:tier:"pro"');
  return checkValue(name, value) ?? { name, values: [value] };
}

/** Reads what comes after `property:`, a key and a value as JSON. */
function readProperty([key = "", ...rest]: readonly string[], step: string | undefined): ReportFilter | Problem {
  const value = toScalarJson(rest.join(":"));
  if (key === "" || step === "" || value === undefined) {
    return refuse("bad_filter", 'a property is written as property:tier:"pro", its value as JSON');
  }
  return { name: "property", key: decode(key), values: [value], ...(step !== undefined && { step: decode(step) }) };
}

/** Says what is wrong with a value; undefined for nothing. */
function checkValue(name: FilterName, value: string): Problem | undefined {
  if (name === "signedIn" && value !== "yes" && value !== "no") return refuse("bad_filter", "signedIn is yes or no");
  if (name === "screen" && !SCREEN_CLASSES.some((one) => one === value)) {
    return refuse("bad_filter", `screen is one of ${SCREEN_CLASSES.join(", ")}`);
  }
  if (name === "step" && value === PAGEVIEW_NAME) return refuse("bad_filter", "pageviews are no steps: filter by page");
  const isSource = SOURCE_DIMENSIONS.some((one) => one === name);
  if (value === "" && !isSource) return refuse("bad_filter", `${name} needs a value`);
  return undefined;
}

/** Writes what {@linkcode readViewQuery} reads; what is by default is left out, but for site and days. */
export function writeViewQuery({ site, ...query }: ViewQuery & { readonly site: string }): URLSearchParams {
  const { view, from, to, zone, compare, traffic, filters, by, of, step, key, stages, within, order, unit, event } =
    query;
  return new URLSearchParams([
    ...(view === VIEWS[0] ? [] : [["view", view]]),
    ["site", site || NO_SITE],
    ["from", from],
    ["to", to],
    ...(zone.name === UTC.name ? [] : [["zone", zone.name]]),
    ...(compare === COMPARISONS[0] ? [] : [["compare", compare]]),
    ...(traffic === TRAFFICS[0] ? [] : [["traffic", traffic]]),
    ...listFilterTexts(filters).map((text) => ["filter", text]),
    ...((view !== "sources" && view !== "live") || by === SOURCE_GROUPINGS[0] ? [] : [["by", by]]),
    ...(view !== "sources" || of === SOURCES_OF[0] ? [] : [["of", of]]),
    ...(view !== "steps" || step === undefined ? [] : [["step", step], ...(key === undefined ? [] : [["key", key]])]),
    ...(view !== "funnel"
      ? []
      : [...stages.map((stage) => ["stage", writeStage(stage)]), ["within", within], ["order", order]]),
    ...(view !== "retention" ? [] : [["unit", unit], ...(event === undefined ? [] : [["event", writeStage(event)]])]),
  ]);
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

function refuse(code: Problem["code"], message: string): Problem {
  return { status: 400, code, message };
}
