import { Window } from "happy-dom";

/** A window of happy-dom with the global scope's own types, which is what a script of a page sees. */
export type WindowScope = globalThis.Window & typeof globalThis;

/** Runs a test with a window of its own, and closes that. */
export async function withWindow(
  url: string,
  use: (scope: WindowScope) => void | Promise<void>,
): Promise<void> {
  const window = new Window({ url });
  try {
    await use(window as unknown as WindowScope);
  } finally {
    await window.happyDOM.close();
  }
}

/** Puts values in place of an object's properties. */
export function override(target: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
}

/** Dispatches an event with the given fields at the window or its document. */
export function dispatch(
  scope: WindowScope,
  { type, target = scope, ...fields }: {
    readonly type: string;
    readonly target?: EventTarget;
    readonly [field: string]: unknown;
  },
): void {
  target.dispatchEvent(Object.assign(new scope.Event(type), fields));
}
