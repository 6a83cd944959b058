import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ERASURES_NAME } from "./erasure_records.ts";
import { TAIL_NAME } from "./tail_schema.ts";

/** Returns the files of a folder, those included that aren't there at the moment. */
export function listFolderFiles(folder: string): readonly string[] {
  const ofTail = ["", "-wal", "-shm", "-journal"].map((ending) => `${TAIL_NAME}${ending}`);
  return [...new Set([...ofTail, ERASURES_NAME, `${ERASURES_NAME}.new`, ...listNames(folder)])]
    .map((name) => join(folder, name));
}

/** Returns how many bytes the log of a folder's database has: 0 where there is none. */
export function measureTailLog(folder: string): number {
  return statSync(join(folder, `${TAIL_NAME}-wal`), { throwIfNoEntry: false })?.size ?? 0;
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no such folder, or no permission to look
  }
}
