import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { toErasuresPath } from "../../events/erasures.ts";

/** Returns the whole path of a file, which stays the same when the process changes its directory. */
export function toWholePath(path: string): string {
  return isFile(path) ? resolve(path) : path;
}

/** Returns whether a path names a file. A database in memory is its connection's own, what a URI opens its own matter. */
export function isFile(path: string): boolean {
  return path !== "" && path !== ":memory:" && !path.startsWith("file:");
}

/** Returns the path of a database's write-ahead log, which SQLite names after the file to which a link leads. */
export function toLogPath(path: string): string {
  return `${toLinkedPath(path)}-wal`;
}

/** Returns the files of a database, those included that aren't there at the moment. */
export function listOwnFiles(path: string): readonly string[] {
  if (!isFile(path)) return [];
  const linked = toLinkedPath(path);
  const ofSqlite = ["-wal", "-shm", "-journal"].map((suffix) => `${linked}${suffix}`);
  const erasures = toErasuresPath(path);
  return [path, ...ofSqlite, erasures, `${erasures}.new`];
}

/** Returns how many bytes a database's write-ahead log has: 0 where there is none. */
export function measureLog(path: string): number {
  return statSync(toLogPath(path), { throwIfNoEntry: false })?.size ?? 0;
}

function toLinkedPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it has gone this moment, or is a URI
  }
}
