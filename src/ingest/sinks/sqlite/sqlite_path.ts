import { resolve } from "node:path";

/** Returns the whole path of a file, which stays the same when the process changes its directory. */
export function toWholePath(path: string): string {
  return isFile(path) ? resolve(path) : path;
}

/** Returns whether a path names a file. A database in memory is its connection's own, what a URI opens its own matter. */
export function isFile(path: string): boolean {
  return path !== "" && path !== ":memory:" && !path.startsWith("file:");
}
