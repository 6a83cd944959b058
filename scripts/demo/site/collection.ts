/**
 * What each consent state lets through, in plain words (SPEC 3).
 *
 * @module
 */
import type { ConsentState } from "@vendor/sdk";
import { toJson } from "../../../src/json.ts";
import { MAX_PROPERTIES_BYTES } from "../../../src/limits.ts";
import { utf8Length } from "../../../src/utf8.ts";
import type { Mode } from "./settings.ts";

/** How much of something is collected. */
export type Level = "full" | "aggregate" | "none";

/** One line of the panel. */
export interface Fact {
  /** What the line is about. */
  readonly topic: string;
  /** How much of it is collected. */
  readonly level: Level;
  /** What that means. */
  readonly text: string;
}

/** What is collected in a state. */
export interface Collection {
  /** Headline. */
  readonly title: string;
  /** One or two sentences. */
  readonly summary: string;
  /** Line by line. */
  readonly facts: readonly Fact[];
}

/** Describes what the SDK collects now. */
export function describeCollection(consent: ConsentState, mode: Mode): Collection {
  if (consent === "granted") return granted(mode);
  if (consent === "denied") return DENIED;
  return pending(mode);
}

/** Says what becomes of a call of the SDK in a consent state. */
export function describeCall(method: "step" | "page" | "identify" | "reset" | "flush", consent: ConsentState): string {
  if (consent === "granted") return GRANTED_CALLS[method];
  if (method === "flush") return consent === "pending" ? "waiting aggregates are sent" : "there is nothing to send";
  if (method === "step" || method === "page") return `discarded: consent is ${consent}`;
  if (consent === "denied") return "ignored: consent is denied";
  return method === "identify"
    ? "remembered in memory until consent is granted"
    : "the remembered identity is forgotten";
}

/** Says what becomes of a step; a name has at most 100 characters here, as its field takes no more. */
export function describeStep(
  { name, properties }: { readonly name: string; readonly properties: object | undefined },
  consent: ConsentState,
): string {
  if (consent !== "granted") return describeCall("step", consent);
  if (name === "") return "a warning in the console, no event";
  // Measured as the SDK does.
  const isTooLarge = utf8Length(toJson(properties) ?? "") > MAX_PROPERTIES_BYTES;
  return isTooLarge ? "over 32 KiB: a warning in the console, no event" : describeCall("step", consent);
}

const GRANTED_CALLS = {
  step: "queued, sent within 1.5 s",
  page: "queued, sent within 1.5 s",
  identify: "later events carry it",
  reset: "new visitor ID, new session",
  flush: "what is queued is sent now",
} as const;

const DENIED: Collection = {
  title: "Nothing is collected",
  summary: "Collection has stopped, what was queued is gone, and the SDK’s identifiers are removed from the device.",
  facts: [
    { topic: "Pageviews", level: "none", text: "none" },
    { topic: "Steps", level: "none", text: "discarded" },
    { topic: "Visitor, session", level: "none", text: "forgotten" },
    { topic: "User, traits", level: "none", text: "forgotten, identify() ignored" },
    { topic: "Device", level: "none", text: "no SDK key stays" },
  ],
};

function granted(mode: Mode): Collection {
  const pageviews: Fact = mode === false
    ? { topic: "Pageviews", level: "none", text: "only where page() is called" }
    : { topic: "Pageviews", level: "full", text: "URL, referrer, title, screen size" };
  return {
    title: "Full analytics",
    summary: "Events carry who, which session and where.",
    facts: [
      pageviews,
      { topic: "Steps", level: "full", text: "name and properties" },
      { topic: "Visitor, session", level: "full", text: "random IDs" },
      { topic: "User, traits", level: "full", text: "from identify() until reset()" },
      { topic: "Device", level: "full", text: "visitor and session ID, undelivered events" },
    ],
  };
}

function pending(mode: Mode): Collection {
  const isCounting = mode === "auto";
  const pageviews: Fact = isCounting
    ? { topic: "Pageviews", level: "aggregate", text: "origin and path, referrer’s origin" }
    : { topic: "Pageviews", level: "none", text: `none with trackPageviews: ${mode}` };
  return {
    title: isCounting ? "Pages are counted, people aren’t" : "Nothing is collected yet",
    summary: isCounting
      ? "Pageviews without visitor, session, query, fragment, title or screen. The device is neither read nor written."
      : "Collection waits for a choice. The device is neither read nor written.",
    facts: [
      pageviews,
      { topic: "Steps", level: "none", text: "discarded, never replayed" },
      { topic: "Visitor, session", level: "none", text: "none is made" },
      { topic: "User, traits", level: "none", text: "the last identify() is kept in memory" },
      { topic: "Device", level: "none", text: "untouched" },
    ],
  };
}
