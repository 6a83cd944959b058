import type { Environment, EnvironmentListeners, PageEnvironment } from "../environment/environment.ts";
import { toIsoTimestamp } from "../environment/time.ts";
import type { Loader } from "./loader.ts";
import type { VendorGlobal } from "./vendor_global.ts";

/**
 * What ran before in the same task still awaits its title when the next call comes; a longer gap than a long task
 * (Long Tasks API) means another task.
 */
export const SAME_TASK_MS = 50;

/** Where calls wait: a withdrawal of consent puts another queue in the place of the first, while it is made, too. */
type Waiting = Pick<Loader, "queue">;

/** Makes calls that were queued as if they were made when and where they were queued. */
export interface Replay {
  /** The environment that the SDK has to run in. */
  readonly environment: Environment;
  /**
   * Makes the calls, and leaves the queue empty. From then on the environment answers for the present.
   *
   * @returns What calls of `init()` threw.
   */
  run(waiting: Waiting, vendor: VendorGlobal): readonly unknown[];
}

interface Moment {
  readonly timeMs: number;
  readonly url: string;
}

/** Creates a replay in an environment. */
export function createReplay(environment: Environment): Replay {
  if (!environment.canCollect) return { environment, run: (waiting, vendor) => makeCalls(waiting, vendor, () => {}) };
  let moment: Moment | undefined;
  let navigate: EnvironmentListeners["navigate"];
  return {
    environment: wrap(environment, () => moment, (listener) => navigate = listener),
    run(waiting, vendor) {
      const here = (): string => vendor.getConsent() === "granted" ? environment.url() : environment.path();
      const errors = makeCalls(waiting, vendor, (next) => {
        // The title that the last page awaits has to be asked for before the SDK is elsewhere.
        if (moment && (next.url !== moment.url || next.timeMs - moment.timeMs >= SAME_TASK_MS)) navigate?.("push");
        moment = next;
        // Nobody listened to the router meanwhile: the calls tell where it went.
        navigate?.("pop");
      });
      if (moment && moment.url !== here()) navigate?.("push");
      moment = undefined;
      navigate?.("pop");
      return errors;
    },
  };
}

function makeCalls(waiting: Waiting, vendor: VendorGlobal, move: (moment: Moment) => void): unknown[] {
  const errors: unknown[] = [];
  for (let call = waiting.queue.shift(); call; call = waiting.queue.shift()) {
    const [method, args = [], timeMs, url] = call;
    if (timeMs !== undefined && url !== undefined) move({ timeMs, url });
    try {
      (vendor[method] as (...args: readonly unknown[]) => unknown)(...args);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

/** Answers for the moment of a queued call, while there is one. */
function wrap(
  environment: PageEnvironment,
  current: () => Moment | undefined,
  onNavigate: (listener: EnvironmentListeners["navigate"]) => void,
): PageEnvironment {
  return {
    ...environment,
    now: () => current()?.timeMs ?? environment.now(),
    url: () => current()?.url ?? environment.url(),
    path: () => current()?.url.replace(/[?#].*/s, "").replace(/^([^:]+:\/\/)[^/]*@/, "$1") ?? environment.path(),
    title() {
      const url = current()?.url;
      // The document has the title of the page that it shows now.
      return url === undefined || url === environment.url() ? environment.title() : "";
    },
    listen(listeners) {
      onNavigate(listeners.navigate);
      return environment.listen(listeners);
    },
    send(request, onAnswer) {
      if (!current()) return environment.send(request, onAnswer);
      // A full batch leaves during the replay, but now, and `sentAt` says so (SPEC 2.7).
      const body = request.body.replace(/"sentAt":"[^"]*/, `"sentAt":"${toIsoTimestamp(environment.now())}`);
      return environment.send({ ...request, body }, onAnswer);
    },
  };
}
