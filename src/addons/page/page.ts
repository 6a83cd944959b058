import { attempt } from "../../client/base/attempt.ts";
import { outsideZone } from "../../client/platform/zone.ts";

/** Listens to events of the window; returns what ends it. */
export function listen(names: readonly string[], listener: (event: Event) => void): () => void {
  for (const name of names) globalThis.addEventListener(name, listener);
  return () => {
    for (const name of names) globalThis.removeEventListener(name, listener);
  };
}

/** Returns a global variable of the page, of which nothing is known. */
export function readGlobal<T extends object>(name: string): Partial<T> | undefined {
  return (globalThis as unknown as Readonly<Record<string, Partial<T> | undefined>>)[name];
}

/** Interval of the looks for what nothing announces: what a module puts in place, or an answer of a server. */
const LOOK_INTERVAL_MS = 500;

/**
 * Hands over what a script of the page puts in place, as soon as it's there; returns what ends the wait.
 *
 * Each script that has run says so with a `load` event, which doesn't bubble; the end of the document stands for the
 * scripts within it.
 */
export function whenFound<T>(find: () => T | undefined, use: (found: T) => void): () => void {
  const names = ["load", "DOMContentLoaded"] as const;
  const timer = setInterval(() => look(), LOOK_INTERVAL_MS);
  const end = (): void => {
    for (const name of names) document.removeEventListener(name, look, true);
    clearInterval(timer);
  };
  const look = (): void => {
    const found = find();
    if (found === undefined) return;
    end();
    use(found);
  };
  for (const name of names) document.addEventListener(name, look, true);
  look();
  return end;
}

/** Runs a task behind what the page does now. */
export function defer(task: () => void): void {
  setTimeout(task);
}

/** Runs a task after a time; returns what ends the wait. */
export function wait(task: () => void, delayMs: number): () => void {
  const timer = setTimeout(task, delayMs);
  return () => clearTimeout(timer);
}

/** Runs a task outside of Angular's zone, where there is one. */
export function outsidePageZone<T>(task: () => T): T {
  return outsideZone(globalThis, task);
}

/** Warns the developer, with the error that's behind it. */
export function warnDeveloper(message: string, ...errors: readonly unknown[]): void {
  console.warn(`[Vendor] ${message}`, ...errors);
}

/** Returns a text of the document; throws where that may not be read. An element that is named so, as in `<form name="referrer">`, doesn't hide it. */
export function readDocument(name: "cookie" | "referrer"): string {
  const text: unknown = document[name];
  return typeof text === "string" ? text : Reflect.get(Document.prototype, name, document);
}

/** Returns whether the visitor came to this document from elsewhere. */
export function isLanding(): boolean {
  return !attempt(() => readDocument("referrer"))?.startsWith(`${location.origin}/`);
}

/** Returns whether the visitor looks at something else. */
export function isHidden(): boolean {
  return document.visibilityState === "hidden";
}
