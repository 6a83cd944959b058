import { startThread, type Thread } from "../../threads/thread.ts";

/** Calls to the thread of a backup. */
export type BackupCalls = {
  /** Copies a folder into one that is there, and empty. */
  readonly fileBackUp: (folder: string, copy: string) => void;
};

/**
 * Copies the folder of a sink of files while others write to it: what was acknowledged before is in the copy. Sealed files
 * are linked where the disk is the same, and copied elsewhere: they are never changed, but replaced. The copy is a folder that is
 * there, and empty. A thread of its own does the work, so that a signal is heard meanwhile.
 *
 * @throws {Error} For a folder that no sink of files made, and a copy that can't be written.
 */
export async function backUpFiles(folder: string, copy: string): Promise<void> {
  const thread: Thread<BackupCalls> = startThread();
  try {
    await thread.call("fileBackUp", folder, copy);
  } finally {
    await thread.end();
  }
}
