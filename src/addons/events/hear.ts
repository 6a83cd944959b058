import { attempt } from "../../client/base/attempt.ts";
import type { Change } from "../../client/hooks.ts";
import { findInside } from "../../client/inside.ts";
import { warnDeveloper } from "../page/page.ts";

/** Hears of every change in a client, until it's ended. Warns where there is none, in the name of the caller. */
export function hear(caller: string, client: unknown, listener: (change: Change) => void): () => void {
  const on = attempt(() => findInside(client))?.hooks?.on;
  if (!Array.isArray(on) || typeof listener !== "function") {
    warnDeveloper(`${caller}() takes Vendor or a client of this version, and a function`);
    return () => {};
  }
  const own = (change: Change): void => listener(change);
  on.push(own);
  return () => {
    if (on.includes(own)) on.splice(on.indexOf(own), 1);
  };
}
