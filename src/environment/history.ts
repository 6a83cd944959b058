import type { Cancel, NavigationKind } from "./environment.ts";

type ChangeState = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Reports `pushState` and `replaceState` after they took place. Cancelling leaves `history` as it was,
 * unless someone wrapped it later: then the wrapper stays in their chain and is inert.
 */
export function wrapHistory(history: object, listener: (kind: NavigationKind) => void): Cancel {
  const methods = history as Record<string, ChangeState>;
  const cancels = (["push", "replace"] as const).map((kind) => {
    const name = `${kind}State`;
    const original = methods[name];
    const isOwn = Object.hasOwn(methods, name);
    let isActive = true;
    const wrapper: ChangeState = function (...args) {
      const result = original?.apply(this, args);
      if (isActive) listener(kind);
      return result;
    };
    // Unlike an assignment, Reflect doesn't throw where a page froze its history.
    Reflect.set(methods, name, wrapper);
    return () => {
      isActive = false;
      if (methods[name] !== wrapper) return;
      if (isOwn) Reflect.set(methods, name, original);
      else Reflect.deleteProperty(methods, name);
    };
  });
  return () => cancels.forEach((cancel) => cancel());
}
