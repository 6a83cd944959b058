/**
 * What a request for a funnel or for retention asks for, in its URL.
 *
 * @module
 */
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import type { Funnel, FunnelEvent } from "../../ports/reader.ts";
import { addDays, countDaysSinceMonday } from "./days.ts";
import { type Problem, toScalarJson } from "./query.ts";

/** In which time the last stage of a funnel has to follow the first. */
export const WITHINS = ["session", "1h", "1d", "7d", "30d"] as const;

/** One of {@linkcode WITHINS}. */
export type Within = typeof WITHINS[number];

/** How stages follow each other. */
export const ORDERS: readonly Funnel["order"][] = ["sequential", "strict", "flexible"];

/** The periods of retention. */
export const UNITS = ["week", "day", "month"] as const;

/** One of {@linkcode UNITS}. */
export type RetentionUnit = typeof UNITS[number];

/** What passes a stage: a page or a step, or whatever reaches a goal of the key. */
export type StageEvent = FunnelEvent | {
  /** Name of the goal. */
  readonly goal: string;
};

/** A stage: one of these passes it. */
export type Stage = readonly StageEvent[];

const HOUR_MS = 60 * 60 * 1000;

const WITHIN_MS: Readonly<Record<Within, "session" | number>> = {
  "session": "session",
  "1h": HOUR_MS,
  "1d": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
};

const [MIN_STAGES, MAX_STAGES] = [2, 8] as const;

/** Most alternatives of a stage, and UTF-16 units of one. */
const [MAX_EVENTS, MAX_UNITS] = [20, 2048] as const;

/** Most periods of retention. */
const MAX_PERIODS = 60;

/** Returns the time of a funnel, as the port has it. */
export function toWithin(within: Within): "session" | number {
  return WITHIN_MS[within];
}

/** Reads stages, each a text such as `page:/cart|step:checkout_started`. */
export function readStages(texts: readonly string[]): readonly Stage[] | Problem {
  if (texts.length > 0 && (texts.length < MIN_STAGES || texts.length > MAX_STAGES)) {
    return refuse(`a funnel has ${MIN_STAGES} to ${MAX_STAGES} stages`);
  }
  const stages: Stage[] = [];
  for (const text of texts) {
    const stage = readStage(text);
    if (typeof stage === "string") return refuse(stage);
    stages.push(stage);
  }
  return stages;
}

function readEvent(text: string): StageEvent | string {
  const [name, ...rest] = text.split(":");
  const isBare = text !== "" && rest.length === 0;
  if ((rest.join("") === "" && !isBare) || text.length > MAX_UNITS) {
    return 'a stage or an event is page:/cart, page:/teas/*, step:signup, step:signup:tier:"pro" or goal:Order';
  }
  // People write a path, or the name of a step, as the lists have it.
  if (text.startsWith("/")) return { page: decodeBars(text) };
  if (isBare) return { step: decode(text) };
  if (name === "page") return { page: decodeBars(rest.join(":")) };
  if (name === "goal") return { goal: decode(rest.join(":")) };
  const [step = "", key, ...value] = rest;
  if (name !== "step" || step === "") {
    return "a stage or an event is a path, the name of a step, or begins with page:, step: or goal:";
  }
  if (key === undefined) return { step: decode(step) };
  const json = toScalarJson(decodeBars(value.join(":")));
  if (key === "" || json === undefined) return 'a property is written as step:signup:tier:"pro", its value as JSON';
  return { step: decode(step), property: { key: decode(key), value: json } };
}

/** Reads the event that counts as a return, written as a stage. */
export function readReturn(text: string): Stage | Problem {
  const stage = readStage(text);
  return typeof stage === "string" ? { status: 400, code: "bad_event", message: stage } : stage;
}

function readStage(text: string): Stage | string {
  const events = text.split("|").map(readEvent);
  if (events.some((event) => typeof event !== "string" && "step" in event && event.step === PAGEVIEW_NAME)) {
    return "pageviews are no steps: a stage or an event of any page is page:/*";
  }
  const fault = events.find((event) => typeof event === "string");
  if (fault !== undefined) return fault;
  if (events.length > MAX_EVENTS) return `there may be ${MAX_EVENTS} alternatives at most`;
  return events.filter((event) => typeof event !== "string");
}

/** Writes what {@linkcode readStages} reads. */
export function writeStage(stage: Stage): string {
  return stage.map((event) => {
    if ("page" in event) return `page:${event.page.replaceAll("|", "%7C")}`;
    if ("pages" in event) return `page:${event.pages.replaceAll("|", "%7C")}`;
    if ("goal" in event) return `goal:${encode(event.goal)}`;
    const step = `step:${encode(event.step)}`;
    if (event.property === undefined) return step;
    return `${step}:${encode(event.property.key)}:${event.property.value.replaceAll("|", "%7C")}`;
  }).join("|");
}

/** Lists the first days of the periods that a range touches, and the one behind the last. */
export function listPeriods(
  unit: RetentionUnit,
  { from, to }: { readonly from: string; readonly to: string },
): readonly string[] {
  let start = findStart(unit, from);
  const periods = [start];
  for (;;) {
    const next = findNext(unit, start);
    periods.push(next);
    // There is no day after the last of year 9999.
    if (next > to || next === start) return periods.slice(-MAX_PERIODS - 1);
    start = next;
  }
}

function findStart(unit: RetentionUnit, day: string): string {
  if (unit === "month") return `${day.slice(0, 7)}-01`;
  return unit === "week" ? addDays(day, -countDaysSinceMonday(day)) : day;
}

function findNext(unit: RetentionUnit, start: string): string {
  if (unit !== "month") return addDays(start, unit === "week" ? 7 : 1);
  return `${addDays(start, 31).slice(0, 7)}-01`;
}

/** Encodes what would end a name. */
function encode(text: string): string {
  return text.replace(/[%:|]/g, (character) => encodeURIComponent(character));
}

/** Decodes what stands between alternatives. Colons and percent signs of paths and values are written as they are. */
function decodeBars(text: string): string {
  return text.replace(/%7c/gi, "|");
}

function decode(text: string): string {
  return text.replace(/%(25|3A|7C)/gi, (code) => decodeURIComponent(code));
}

function refuse(message: string): Problem {
  return { status: 400, code: "bad_funnel", message };
}
