import { attempt } from "../base/attempt.ts";
import type { Cancel, NavigationKind } from "./environment.ts";

/** Under it a window has those who listen to its history: registered, so that another copy of the package finds them. */
const LISTENERS = Symbol.for("vendor.sdk.history");

type ChangeState = (this: unknown, ...args: unknown[]) => unknown;
type Listener = (kind: NavigationKind) => void;

/**
 * Reports `pushState` and `replaceState` after they took place. The methods are wrapped once a window: without listeners
 * the wrapper is inert, and who comes next uses it.
 *
 * @param listener Never throws: a router expects no exception here.
 */
export function wrapHistory(window: { readonly history: object }, listener: Listener): Cancel {
  const { history } = window;
  let listeners: Listener[] | undefined = Reflect.get(window, LISTENERS);
  if (!listeners) {
    const all: Listener[] = listeners = [];
    Reflect.set(window, LISTENERS, all); // the history itself may be frozen
    for (const kind of ["push", "replace"] as const) {
      const name = `${kind}State`;
      // On the prototype, mostly: a script that wraps the method there later still gets every call.
      const holder = Object.getOwnPropertyDescriptor(history, name) ? history : Object.getPrototypeOf(history);
      const original: ChangeState = holder[name];
      attempt(() => {
        holder[name] = function (this: unknown, ...args: unknown[]): unknown {
          const result = original.apply(this, args);
          all.forEach((hear) => hear(kind));
          return result;
        };
      });
    }
  }
  const index = listeners.push(listener) - 1;
  return () => delete listeners[index]; // forEach() passes over what is gone
}
