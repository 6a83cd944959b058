import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { type Blocks, createPredicate, type EventPredicate, openBlocks } from "../sqlite_blocks.ts";
import { isLocked, runLocked } from "../../../platform/sqlite_lock.ts";
import { loadSqlite } from "../../../platform/sqlite_module.ts";
import { isFile } from "../sqlite_path.ts";
import { openStore, type SqliteStore } from "../sqlite_store.ts";
import type { DataCalls } from "../sqlite_data.ts";

/** How long a write waits for another process, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

/** An open database. */
interface Opened {
  readonly store: SqliteStore;
  readonly blocks: Blocks;
  readonly predicates: Map<number, EventPredicate>;
}

/** The blocks of a database, and what is selected. */
interface SelectedBlocks {
  readonly blocks: Blocks;
  readonly isSelected: EventPredicate;
}

/** Creates what the thread of a SQLite data store does. */
export function createDataCalls(): DataCalls {
  let opened: Opened | undefined;

  function find(): Opened {
    if (opened === undefined) throw new Error("the database is closed");
    return opened;
  }

  function findAll(id: number): SelectedBlocks {
    const { blocks, predicates } = find();
    return { blocks, isSelected: predicates.get(id) ?? (() => false) };
  }

  /** Returns what is selected and not to stay away: a restored backup may not be corrected yet. */
  function findShown(id: number): SelectedBlocks {
    const { blocks, isSelected } = findAll(id);
    const isErased = find().store.erasures.read();
    return { blocks, isSelected: (event) => isSelected(event) && !isErased(event) };
  }

  return {
    dataOpen: (path) => {
      if (!isFile(path) || statSync(path, { throwIfNoEntry: false }) === undefined) {
        throw new Error(`there is no SQLite database ${JSON.stringify(path)}`);
      }
      const store = openStore(loadSqlite(), path, BUSY_TIMEOUT_MS);
      opened = { store, blocks: openBlocks(store), predicates: new Map() };
    },
    dataHasKey: (apiKey) => {
      const { blocks, store: { erasures } } = find();
      return blocks.hasKey(apiKey) || erasures.hasKey(erasures.hashKey(apiKey));
    },
    dataSelect: (id, selection) => {
      find().predicates.set(id, createPredicate(selection));
    },
    dataFind: (id, after, isForDeletion) => {
      const { blocks, isSelected } = isForDeletion ? findAll(id) : findShown(id);
      return blocks.find(after, isSelected);
    },
    dataRead: (id, after) => {
      const { blocks, isSelected } = findShown(id);
      return blocks.read(after, isSelected);
    },
    dataLast: () => find().blocks.last(),
    dataReadRange: (range) => {
      const { blocks, store: { erasures } } = find();
      return blocks.readRange(range, erasures.read());
    },
    dataRemove: (id, after) => {
      const { blocks, isSelected } = findAll(id);
      return blocks.remove(after, isSelected);
    },
    dataCountOld: (before) => find().blocks.countOld(before),
    dataRemoveOld: (before) => {
      const { blocks, store } = find();
      const removed = blocks.removeOld(before);
      // At the end of each run: one before may have been killed.
      if (removed === 0) store.facts.forgetTexts();
      return removed;
    },
    dataIsBeforeNewest: (time) => find().blocks.isBeforeNewest(time),
    dataKeep: (erasures) => find().store.erasures.keep(erasures),
    dataPending: () => find().store.erasures.listPending(),
    dataFinish: (erasures) => {
      const { store } = find();
      // Whoever is killed before the end begins anew with the erasure, and so with this.
      store.facts.forgetTexts();
      store.erasures.finish(erasures);
    },
    dataForget: (before, isTry) => find().store.erasures.forget(before, isTry),
    dataVacuum: () => tryToVacuum(find().store.database),
    dataEmptyLog: () => tryToEmptyLog(find().store.database),
    dataClose: () => {
      opened?.store.database.close();
      opened = undefined;
    },
  };
}

/** Returns whether the log is empty. Waiting for a reader, SQLite would keep the lock, and batches would be refused. */
function tryToEmptyLog(database: DatabaseSync): boolean {
  database.exec("PRAGMA busy_timeout = 0");
  const row = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return Number(row?.busy) === 0;
}

/** Returns whether the file was written anew; what was to be deleted is deleted anyway. */
function tryToVacuum(database: DatabaseSync): boolean {
  try {
    runLocked(database, "VACUUM");
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}
