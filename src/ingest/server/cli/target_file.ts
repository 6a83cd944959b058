import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Writable } from "node:stream";
import { createDraft } from "./draft.ts";

/** A piece of a file. */
export type Chunk = string | Uint8Array;

/** Stands for the standard output where a file is asked for. */
const OUTPUT = "-";

/** As many links are followed as Linux follows. */
const MAX_LINKS = 40;

/** Where {@linkcode writeNewFile} writes. */
export interface NewFile {
  /** Path of the file; absent, or `-`, for the output. */
  readonly out: string | undefined;
  /** The output. */
  readonly output: Writable;
  /** Breaks the file off: nothing of it is left. */
  readonly signal?: AbortSignal;
  /** Files that are in use, whether they are there or not. */
  readonly used: readonly string[];
}

/**
 * Finds the file that a command is to write, or to replace: a link is followed.
 *
 * @throws {Error} For what is no regular file, and for a file that is in use, under whatever name.
 */
export function findTarget(path: string, used: readonly string[]): string {
  const target = followLinks(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Error(`${path} is no regular file`);
  for (const one of used) {
    const other = statSync(one, { throwIfNoEntry: false });
    const isSame = other === undefined || found === undefined
      ? target === followLinks(one)
      : other.dev === found.dev && other.ino === found.ino;
    if (isSame) throw new Error(`${path} is one of the files of the store`);
  }
  return target;
}

/** Returns where a path leads, also where there is nothing yet. */
function followLinks(path: string): string {
  let current = resolve(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const folder = dirname(current);
    // A folder that isn't there is a fault that the writing says: here it would be said in other words.
    const whole = join(statSync(folder, { throwIfNoEntry: false }) ? realpathSync(folder) : folder, basename(current));
    if (!lstatSync(whole, { throwIfNoEntry: false })?.isSymbolicLink()) return whole;
    current = resolve(dirname(whole), readlinkSync(whole));
  }
  throw new Error(`${path} has too many links`);
}

/**
 * Writes a file that is new, or to the output: what is there stays as it is.
 *
 * @throws {Error} For a file that is there, and where it can't be written.
 */
export async function writeNewFile(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  { out, output, signal, used }: NewFile,
): Promise<void> {
  if (out === undefined || out === OUTPUT) {
    for await (const chunk of chunks) await write(output, chunk);
    return;
  }
  const target = findNew(out, used);
  // A part of it could be taken for all of it.
  const draft = createDraft(target, signal && { signal });
  try {
    for await (const chunk of chunks) draft.write(chunk);
    findNew(out, used);
    draft.commit();
  } finally {
    draft.discard();
  }
}

function findNew(path: string, used: readonly string[]): string {
  const target = findTarget(path, used);
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw new Error(`${path} exists: name a new file`);
  return target;
}

/** Writes to a stream; resolves once that has taken it. */
export function write(output: Writable, chunk: Chunk): Promise<void> {
  return new Promise((resolve, reject) => output.write(chunk, (error) => error ? reject(error) : resolve()));
}
