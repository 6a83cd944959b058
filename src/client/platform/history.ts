import type { Cancel, NavigationKind } from "./environment.ts";

/** Under it a wrapper has its listeners: registered, so that another copy of the package uses the same one. */
const LISTENERS = Symbol.for("vendor.sdk.history");

type ChangeState = (this: unknown, ...args: unknown[]) => unknown;
type Wrapper = ChangeState & { readonly [LISTENERS]?: ((kind: NavigationKind) => void)[] };
type Holder = Record<string, Wrapper>;

/**
 * Reports `pushState` and `replaceState` after they took place. The methods are wrapped once a window: without listeners
 * the wrapper is inert, and who comes next uses it.
 *
 * @param listener Never throws: a router expects no exception here.
 */
export function wrapHistory(history: object, listener: (kind: NavigationKind) => void): Cancel {
  const lists = (["push", "replace"] as const).map((kind) => {
    const name = `${kind}State`;
    // On the prototype, mostly: a script that wraps the method there later still gets every call.
    const holder =
      (Object.getOwnPropertyDescriptor(history, name) ? history : Object.getPrototypeOf(history)) as Holder;
    const original = holder[name];
    const listeners = original?.[LISTENERS] ?? [];
    listeners.push(listener);
    if (original?.[LISTENERS]) return listeners;
    const wrapper: ChangeState = function (...args) {
      const result = original?.apply(this, args);
      for (const hear of [...listeners]) hear(kind);
      return result;
    };
    // Unlike an assignment, Reflect doesn't throw where a page froze its history.
    Reflect.set(holder, name, Object.assign(wrapper, { [LISTENERS]: listeners }));
    return listeners;
  });
  return () => {
    // A second time it's gone already.
    for (const listeners of lists) if (listeners.includes(listener)) listeners.splice(listeners.indexOf(listener), 1);
  };
}
