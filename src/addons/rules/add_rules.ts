import { attempt, describeError } from "../../client/base/attempt.ts";
import type { FinishedEvent } from "../../client/base/draft.ts";
import { warnDeveloper } from "../page/page.ts";
import { findInside, type Inside } from "../../client/inside.ts";
import type { Operations } from "../../client/operations.ts";
import type { Hooks } from "../../client/hooks.ts";
import { applyRuled, type Rule, toRuled } from "./ruled_event.ts";

/**
 * Sets rules that see each event before anything keeps or sends it. They run one after the other, a task after the call
 * or as the page goes, behind the rules that were set before. Each gets what the one before it returned; the first
 * `null` drops the event. An event for which a rule throws is dropped with a warning, which has the rule's first error.
 * Both count as `redacted` in the client's drops.
 *
 * Set them before `init()` or in the same task, so that they see the first page: they also see what was recorded before
 * the call and that task hasn't made an event yet. Where there is no page nothing happens.
 * What isn't a client is a warning in the console.
 *
 * @param rules The rules, in order.
 * @returns Takes these rules out again.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addRules, dropQuery } from "@vendor/sdk/rules";
 *
 * const removeRules = addRules(Vendor, dropQuery());
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", trackPageviews: true });
 * removeRules();
 * ```
 */
export function addRules(target: Pick<Operations, "getConsent">, ...rules: readonly Rule[]): () => void {
  const { environment, hooks } = attempt(() => findRuled(target)) ?? {};
  const beforeSend = hooks?.beforeSend;
  if (!environment || !Array.isArray(beforeSend)) {
    warnDeveloper("addRules() takes Vendor or a client of this version: no rule is set");
    return () => {};
  }
  if (!environment.canCollect) return () => {};
  const review = createReview(rules);
  beforeSend.push(review);
  return () => {
    const index = beforeSend.indexOf(review);
    if (index >= 0) beforeSend.splice(index, 1);
  };
}

/** Returns a function that has an event go through the rules. */
function createReview(rules: readonly Rule[]): (event: FinishedEvent) => FinishedEvent | undefined {
  /** The first error of each rule, and of making an event of what the last one returned. */
  const errors = new Map<number, string>();
  return (event) => {
    let index = 0;
    try {
      const sent = JSON.parse(event.text);
      let ruled = toRuled(sent);
      for (const rule of rules) {
        const next = rule(ruled, sent.identity?.anonymousId);
        if (next === null) return undefined;
        ruled = next;
        index++;
      }
      return { ...event, text: JSON.stringify(applyRuled(sent, ruled)) };
    } catch (error) {
      // The client keeps each text that it has warned of: those of a rule that names the event would have no end.
      const text = errors.get(index) ?? describeError(error);
      errors.set(index, text);
      throw text;
    }
  };
}

/** The part of a client that rules need. */
interface Found {
  readonly environment?: Pick<Inside["environment"], "canCollect">;
  readonly hooks?: Pick<Hooks, "beforeSend">;
}

/** The stand-in for `Vendor` while the file of the script tag is on the way, which takes the rules over. */
interface StandIn {
  readonly queue?: unknown;
  beforeSend?: Hooks["beforeSend"];
}

/** Returns what rules need of a client; nothing in what is none. */
function findRuled(target: unknown): Found | undefined {
  const inside = findInside(target);
  if (inside) return inside as Found;
  const standIn: StandIn = Object(target);
  if (!Array.isArray(standIn.queue)) return undefined;
  return { environment: { canCollect: true }, hooks: { beforeSend: standIn.beforeSend ??= [] } };
}
