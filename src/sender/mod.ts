/**
 * Events from a backend: steps of a user who isn't in a page just then, such as a purchase that a webhook tells of.
 *
 * @example
 * ```ts
 * import { createSender } from "@vendor/sdk/server";
 *
 * const sender = createSender({ apiKey: "pk_live_123", secret: "ss_0123456789abcdef0123456789abcdef" });
 * sender.step({ userId: "user-1", name: "purchase", properties: { total: 12.5 }, dedupeId: "order-17" });
 * ```
 *
 * @module
 */
export type { Sender, SenderDropReason, SenderOptions, SenderProblem, SenderStep } from "./options.ts";
export { createSender } from "./sender.ts";
