import type { Cancel, NavigationKind } from "./environment.ts";

/** Under it a window's history has those who listen: registered, so that another copy of the package finds them. */
const LISTENERS = Symbol.for("vendor.sdk.history");

type ChangeState = (this: unknown, ...args: unknown[]) => unknown;
type Listener = (kind: NavigationKind) => void;

/**
 * Reports `pushState` and `replaceState` after they took place. The methods are wrapped once a window: without listeners
 * the wrapper is inert, and who comes next uses it.
 *
 * @param listener Never throws: a router expects no exception here.
 */
export function wrapHistory(history: object, listener: Listener): Cancel {
  const listeners = (): readonly Listener[] | undefined => Reflect.get(history, LISTENERS);
  // Unlike an assignment, Reflect doesn't throw where a page froze its history.
  const listen = (next: readonly Listener[]): unknown => Reflect.set(history, LISTENERS, next);
  if (!listeners()) {
    for (const kind of ["push", "replace"] as const) {
      const name = `${kind}State`;
      // On the prototype, mostly: a script that wraps the method there later still gets every call.
      const holder = Object.getOwnPropertyDescriptor(history, name) ? history : Object.getPrototypeOf(history);
      const original: ChangeState | undefined = holder[name];
      const wrapper: ChangeState = function (...args) {
        const result = original?.apply(this, args);
        listeners()?.forEach((hear) => hear(kind));
        return result;
      };
      Reflect.set(holder, name, wrapper);
    }
  }
  listen([...listeners() ?? [], listener]);
  return () => listen((listeners() ?? []).filter((each) => each !== listener));
}
