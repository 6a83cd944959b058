import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { syncDirectory } from "../../platform/sync_directory.ts";

/** A file that takes its final name once it is whole: a reader that finds that name finds all of it. */
export interface Draft {
  /** Path while it is written. */
  readonly path: string;
  /** Writes more of it. */
  write(chunk: string | Uint8Array): void;
  /** Gives it its final name, in the place of what has that. Throws, and leaves that as it is, where it can't. */
  commit(): void;
  /** Removes it, unless it has its final name. */
  discard(): void;
}

/** Options of {@linkcode createDraft}. */
export interface DraftOptions {
  /** Discards the draft when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Mode of a new file: it holds secrets, or what people did. */
const MODE = 0o600;

/** Mode of the directory around it. */
const DIRECTORY_MODE = 0o700;

/** Name of the file in it. */
const FILE_NAME = "file";

/**
 * Creates the draft of a file, in a directory of its own: once that is gone, nobody who was writing can create the file
 * anew. Removes those that processes left which are gone.
 */
export function createDraft(givenPath: string, { signal }: DraftOptions = {}): Draft {
  signal?.throwIfAborted();
  const path = resolve(givenPath);
  for (const left of listLeft(path, "new")) remove(left);
  const directory = `${path}.${process.pid}.new`;
  mkdirSync(directory, DIRECTORY_MODE);
  const draftPath = join(directory, FILE_NAME);
  const file = openSync(draftPath, "wx", MODE);
  let isOpen = true;

  function discard(): void {
    if (!isOpen) return;
    isOpen = false;
    // Whoever took it for one that was left has made another one of the name.
    const isOurs = isFile(draftPath, file);
    closeSync(file);
    if (isOurs) remove(directory);
  }

  function checkOpen(): void {
    if (!isOpen) throw new Error("it was broken off");
  }

  signal?.addEventListener("abort", discard, { once: true });
  return {
    path: draftPath,
    write: (chunk) => {
      checkOpen();
      writeFileSync(file, chunk);
    },
    commit: () => {
      checkOpen();
      fsyncSync(file);
      // A process of another container, which has ids of its own, sees nobody who writes here.
      if (!isFile(draftPath, file)) throw new Error(`another process removed ${directory}`);
      isOpen = false;
      closeSync(file);
      try {
        renameSync(draftPath, path);
      } catch (cause) {
        remove(directory);
        throw cause;
      }
      removeEmpty(directory);
      syncDirectory(dirname(path));
    },
    discard,
  };
}

/**
 * Lists what this process and those that are gone left beside a path, as `PATH.PID.new`. Its age would say little: an export may
 * write nothing for minutes.
 */
export function listLeft(path: string, ending: "new" | "old"): readonly string[] {
  const [folder, prefix] = [dirname(path), `${basename(path)}.`];
  const rest = new RegExp(`^([1-9]\\d*)\\.${ending}$`);
  return readdirSync(folder).flatMap((name) => {
    const [, digits] = rest.exec(name.startsWith(prefix) ? name.slice(prefix.length) : "") ?? [];
    const pid = Number(digits);
    // In a container each run may have the same id.
    return digits !== undefined && (pid === process.pid || !isAlive(pid)) ? [join(folder, name)] : [];
  });
}

/** Returns whether there is a process of that id on this machine. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Whoever may not send a signal there hears of another fault.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function isFile(path: string, file: number): boolean {
  const [found, own] = [statSync(path, { throwIfNoEntry: false }), fstatSync(file)];
  return found?.ino === own.ino && found.dev === own.dev;
}

function remove(directory: string): void {
  try {
    rmSync(join(directory, FILE_NAME), { force: true });
    rmdirSync(directory);
  } catch {
    // It is gone, or it is another user's: the name of ours is another one.
  }
}

/** Removes a directory that nobody has made a draft in since. */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Somebody has.
  }
}
