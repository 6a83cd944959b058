import { pathOf, withoutPassword } from "../client/base/url.ts";
import type { Environment, EnvironmentListeners } from "../client/platform/environment.ts";
import type { QueuedCall } from "./loader.ts";
import type { VendorGlobal } from "./vendor_global.ts";

/** Makes calls that were queued as if they were made when and where they were queued. */
export interface Replay {
  /** The environment that the SDK has to run in: it answers for the call that is made, and else for the present. */
  readonly environment: Environment;
  /**
   * Makes the calls.
   *
   * @returns What calls of `init()` threw.
   */
  run(calls: readonly QueuedCall[], vendor: VendorGlobal): readonly unknown[];
}

/** Creates a replay in an environment. */
export function createReplay(environment: Environment): Replay {
  /** The call that is made. */
  let current: QueuedCall | undefined;
  /** The call whose page is shown, as far as the SDK knows. */
  let shown: QueuedCall | undefined;
  let navigate: EnvironmentListeners["navigate"];

  // Nobody listened to the router meanwhile: the calls tell where it went.
  const goTo = (call?: QueuedCall): void => {
    current = call;
    navigate?.("traverse"); // the page before is asked for its title now
    shown = call;
  };
  return {
    environment: environment.canCollect
      ? {
        ...environment,
        now: () => current?.[2] ?? environment.now(),
        url: () => current?.[3] ?? environment.url(),
        path: () => current ? pathOf(current[3]) : environment.path(),
        // The document has the title of the page that it shows at last.
        title: () => !shown || shown[3] === environment.url() ? environment.title() : "",
        listen(listeners) {
          navigate = listeners.navigate;
          return environment.listen(listeners);
        },
      }
      : environment,
    run(calls, vendor) {
      const errors: unknown[] = [];
      for (const [method, args, timeMs, url] of calls) {
        goTo([method, args, timeMs, withoutPassword(url)]);
        try {
          (vendor[method] as (...args: readonly unknown[]) => unknown)(...args);
        } catch (error) {
          errors.push(error);
        }
      }
      goTo();
      return errors;
    },
  };
}
