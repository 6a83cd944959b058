import { PAGEVIEW_NAME } from "../../client/base/draft.ts";
import {
  MAX_CONTEXT_FIELD_LENGTH,
  MAX_JSON_DEPTH,
  MAX_PROPERTIES_BYTES,
  MAX_TRAITS_BYTES,
} from "../../client/base/limits.ts";
import { pathOf } from "../../client/base/url.ts";
import { utf8Length } from "../../client/base/utf8.ts";

/**
 * An event as a rule sees it: everything that the application or the page put into it. A rule may change it, or return
 * another one.
 */
export interface RuledEvent {
  /** `"aggregate"` is a pageview without identity, as `trackPageviews: "auto"` records it while consent is pending. */
  readonly kind: "step" | "pageview" | "aggregate";
  /** Name of the event. A pageview's is `$pageview`, and stays. */
  name: string;
  /** Properties of a step. */
  properties?: Record<string, unknown> | undefined;
  /** Traits of the user. */
  traits?: Record<string, unknown> | undefined;
  /** URL of the page; without query and fragment in an aggregate. */
  url: string;
  /** URL of the page before, or of the one that led here; its origin in an aggregate. Empty where there is none. */
  referrer: string;
  /** Title of the page; empty where there is none, and in an aggregate. */
  title: string;
}

/**
 * A rule: returns the event as it may leave, or `null` to drop it. An event for which it throws is dropped. The second
 * argument is the visitor's ID, for a choice by visitor; absent for an aggregate, which has none.
 *
 * @example
 * ```ts
 * import type { Rule } from "@vendor/sdk/rules";
 *
 * // The event after a dropped page still names it as its referrer.
 * const withoutInternalPages: Rule = (event) => {
 *   if (event.url.includes("/internal/")) return null;
 *   return event.referrer.includes("/internal/") ? { ...event, referrer: "" } : event;
 * };
 * ```
 */
export type Rule = (event: RuledEvent, anonymousId?: string) => RuledEvent | null;

/** An event as it's sent (SPEC 2.6), as far as rules are concerned. */
interface SentEvent {
  readonly name: string;
  readonly properties?: Record<string, unknown>;
  /** Absent from an aggregate, and from nothing else. */
  readonly sessionId?: string;
  readonly identity?: { readonly anonymousId?: string; readonly traits?: Record<string, unknown> };
  readonly context: { readonly pageUrl?: string; readonly referrer?: string; readonly pageTitle?: string };
}

/** Returns what rules see of an event. */
export function toRuled({ name, properties, sessionId, identity, context }: SentEvent): RuledEvent {
  const page = { url: context.pageUrl ?? "", referrer: context.referrer ?? "", title: context.pageTitle ?? "" };
  if (!sessionId) return { kind: "aggregate", name, ...page };
  const kind = name === PAGEVIEW_NAME ? "pageview" : "step";
  return { kind, name, properties, traits: identity?.traits, ...page };
}

/**
 * Returns the event with what rules made of it.
 *
 * @throws {Error} Where that is no event of its kind.
 */
export function applyRuled(sent: SentEvent, ruled: RuledEvent): SentEvent {
  const { name, properties, traits, url, referrer, title } = ruled;
  for (const text of [url, referrer, title]) {
    if (typeof text !== "string") throw new Error("url, referrer and title must be texts");
  }
  if (!sent.sessionId) {
    // Nothing but origin and path of the page, and the origin of its referrer (SPEC 2.8).
    const { protocol, host, pathname } = new URL(url);
    if (host === "") throw new Error("the url must have a host");
    // A scheme of an application, such as capacitor:, has no origin.
    const context = {
      ...sent.context,
      pageUrl: fitText(`${protocol}//${host}${pathname}`),
      referrer: originOf(referrer),
    };
    return { ...sent, context } as SentEvent;
  }
  const isName = typeof name === "string" && /^.{1,100}$/su.test(name);
  if (!isName || (sent.name === PAGEVIEW_NAME && name !== PAGEVIEW_NAME)) throw new Error("the name is invalid");
  checkSize(properties, MAX_PROPERTIES_BYTES);
  checkSize(traits, MAX_TRAITS_BYTES);
  const page = { pageUrl: fitUrl(url), referrer: fitUrl(referrer), pageTitle: fitText(title) };
  const context = { ...sent.context, ...page };
  return { ...sent, name, properties, identity: { ...sent.identity, traits }, context } as SentEvent;
}

function checkSize(value: unknown, maxBytes: number): void {
  if (value === undefined) return;
  const text: string | undefined = JSON.stringify(value);
  if (text?.[0] !== "{") throw new Error("properties and traits must be objects");
  if (utf8Length(text) > maxBytes) throw new Error("properties or traits are too large");
  if (isDeeper(value, MAX_JSON_DEPTH)) throw new Error("properties or traits are too deep");
}

/** Returns whether a value has more levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Returns a URL as an event can have it: one that is too long without its query and fragment. */
function fitUrl(url: string): string | undefined {
  return fitText(url) ?? fitText(pathOf(url));
}

/** Returns a text as an event can have it; none for one that is too long or empty. */
function fitText(text: string): string | undefined {
  return text && text.length <= MAX_CONTEXT_FIELD_LENGTH ? text : undefined;
}

/** Returns the origin of a URL; none where the text is no URL, or has an opaque origin, as `android-app:`. */
function originOf(url: string): string | undefined {
  try {
    const { origin } = new URL(url);
    return origin === "null" ? undefined : fitText(origin);
  } catch {
    return undefined; // an aggregate may do without a referrer
  }
}
