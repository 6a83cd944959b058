import type { ReportReader } from "../../../ports/reader.ts";
import { OWNERS, SESSIONS, VISITORS } from "../../../reports/sql/kept.ts";
import { createReader } from "../../../reports/sql/reader.ts";
import type { DuckDbConnection } from "../duckdb.ts";
import { DUCKDB } from "../duckdb_macros.ts";
import { type FileReaderCalls, MAX_READS, READ_LIMIT_MS, type ReadName } from "../file_reader.ts";
import { nameKept } from "../kept_rows.ts";
import { EVENTS, type LiveEvents, openLiveEvents, VERSION } from "../live_events.ts";
import { createSharedAnswers } from "../shared_answers.ts";

/** A reader for one call at a time. */
interface Slot {
  /** Reads, all of it of one moment. */
  read(name: ReadName, args: readonly unknown[]): Promise<unknown>;
  /** Ends what is read; it rejects with the message. */
  stop(message: string): void;
}

/** A folder that is open. */
interface Opened {
  readonly live: LiveEvents;
  readonly slots: Slot[];
}

/** Creates what the thread of a reader of files does. */
export function createFileReaderCalls(): FileReaderCalls {
  const reads = new Map<number, (message: string) => void>();
  let live: LiveEvents | undefined;
  let opened: Opened | undefined;

  async function openFolder(folder: string, base: string): Promise<void> {
    const events = live = await openLiveEvents({ folder, base });
    try {
      await events.refresh();
      const slots = await Promise.all(
        Array.from({ length: MAX_READS }, async () => createSlot(await events.connect())),
      );
      opened = { live: events, slots };
    } catch (error) {
      await events.close();
      throw error;
    }
  }

  /** Reads; once more where files went meanwhile, and without those that are damaged. */
  async function read({ live, slots }: Opened, { id, name, args }: ReadCall): Promise<unknown> {
    const slot = slots.pop();
    if (slot === undefined) throw new Error("too many reports at a time");
    let stopped: string | undefined;
    const stop = (message: string): void => {
      stopped = message;
      slot.stop(message);
    };
    reads.set(id, stop);
    const timer = setTimeout(() => stop(`the report takes longer than ${READ_LIMIT_MS / 1000} s`), READ_LIMIT_MS);
    const readNow = async (): Promise<unknown> => {
      await live.refresh();
      if (stopped !== undefined) throw new Error(stopped);
      return await slot.read(name, args);
    };
    try {
      return await readNow().catch(async (error) => {
        if (stopped !== undefined) throw error;
        return await readNow();
      }).catch(async (error) => {
        if (stopped !== undefined || !await live.recheck(error)) throw error;
        return await readNow();
      });
    } finally {
      clearTimeout(timer);
      reads.delete(id);
      slots.push(slot);
    }
  }

  return {
    openFolder,
    folderProgress: () => live?.progress() ?? 0,
    folderDamaged: () => live?.damaged() ?? [],
    async readFolder(id, name, args) {
      if (opened === undefined) throw new Error("the folder isn't open");
      return await read(opened, { id, name, args });
    },
    stopRead: (id, message) => reads.get(id)?.(message),
    async closeFolder() {
      await live?.close();
    },
  };
}

interface ReadCall {
  readonly id: number;
  readonly name: ReadName;
  readonly args: readonly unknown[];
}

function createSlot(connection: DuckDbConnection): Slot {
  let stopped: string | undefined;

  /** Runs no query once it is stopped, whichever of several is next. */
  async function run<R>(query: () => Promise<R>): Promise<R> {
    try {
      if (stopped === undefined) return await query();
    } catch (error) {
      if (stopped === undefined) throw error;
    }
    throw new Error(stopped);
  }

  const shared = createSharedAnswers(connection);
  const reader: ReportReader = createReader({
    dialect: DUCKDB,
    events: EVENTS,
    share: (sql) => run(() => shared.share(sql)),
    kept: { sessions: nameKept(SESSIONS), visitors: nameKept(VISITORS), owners: nameKept(OWNERS) },
    select: (sql) => run(() => connection.select(sql)),
    selectColumns: (sql) => run(() => connection.selectColumns(sql)),
    close: () => Promise.resolve(),
  });
  // The caller knows the functions by the same type.
  const functions = reader as unknown as Readonly<Record<ReadName, (...args: readonly unknown[]) => Promise<unknown>>>;
  return {
    async read(name, args) {
      stopped = undefined;
      return await shared.within(VERSION, () => functions[name](...args));
    },
    stop(message) {
      stopped = message;
      connection.interrupt();
    },
  };
}
