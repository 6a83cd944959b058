import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Name of the folder in which queries lay down what memory doesn't hold. */
export const SPILL_NAME = "spilled" as const;

/** Age from which a file is left over: a query takes no such time. */
const LEFT_OVER_MS = 10 * 60 * 1000;

/**
 * Returns the path of a new folder for what queries lay down, and takes away what others left over. The folder is made by who
 * writes there first.
 */
export function findSpillFolder(folder: string): string {
  const spilled = join(folder, SPILL_NAME);
  for (const name of list(spilled)) {
    const path = join(spilled, name);
    if (isLeftOver(path) && list(path).every((file) => isLeftOver(join(path, file)))) {
      rmSync(path, { recursive: true, force: true });
    }
  }
  mkdirSync(spilled, { recursive: true });
  return join(spilled, randomUUID());
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
