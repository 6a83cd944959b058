import { copyFileSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import process from "node:process";
import { syncDirectory } from "../../platform/sync_directory.ts";
import { backUpFiles } from "../../stores/file/file_backup.ts";
import { TAIL_NAME } from "../../stores/file/tail_schema.ts";
import { listLeft } from "./draft.ts";

/** A folder and its copy. */
export interface FolderBackup {
  /** Path of the folder of events. */
  readonly path: string;
  /** Path of the copy. */
  readonly copyPath: string;
  /** File with keys that comes along. */
  readonly keysPath?: string;
}

const FOLDER_MODE = 0o700;

/** Name of the file with the keys in a copy. */
const KEYS_NAME = "keys.json";

/**
 * Copies a folder of events beside the copy of before, which gives way once the new one is whole and on the disk. When it is
 * broken off, nothing of the new one is left; what a process left that was killed goes, too.
 *
 * @throws {Error} When it can't be made, and for a copy that is something else.
 */
export async function backUpFolder({ path, copyPath, keysPath }: FolderBackup, signal?: AbortSignal): Promise<void> {
  const target = findCopy(copyPath, path);
  const draft = `${target}.${process.pid}.new`;
  const discard = (): void => rmSync(draft, { recursive: true, force: true });
  signal?.throwIfAborted();
  removeLeft(target, "new");
  mkdirSync(draft, { mode: FOLDER_MODE });
  signal?.addEventListener("abort", discard);
  try {
    await backUpFiles(path, draft);
    if (keysPath !== undefined) copyFileSync(keysPath, join(draft, KEYS_NAME));
    syncDirectory(draft);
    signal?.throwIfAborted();
    replace(findCopy(copyPath, path), draft);
  } finally {
    signal?.removeEventListener("abort", discard);
    discard();
  }
}

/** Puts a folder in the place of another, which goes. */
function replace(target: string, draft: string): void {
  // Where the target is missing, who was killed between two names left its only copy as an old one.
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
    removeLeft(target, "old");
    renameSync(target, `${target}.${process.pid}.old`);
  }
  renameSync(draft, target);
  syncDirectory(dirname(target));
  removeLeft(target, "old");
}

function removeLeft(target: string, ending: "new" | "old"): void {
  for (const left of listLeft(target, ending)) rmSync(left, { recursive: true, force: true });
}

/** Finds the folder of a copy: none that is in use, or holds something else. */
function findCopy(copyPath: string, path: string): string {
  const target = toWhole(copyPath);
  const source = toWhole(path);
  if (target === source || target.startsWith(source + sep) || source.startsWith(target + sep)) {
    throw new Error(`${copyPath} is the folder of events, or in it`);
  }
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return target;
  if (!found.isDirectory()) throw new Error(`${copyPath} is no folder`);
  const names = readdirSync(target);
  if (names.length > 0 && !names.includes(TAIL_NAME)) throw new Error(`${copyPath} holds something else`);
  if (names.includes(`${TAIL_NAME}-wal`)) {
    throw new Error(`${join(copyPath, `${TAIL_NAME}-wal`)} is there: a process has it open, or left it so`);
  }
  return target;
}

function toWhole(path: string): string {
  const whole = resolve(path);
  return statSync(whole, { throwIfNoEntry: false }) ? realpathSync(whole) : whole;
}
