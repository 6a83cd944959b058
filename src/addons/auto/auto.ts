import { attempt } from "../../client/base/attempt.ts";
import type { Change } from "../../client/hooks.ts";
import { findInside } from "../../client/inside.ts";
import type { Operations } from "../../client/operations.ts";
import type { Tell } from "../../client/hooks.ts";
import { outsidePageZone, warnDeveloper } from "../page/page.ts";
import { type ClickReader, observeClicks } from "./observe_clicks.ts";
import { type EngagedInside, observeEngagement } from "./observe_engagement.ts";
import { createLinks } from "./observe_links.ts";
import { observeForms } from "./observe_forms.ts";
import type { Observer } from "./observer.ts";
import type { AutoOptions } from "./options.ts";
import { readStep } from "./read_step.ts";

/** Under this name the listener of a client has what ends it: registered, so that another copy of the package finds it. */
const AUTO = Symbol.for("vendor.sdk.auto");

const NAMES: readonly string[] = [
  "engagement",
  "outbound",
  "downloads",
  "forms",
  "clicks",
] satisfies (keyof AutoOptions)[];

type AutoListener = Tell & { readonly [AUTO]: () => void };

/**
 * Records what happens in the page, under granted consent alone: a grant starts it, a withdrawal stops it, whoever makes
 * it. Nothing is observed before, and nothing that happened before is recorded later. Call it once, before `init()` or
 * after it: a second call warns, and returns the end of the first. Where there is no page nothing happens. What isn't a
 * client is a warning in the console.
 *
 * @param target `Vendor`, or a client of `createClient()`.
 * @param options What is recorded; all is off by default.
 * @returns Ends it. Call it before you close a client.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { auto } from "@vendor/sdk/auto";
 *
 * const stopAuto = auto(Vendor, { outbound: { ownOrigins: ["https://help.shop.example"] }, downloads: true });
 * Vendor.init({ apiKey: "pk_live_123", endpoint: "https://ingest.example.com/v1/events", consent: "pending" });
 * stopAuto();
 * ```
 */
export function auto(target: Pick<Operations, "getConsent">, options: AutoOptions): () => void {
  const inside = attempt(() => findInside(target));
  const { environment, hooks } = inside ?? {};
  if (!environment || !Array.isArray(hooks?.on) || !Array.isArray(hooks.beforeSend)) {
    warnDeveloper("auto() takes Vendor or a client of this version: nothing is recorded");
    return () => {};
  }
  if (!environment.canCollect || !globalThis.document?.documentElement) return () => {};
  const { on } = hooks;
  const running = on.find((listener): listener is AutoListener => AUTO in listener);
  if (running) {
    warnDeveloper("auto() runs already: the options of its first call hold");
    return running[AUTO];
  }
  for (const name of Object.keys(Object(options))) {
    if (!NAMES.includes(name)) warnDeveloper(`auto() has no option ${name}`);
  }
  const observers = createObservers(Object(options), () => findInside(target) as EngagedInside);
  const record = (name: string, properties: object): void => (target as Operations).step(name, properties);
  let ends: readonly (() => void)[] = [];
  const stop = (): void => {
    for (const end of ends) end();
    ends = [];
  };
  const follow = (isGranted: boolean): void => {
    if (!isGranted) stop();
    else if (!ends.length) ends = outsidePageZone(() => observers.map((observe) => observe(record)));
  };
  const end = (): void => {
    if (on.includes(hear)) on.splice(on.indexOf(hear), 1);
    stop();
  };
  const hear: AutoListener = Object.assign((change: Change): void => {
    if (change.type === "consent") follow(change.state === "granted");
  }, { [AUTO]: end });
  on.push(hear);
  follow(target.getConsent() === "granted");
  return end;
}

function createObservers(options: AutoOptions, inside: () => EngagedInside): readonly Observer[] {
  const observers: Observer[] = [];
  const readers: ClickReader[] = [];
  if (options.clicks) readers.push(readStep);
  if (options.outbound || options.downloads) readers.push(createLinks(options));
  if (readers.length) observers.push(observeClicks(readers));
  if (options.forms) observers.push(observeForms);
  if (options.engagement) observers.push(observeEngagement(inside));
  return observers;
}
