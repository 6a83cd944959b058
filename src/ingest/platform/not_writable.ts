/** Codes of the system for a file or a folder that can't be written. */
const CODES: readonly unknown[] = ["EROFS", "EACCES", "EPERM"];

/** Returns whether an error says that a file or a folder can't be written by this process. */
export function isNotWritable(error: unknown): boolean {
  return error instanceof Error && "code" in error && CODES.includes(error.code);
}
