import { accessSync, constants, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describeError } from "../../platform/describe_error.ts";

/** Returns what keeps a process from writing in the folder of events at a path, or undefined. */
export function findFolderProblem(path: string): string | undefined {
  const parent = dirname(resolve(path));
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) return `there is no folder ${parent}`;
      accessSync(parent, constants.W_OK);
      return undefined;
    }
    if (!found.isDirectory()) return "it is no folder";
    accessSync(path, constants.W_OK);
    const tail = join(path, "tail.db");
    if (statSync(tail, { throwIfNoEntry: false })?.isDirectory()) return `${tail} is a folder`;
    return undefined;
  } catch (error) {
    return `this process can't write there: ${describeError(error)}`;
  }
}
