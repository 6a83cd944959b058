import { detectEnvironment } from "../client/platform/detect.ts";
import type { Environment } from "../client/platform/environment.ts";
import { INSIDE } from "../client/inside.ts";
import { createInstance } from "../client/instance.ts";
import type { Hooks } from "../client/hooks.ts";
import { findVendor, type GlobalScope, type Loader } from "./loader.ts";
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
  if (present) takeOverRules(present, vendor[INSIDE].hooks);
  const errors = replay.run(present?.queue ?? [], vendor);
  present?.done?.(vendor);
  if (errors.length > 0) throw errors[0];
}

/** Asks the rules of what stood in for the SDK: also those that a script which kept it sets, or takes out, from now on. */
function takeOverRules(present: Partial<Loader>, { beforeSend }: Hooks): void {
  const rules = present.beforeSend ??= [];
  beforeSend.push((first) => {
    let event: ReturnType<typeof rules[number]> = first;
    for (const rule of [...rules]) event = event && rule(event); // one may take itself out
    return event;
  });
}
