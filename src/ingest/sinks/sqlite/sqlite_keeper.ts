import { closeSync, openSync, statSync, truncateSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { SqliteModule } from "./sqlite_module.ts";
import { BUSY_TIMEOUT_MS, openStore, type SqliteStore } from "./sqlite_store.ts";
import { isFile } from "./sqlite_path.ts";
import { createWatch, type FileFault, toLogPath, type Watch } from "./sqlite_watch.ts";

/** Keeps a database open for as long as its files are its own. */
export interface StoreKeeper {
  /** Does something with the database. Throws where the files aren't its own, before or after. */
  use<R>(work: (store: SqliteStore) => R): R;
  /** Looks at the files: shuts the database, or opens it again. */
  tend(): void;
  /** Closes it for good. */
  close(): void;
}

/** In use, and watched. */
interface OpenState {
  readonly kind: "open";
  readonly store: SqliteStore;
  readonly look: Watch;
}

/** What has become of the database. */
type State =
  | OpenState
  /** Shut, but for events in the log that aren't in the file yet. */
  | { readonly kind: "saving"; readonly store: SqliteStore; readonly error: Error }
  | { readonly kind: "shut"; readonly error: Error; readonly untilMs: number };

/** How long a database stays shut: time for every other process to notice as well, and to let go of the same files. */
const SHUT_MS = 3000;

/** Mode of a new file. SQLite gives it to the log and its index as well. */
const NEW_FILE_MODE = 0o600;

/** What SQLite says of files that hold what it didn't write. */
const DAMAGE = /malformed|not a database|disk I\/O error/;

const WORDS: Readonly<Record<FileFault["kind"], string>> = {
  moved: "was removed or replaced",
  parted: "was removed or replaced",
  overwritten: "was overwritten",
  shortened: "was overwritten",
};

/**
 * Opens a database, and keeps it. Nothing is acknowledged that was written to files which nobody will find again: each
 * use looks at them before and afterwards.
 *
 * What the log holds when files were moved is copied into the file that is open; into one that was overwritten it
 * isn't, for it wouldn't fit what is there now.
 *
 * @throws {Error} For a path that can't be written or holds something else.
 */
export function keepStore(sqlite: SqliteModule, path: string): StoreKeeper {
  const watch = ({ database }: SqliteStore): Watch =>
    isFile(path) ? createWatch(sqlite, { path, database }) : () => undefined;
  if (isFile(path)) createPrivately(path);
  let state: State = open();

  function open(): OpenState {
    const store = openStore(sqlite, path);
    return { kind: "open", store, look: watch(store) };
  }

  /** Looks at the files, and shuts the database where they aren't its own. */
  function lookAtFiles(): void {
    if (state.kind !== "open") return;
    const { store, look } = state;
    const fault = look();
    if (fault === undefined) return;
    if (fault.kind === "shortened" && canReadLog(store)) {
      state = { kind: "open", store, look: watch(store) };
      return;
    }
    const error = buildError(`${JSON.stringify(fault.path)} ${WORDS[fault.kind]}`);
    if (fault.kind === "moved") save(store, error);
    // Whoever opens it next reads the log. Copied now, it could be somebody else's already.
    else if (fault.kind === "parted") state = shut(store, error);
    else discardLog(store, error);
  }

  function save(store: SqliteStore, error: Error): void {
    state = isSaved(store) ? shut(store, error) : { kind: "saving", store, error };
  }

  function discardLog(store: SqliteStore, error: Error): void {
    try {
      // SQLite copies what is left of it into the file when it closes.
      truncateSync(toLogPath(path));
    } catch {
      // It may have been removed this moment. What is copied then is the operator's to repair.
    }
    state = shut(store, error);
  }

  function reopen(error: Error): void {
    let reopened: OpenState | undefined;
    try {
      // First, since SQLite would make a file that is missing, and tables in one that is empty.
      if (statSync(path).size === 0) throw error;
      reopened = open();
      // Where a process still has the files of before, its index of the log isn't that of the log which is there now.
      if (reopened.look() !== undefined || !isSaved(reopened.store)) throw error;
      state = reopened;
    } catch {
      if (reopened !== undefined) shut(reopened.store, error);
      state = { kind: "shut", error, untilMs: 0 };
    }
  }

  /** Throws where the files aren't the database's own. */
  function findStore(): SqliteStore {
    if (state.kind !== "open") throw state.error;
    return state.store;
  }

  return {
    use: (work) => {
      // A log that was cut off is longer again after the next commit.
      lookAtFiles();
      const store = findStore();
      const outcome = attempt(() => work(store));
      lookAtFiles();
      // Whatever came of it, the files are the reason.
      findStore();
      if ("result" in outcome) return outcome.result;
      const { error } = outcome;
      // A new connection may find the file healthy; this one remembers pages.
      if (DAMAGE.test(error.message)) save(store, buildError(`${JSON.stringify(path)}: ${error.message}`));
      throw error;
    },
    tend: () => {
      if (state.kind === "open") lookAtFiles();
      else if (state.kind === "saving") save(state.store, state.error);
      else if (performance.now() >= state.untilMs) reopen(state.error);
    },
    close: () => {
      lookAtFiles();
      if (state.kind !== "shut") state.store.database.close();
    },
  };
}

/** Creates the file where it is missing: what visitors did is for nobody but the user who runs the ingest. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", NEW_FILE_MODE));
  } catch {
    // It is there already; or it can't be made, and SQLite says why.
  }
}

function attempt<R>(work: () => R): { readonly result: R } | { readonly error: Error } {
  try {
    return { result: work() };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function buildError(reason: string): Error {
  return new Error(`the SQLite database can't be written: ${reason}`);
}

function shut({ database }: SqliteStore, error: Error): State {
  database.close();
  return { kind: "shut", error, untilMs: performance.now() + SHUT_MS };
}

/** Copies the log into the file; returns whether all of it is there. A reader may be in the way. */
function isSaved({ database }: SqliteStore): boolean {
  try {
    // It is tried again: meanwhile whoever wants to store something is to hear that the database is shut.
    database.exec("PRAGMA busy_timeout = 0");
    const { log, checkpointed } = checkpoint(database, "TRUNCATE");
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return log === checkpointed;
  } catch {
    return false; // a full disk, or a log that isn't the one that SQLite knows
  }
}

function canReadLog({ database }: SqliteStore): boolean {
  try {
    checkpoint(database, "PASSIVE");
    return true;
  } catch {
    return false; // pages of it are missing
  }
}

function checkpoint(database: DatabaseSync, mode: "PASSIVE" | "TRUNCATE"): Readonly<Record<string, unknown>> {
  return database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {};
}
