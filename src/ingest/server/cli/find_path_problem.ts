import { accessSync, closeSync, constants, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describeError } from "../../platform/describe_error.ts";

/**
 * Returns what keeps a process from writing the file at a path, or undefined: SQLite says of each that it is unable to
 * open the file.
 */
export function findPathProblem(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const [file, parent] = [statSync(path, { throwIfNoEntry: false }), statSync(folder, { throwIfNoEntry: false })];
    // Docker makes a folder where a file is mounted that isn't there.
    if (file?.isDirectory()) return "it is a folder: name a file in it";
    if (!parent?.isDirectory()) return `there is no folder ${folder}`;
    if (file !== undefined) closeSync(openSync(path, "r+")); // on Deno, access() knows nothing of read-only file systems
    accessSync(folder, constants.W_OK); // SQLite makes its log beside the file
    return undefined;
  } catch (error) {
    return `this process can't write there: ${describeError(error)}`;
  }
}

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
