import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * Writes a file so that it is on the disk, with the owner and the mode of another, as SQLite does: root may erase beside a
 * server of another user. Nothing is left of one that can't be written.
 */
export function writeLike(
  model: string,
  { path, data }: { readonly path: string; readonly data: string | Uint8Array },
): void {
  const file = openSync(path, "w", 0o600);
  try {
    takeRights(file, model);
    writeFileSync(file, data);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function takeRights(file: number, model: string): void {
  const { uid, gid, mode } = statSync(model);
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Whoever isn't root can't give it away, and mostly has the same user.
  }
  fchmodSync(file, mode & 0o777);
}
