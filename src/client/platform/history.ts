import type { Cancel, NavigationKind } from "./environment.ts";

type ChangeState = (this: unknown, ...args: unknown[]) => unknown;
type Holder = Record<string, ChangeState>;

/**
 * Reports `pushState` and `replaceState` after they took place. Cancelling leaves `history` as it was,
 * unless someone wrapped it later: then the wrapper stays in their chain and is inert.
 *
 * @param listener Never throws: a router expects no exception here.
 */
export function wrapHistory(history: object, listener: (kind: NavigationKind) => void): Cancel {
  const cancels = (["push", "replace"] as const).map((kind) => {
    const name = `${kind}State`;
    // On the prototype, mostly: a script that wraps the method there later still gets every call.
    const holder =
      (Object.getOwnPropertyDescriptor(history, name) ? history : Object.getPrototypeOf(history)) as Holder;
    const original = holder[name];
    let hear: typeof listener | undefined = listener;
    const wrapper: ChangeState = function (...args) {
      const result = original?.apply(this, args);
      hear?.(kind);
      return result;
    };
    // Unlike an assignment, Reflect doesn't throw where a page froze its history.
    Reflect.set(holder, name, wrapper);
    return () => {
      hear = undefined;
      if (holder[name] === wrapper) Reflect.set(holder, name, original);
    };
  });
  return () => cancels.forEach((cancel) => cancel());
}
