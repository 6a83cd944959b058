import { detectEnvironment } from "../client/platform/detect.ts";
import type { Environment } from "../client/platform/environment.ts";
import { createInstance } from "../client/instance.ts";
import { findVendor, type GlobalScope } from "./loader.ts";
import { createReplay } from "./replay.ts";

/**
 * Makes the SDK the global variable `Vendor`, and makes the calls that waited for it. Where it runs already, since its
 * file was loaded twice, nothing happens. Anything else of that name is replaced.
 *
 * @throws What a queued `init()` would have thrown, once everything else is done: it's reported like any uncaught error.
 */
export function installGlobal(scope: GlobalScope, environment: Environment = detectEnvironment()): void {
  const present = findVendor(scope);
  if (present && !present.queue) return;
  const replay = createReplay(environment);
  // The way in for addons comes along: rules of an application's bundle find it.
  const { close: _close, ...vendor } = createInstance(replay.environment);
  scope.Vendor = vendor;
  const errors = replay.run(present?.queue ?? [], vendor);
  present?.done?.(vendor);
  if (errors.length > 0) throw errors[0];
}
