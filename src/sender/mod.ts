/**
 * Events from a backend: steps of a user who isn't in a page just then, such as a purchase that a webhook tells of.
 *
 * @example
 * ```ts
 * import { createIngest, createMemorySink } from "@vendor/ingest";
 * import { createSender } from "@vendor/sdk/server";
 *
 * const [apiKey, secret] = ["pk_live_123", "ss_0123456789abcdef0123456789abcdef"];
 * const keys = [{ apiKey, origins: ["https://shop.example"], sendingSecrets: { webhooks: secret } }];
 * const ingest = createIngest({ keys, sink: createMemorySink() });
 *
 * // Without `fetch` it sends to an ingest elsewhere, at its `endpoint`.
 * const sender = createSender({ apiKey, secret, fetch: ingest });
 * sender.step({ userId: "user-1", name: "purchase", properties: { total: 12.5 }, dedupeId: "order 17" });
 * const outcome = await sender.close();
 *
 * if (outcome !== "stored") throw new Error("the ingest took nothing");
 * ```
 *
 * @module
 */
export type { Sender, SenderOptions, SenderProblem, SenderRequest, SenderResponse, SenderStep } from "./options.ts";
export { createSender } from "./sender.ts";
