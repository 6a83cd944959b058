/**
 * Rules: functions that see each event before anything keeps or sends it, and change or drop it.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addProperties, addRules, keepQuery, maskPath } from "@vendor/sdk/rules";
 *
 * addRules(
 *   Vendor,
 *   keepQuery(["utm_*", "q"]),
 *   maskPath(/\/users\/[^/]+/, "/users/:id"),
 *   addProperties({ release: "2026.11" }),
 *   (event) => event.title.startsWith("Draft: ") ? null : event,
 * );
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", trackPageviews: "auto" });
 * ```
 *
 * @module
 */
export { addProperties } from "./add_properties.ts";
export { maskMailAndTokens } from "./mask_mail_and_tokens.ts";
export type { Rule, RuledEvent } from "./ruled_event.ts";
export { sampleVisitors } from "./sample_visitors.ts";
export { dropQuery, keepQuery, maskPath } from "./url_rules.ts";
export { addRules } from "./add_rules.ts";
