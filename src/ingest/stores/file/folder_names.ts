import { statSync } from "node:fs";
import { join } from "node:path";
import { TAIL_NAME } from "./tail_schema.ts";

/**
 * Returns a function that throws once the database of a folder, or its log, has lost its name. SQLite goes on with the files that it
 * has open; whatever is at their names belongs to somebody else then, and so do the files beside them.
 */
export function watchNames(folder: string): () => void {
  const opened = [TAIL_NAME, `${TAIL_NAME}-wal`].map((name) => join(folder, name))
    .map((file) => ({ file, identity: identify(file) }));
  return () => {
    const lost = opened.find(({ file, identity }) => identify(file) !== identity);
    if (lost !== undefined) throw buildFault(lost.file);
  };
}

/** Returns what tells a file from another one at the same path; undefined for none. */
function identify(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch {
    return undefined; // no such file, or no permission to look
  }
}

function buildFault(path: string): Error {
  const reason = `${JSON.stringify(path)} was removed or replaced: start the process anew`;
  return new Error(`the folder of events can't be written: ${reason}`);
}
