import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNotWritable } from "../../platform/not_writable.ts";

/** Name of the folder in which queries lay down what memory doesn't hold. */
export const SPILL_NAME = "spilled" as const;

/** Age from which a file is left over: a query takes no such time. */
const LEFT_OVER_MS = 10 * 60 * 1000;

/**
 * Makes a new folder for what queries lay down, and takes away what others left over. Returns its path: of a folder that can't be
 * written, it is one of the system's for temporary files.
 */
export function makeSpillFolder(folder: string): string {
  try {
    return makeWithin(folder);
  } catch (error) {
    if (!isNotWritable(error)) throw error;
    return mkdtempSync(join(tmpdir(), "vendor-ingest-"));
  }
}

function makeWithin(folder: string): string {
  const spilled = join(folder, SPILL_NAME);
  for (const name of list(spilled)) {
    const path = join(spilled, name);
    if (isLeftOver(path) && list(path).every((file) => isLeftOver(join(path, file)))) {
      rmSync(path, { recursive: true, force: true });
    }
  }
  const own = join(spilled, randomUUID());
  keepSpillFolder(own);
  return own;
}

/** Has a folder there for the next query: DuckDB makes its own once, and fails where somebody took it for left over. */
export function keepSpillFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  const now = new Date();
  utimesSync(path, now, now);
}

function isLeftOver(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > LEFT_OVER_MS;
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it isn't there, or no folder
  }
}
