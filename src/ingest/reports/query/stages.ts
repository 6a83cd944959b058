/**
 * Stages of a funnel, and what counts as a return, as they stand in a URL: `page:/cart|step:checkout_started`.
 *
 * @module
 */
import { findPatternProblem, isPathPattern } from "../../events/path_rules.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import type { FunnelEvent } from "../../ports/report_query.ts";
import { type Problem, toScalarJson } from "./query.ts";

/** An alternative of a stage: a page, a step, or a goal of the key. */
export type StageEvent = FunnelEvent | {
  /** Name of the goal. */
  readonly goal: string;
};

/** A stage: one of these passes it. */
export type Stage = readonly StageEvent[];

const [MIN_STAGES, MAX_STAGES] = [2, 8] as const;

/** Most alternatives of a stage, and UTF-16 units of one. */
const [MAX_EVENTS, MAX_UNITS] = [20, 2048] as const;

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
  const pages = events.flatMap((event) => typeof event !== "string" && "page" in event ? event.page : []);
  const problem = pages.filter(isPathPattern).map(findPatternProblem).find((one) => one !== undefined);
  if (problem !== undefined) return `a page ${problem}`;
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

/** Lists the goals that stages name. */
export function listGoalNames(stages: readonly Stage[]): readonly string[] {
  return stages.flatMap((stage) => stage.flatMap((event) => "goal" in event ? [event.goal] : []));
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
