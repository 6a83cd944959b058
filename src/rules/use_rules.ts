import type { Environment } from "../environment/environment.ts";
import { applyRedacted, type Redaction, toRedactable } from "./ruled_event.ts";

/**
 * Returns an environment whose client redacts each event before it's stored or sent. The rules run one after the other,
 * a task after the call. Each sees what the one before it returned; the first `null` drops the event, which is counted
 * as `redacted` in {@linkcode Client.drops}. An event for which a rule throws is dropped with a warning.
 *
 * @param environment Where the client runs. Nothing changes where there is no page.
 * @param rules The rules, in order.
 *
 * @example
 * ```ts
 * import { createClient, detectEnvironment } from "@vendor/sdk/client";
 * import { dropQuery, withRedaction } from "@vendor/sdk/rules";
 *
 * const client = createClient({ apiKey: "pk_live_123" }, withRedaction(detectEnvironment(), dropQuery()));
 * client.step("signup");
 * ```
 */
export function withRedaction(environment: Environment, ...rules: readonly Redaction[]): Environment {
  if (!environment.canCollect) return environment;
  const { redact: before } = environment;
  return {
    ...environment,
    redact(text) {
      const earlier = before ? before(text) : text;
      if (earlier === null) return null;
      const event = JSON.parse(earlier);
      let redacted = toRedactable(event);
      for (const rule of rules) {
        const next = rule(redacted);
        if (next === null) return null;
        redacted = next;
      }
      return JSON.stringify(applyRedacted(event, redacted));
    },
  };
}
