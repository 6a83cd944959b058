/**
 * Redaction: rules that see each event before it's stored or sent, and change or drop it.
 *
 * @example
 * ```ts
 * import { createClient, detectEnvironment } from "@vendor/sdk/client";
 * import { keepQuery, maskPath, withRedaction } from "@vendor/sdk/rules";
 *
 * const environment = withRedaction(
 *   detectEnvironment(),
 *   keepQuery(["utm_*", "q"]),
 *   maskPath(/\/users\/[^/]+/, "/users/:id"),
 *   (event) => event.title.startsWith("Draft: ") ? null : event,
 * );
 * const client = createClient({ apiKey: "pk_live_123" }, environment);
 * client.step("signup");
 * ```
 *
 * @module
 */
export type { RedactableEvent, Redaction } from "./ruled_event.ts";
export { dropQuery, keepQuery, maskPath, type QueryOptions } from "./url_rules.ts";
export { withRedaction } from "./use_rules.ts";
