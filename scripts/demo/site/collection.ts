/**
 * What each consent state lets through, in plain words (SPEC 3).
 *
 * @module
 */
import type { ConsentState } from "@vendor/sdk";
import type { Mode } from "./settings.ts";

/** How much of something is collected. */
export type Level = "full" | "aggregate" | "none";

/** One line of the panel: what it's about, how much of it is collected, and what that means. */
export type Fact = readonly [topic: string, level: Level, text: string];

/** What is collected in a state. */
export interface Collection {
  /** Headline. */
  readonly title: string;
  /** One or two sentences. */
  readonly summary: string;
  /** Line by line. */
  readonly facts: readonly Fact[];
}

/** A method of the SDK. */
export type Call = "step" | "page" | "identify" | "reset" | "flush";

/** What becomes of a call. */
export interface Outcome {
  /** In words. */
  readonly note: string;
  /** Whether consent held the call back. */
  readonly isHeld: boolean;
}

/** A change of the consent state, and what it's made in. */
export interface ConsentChange {
  /** The state before. */
  readonly from: ConsentState;
  /** The state now. */
  readonly to: ConsentState;
  /** The mode in force. */
  readonly mode: Mode;
  /** Whether the ingest has the page of now as an aggregate. */
  readonly isCounted: boolean;
}

/** Describes what the SDK collects now. */
export function describeCollection(consent: ConsentState, mode: Mode): Collection {
  if (consent === "granted") {
    const pageviews: Fact = mode === false
      ? ["Pageviews", "none", "only where page() is called"]
      : ["Pageviews", "full", "URL, referrer, title, screen size"];
    return {
      title: "Full analytics",
      summary: "Events carry who, which session and where.",
      facts: [pageviews, ["Steps", "full", "name and properties"]],
    };
  }
  if (consent === "denied") {
    return {
      title: "Nothing is collected",
      summary: "Nothing leaves, what waited is gone, and the SDK’s keys are erased from the device.",
      facts: [["Pageviews", "none", "none"], ["Steps", "none", "held back"]],
    };
  }
  if (mode !== "auto") {
    return {
      title: "Nothing is collected yet",
      summary: "Collection waits for a choice. The SDK neither reads nor writes the device.",
      facts: [["Pageviews", "none", `none with trackPageviews: ${mode}`], ["Steps", "none", "held back"]],
    };
  }
  return {
    title: "Pages are counted, people aren’t",
    summary: "No visitor, no session, no query, title or screen size. The SDK neither reads nor writes the device.",
    facts: [["Pageviews", "aggregate", "origin and path, referrer’s origin"], ["Steps", "none", "held back"]],
  };
}

/** Says what becomes of a call in a consent state. */
export function describeCall(call: Call, consent: ConsentState): Outcome {
  if (consent === "granted") return { note: GRANTED_CALLS[call], isHeld: false };
  if (call === "flush") return { note: "only pages counted so far can leave", isHeld: false };
  if (call === "reset") {
    return {
      note: consent === "pending" ? "whoever signed in is forgotten" : "there is nobody to forget",
      isHeld: false,
    };
  }
  if (call === "identify" && consent === "pending") {
    return { note: "held back: kept in memory until you accept", isHeld: true };
  }
  return { note: `held back, and never sent: consent is ${consent}`, isHeld: true };
}

const GRANTED_CALLS = {
  step: "queued, sent within 1.5 s",
  page: "queued, sent within 1.5 s",
  identify: "later events carry it",
  reset: "new visitor ID, new session",
  flush: "what is queued is sent now",
} as const;

/** Says what a change of consent changed. */
export function describeChange({ from, to, mode, isCounted }: ConsentChange): string {
  if (to === "denied") return "From here on nothing leaves; what waited is thrown away, and the SDK’s keys are erased.";
  if (to === "pending") {
    return `Undecided again: the device is left alone${mode === "auto" ? ", pages are counted" : ""}.`;
  }
  const page = mode === false
    ? "No page is recorded by itself; from"
    : from === "denied"
    ? "You begin as a new visitor; from"
    : isCounted
    ? "This page was already counted without you; from"
    : "From";
  return `${page} here on events carry your visitor ID and session.`;
}
