import { attempt } from "../../client/base/attempt.ts";
import { findInside } from "../../client/inside.ts";
import type { WatchedInside } from "./watch.ts";

/** A panel that is open. */
export interface Inspector {
  /** Whether it's open: `close()` ends it, and so does the visitor. */
  readonly isOpen: boolean;
  /** Takes the panel away, and leaves the client as it was. Calling it again does nothing. */
  close(): void;
}

/** Where the function that hears of changes names its panel. Registered: a page may run the script twice. */
export const INSPECTOR: unique symbol = Symbol.for("vendor.inspector");

/** Returns what a client has inside; undefined for anything but a client in a page, also for what fails when it's asked. */
export function findWatched(target: object | undefined): WatchedInside | undefined {
  return attempt(() => {
    const inside = findInside(target);
    const isOne = inside?.environment?.canCollect && Array.isArray(inside.hooks?.on) && inside.batches;
    return isOne ? inside as WatchedInside : undefined;
  });
}

/** Returns the panel of a client that is open. */
export function findInspector(target: object | undefined): Inspector | undefined {
  const listeners = findWatched(target)?.hooks.on ?? [];
  return listeners.map((hear): Inspector | undefined => Reflect.get(hear, INSPECTOR)).find((panel) => panel);
}
