import { detectEnvironment } from "../environment/detect.ts";
import type { Environment } from "../environment/environment.ts";
import { createInstance } from "../instance.ts";
import type { Loader } from "./loader.ts";
import { createReplay } from "./replay.ts";

/** The part of a page's global object in use. */
export interface GlobalScope {
  /** The SDK, or what stands in for it; or an element of the page with that ID. */
  Vendor?: Partial<Loader>;
}

/**
 * Makes the SDK the global variable `Vendor`, and makes the calls that waited for it. Where it runs already, since its
 * file was loaded twice, nothing happens.
 *
 * @throws What a queued `init()` would have thrown, once everything else is done: it's reported like any uncaught error.
 */
export function installGlobal(scope: GlobalScope, environment: Environment = detectEnvironment()): void {
  const present = scope.Vendor;
  if (present?.init && !present.queue) return;
  const replay = createReplay(environment);
  // The way in for addons comes along: rules of an application's bundle find it.
  const { close: _close, ...vendor } = createInstance(replay.environment);
  scope.Vendor = vendor;
  const errors = replay.run(present?.queue ?? [], vendor);
  present?.done?.(vendor);
  if (errors.length > 0) throw errors[0];
}
