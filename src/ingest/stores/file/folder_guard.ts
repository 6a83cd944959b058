import { emptyLog } from "../../platform/sqlite_lock.ts";
import { type FolderStore, openFolder } from "./folder_store.ts";

/** Guards the files of an open folder: it is used only while the tail and its log have their names. */
export interface FolderGuard {
  /** Does something with the folder. Throws where its files haven't their names, before or after. */
  use<R>(work: (store: FolderStore) => R): R;
  /** Closes it. */
  close(): void;
}

/**
 * Opens a folder, and guards its files: each use looks for their names before and afterwards, so that nothing is acknowledged
 * that nobody would find again. A folder that has lost a file is shut for good; what only its log holds is copied into the file
 * that is open.
 *
 * @throws {Error} For a folder that can't be written or holds something else.
 */
export function openGuarded(folder: string): FolderGuard {
  const store = openFolder(folder, { isMade: true });
  let fault: { readonly error: unknown } | undefined;
  let isOpen = true;

  /** Throws once a file has lost its name. */
  function look(): void {
    try {
      if (fault === undefined) return store.checkNames();
    } catch (error) {
      fault = { error };
    }
    // With a reader in the way it is tried again at the next look.
    if (isOpen && tryToEmptyLog(store)) close();
    throw fault.error;
  }

  function close(): void {
    store.database.close();
    isOpen = false;
  }

  return {
    use: (work) => {
      look();
      try {
        return work(store);
      } finally {
        look(); // whatever came of it, the files are the reason
      }
    },
    close: () => {
      try {
        look();
        // A reader keeps SQLite from doing it: who copies the file alone is to have all of it.
        tryToEmptyLog(store);
      } catch {
        // It was told when it was found; here it only matters that the log was copied.
      }
      if (isOpen) close();
    },
  };
}

/** Copies the log into the file; returns whether all of it is there. */
function tryToEmptyLog({ database }: FolderStore): boolean {
  try {
    return emptyLog(database);
  } catch {
    return false; // a full disk
  }
}
