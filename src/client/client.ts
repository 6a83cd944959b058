import type { Environment } from "./platform/environment.ts";
import { countDrops, type DropCounts } from "./drop_counts.ts";
import { INSIDE } from "./inside.ts";
import { createInstance } from "./instance.ts";
import type { Operations } from "./operations.ts";
import type { InitConfig } from "./base/types.ts";

/** A client: the operations, and what an application with several of them needs. */
export interface Client extends Operations {
  /** Returns how many events were dropped, by reason. */
  drops(): DropCounts;
  /** Ends the client: what is queued leaves as when the page goes, and every listener and timer goes. */
  close(): void;
}

// SPEC 2.1, 7
/**
 * Creates a client of its own, apart from `Vendor`. Clients of one origin share what is stored on the device. A denial
 * reaches those of other tabs; tell each client of the same page.
 *
 * @param config As of `Vendor.init()`.
 * @param environment Where it runs; by default the browser, or nowhere where there is no document.
 * @throws {Error} What is wrong with `config`, as one of five messages.
 *
 * @example Turn a client off, in a preview for instance.
 * ```ts
 * import { createClient, type Environment } from "@vendor/sdk/client";
 *
 * const nowhere: Environment = { canCollect: false, log: () => {} };
 * const client = createClient({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events" }, nowhere);
 * client.step("never_sent");
 * client.close();
 * ```
 */
export function createClient(config: InitConfig, environment?: Environment): Client {
  const { init, ...client } = createInstance(environment);
  const drops = countDrops(client[INSIDE].hooks);
  init(config);
  return { ...client, drops };
}
