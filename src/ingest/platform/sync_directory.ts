import { closeSync, fsyncSync, openSync } from "node:fs";

/** Writes the names of a folder to the disk, so that a power cut takes no file's new name back. */
export function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, "r");
    fsyncSync(directory);
    closeSync(directory);
  } catch {
    // Windows opens no folders.
  }
}
