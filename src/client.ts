/**
 * Clients beside the singleton: several on one page, and environments of one's own.
 *
 * @example
 * ```ts
 * import { createClient } from "@vendor/sdk/client";
 *
 * const client = createClient({ apiKey: "pk_live_123" });
 * client.step("signup", { plan: "pro" });
 * ```
 *
 * @module
 */
import type { Environment } from "./environment/environment.ts";
import type { Capture } from "./capture.ts";
import { INSIDE } from "./inside.ts";
import { type Client, createInstance, type Instance } from "./instance.ts";
import type { FinishedEvent } from "./queue.ts";
import type { InitConfig } from "./types.ts";

export type { DropCounts, DropReason } from "./report.ts";
export type {
  Cancel,
  Environment,
  EnvironmentListeners,
  HeadlessEnvironment,
  KeyValueStorage,
  LogLevel,
  NavigationKind,
  PageEnvironment,
  StorageChange,
  TransportAnswer,
  TransportRequest,
} from "./environment/environment.ts";
export { NO_ANSWER, UNSENDABLE } from "./environment/environment.ts";
export { detectEnvironment } from "./environment/detect.ts";
export type { Client, Operations } from "./instance.ts";
export type { Config, ConsentState, InitConfig } from "./types.ts";

/**
 * Creates a client of its own, apart from `Vendor`. Clients of one origin share what is stored on the device.
 *
 * @param config As of `Vendor.init()` (SPEC 2.1).
 * @param environment Where it runs; by default the browser, or nowhere where there is no document.
 * @throws {Error} One of the five errors of SPEC 7 where the configuration is invalid.
 *
 * @example Turn a client off, in a preview for instance.
 * ```ts
 * import { createClient, type Environment } from "@vendor/sdk/client";
 *
 * const nowhere: Environment = { canCollect: false, log: () => {} };
 * const client = createClient({ apiKey: "pk_live_123" }, nowhere);
 * client.step("never_sent");
 * client.close();
 * ```
 */
export function createClient(config: InitConfig, environment?: Environment): Client {
  const { init, ...client } = createInstance(environment);
  const drops = redactEvents(client);
  init(config);
  return { ...client, drops };
}

/** Lets the environment redact events as they're made. Returns what counts the dropped ones. */
function redactEvents({ [INSIDE]: inside, drops, getConsent }: Omit<Instance, "init">): Client["drops"] {
  const { environment, capture, report } = inside;
  if (!environment.canCollect || !environment.redact) return drops;
  const { redact } = environment;
  const { finish, withdraw } = capture;
  let redacted = 0;
  /** Whether the last event made was an aggregate that is dropped: the page's own, that a grant takes back. */
  let isDropped = false;
  const redactOne = (event: FinishedEvent): FinishedEvent | undefined => {
    let text: string | null = null;
    try {
      text = redact(event.text);
    } catch (error) {
      report.warn("event dropped: redaction failed");
      report.debug(`redaction failed: ${error}`);
    }
    isDropped = !text && event.isAggregate;
    if (text) return { ...event, text };
    redacted++;
    report.debug(`redacted: ${JSON.parse(event.text).name}`);
  };
  Object.assign(
    capture,
    {
      finish() {
        const consent = getConsent();
        const events = finish().map(redactOne).filter((event) => event !== undefined);
        if (getConsent() === consent) return events;
        report.drop("consent", events.length); // a rule changed it
        return [];
      },
      withdraw(draft) {
        if (withdraw(draft)) return true;
        const wasDropped = isDropped;
        isDropped = false;
        return wasDropped;
      },
    } satisfies Partial<Capture>,
  );
  return () => redacted ? { ...drops(), redacted } : drops();
}
