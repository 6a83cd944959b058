import type { Erasure } from "../../events/erasures.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import { checkDays, checkRange, checkSubject } from "../../ports/data_checks.ts";
import type {
  DataStore,
  DataSubject,
  DeleteOptions,
  ErasedData,
  EventRange,
  FoundData,
  PrunedData,
  PruneOptions,
} from "../../ports/data_store.ts";
import type { KeyedEvent } from "../../ports/load_target.ts";
import { startThread, type Thread } from "../../threads/thread.ts";

/** Calls to the thread of a data store on a folder. Each opens the folder, unless a listing is under way. */
export type DataCalls = {
  readonly fileHasKey: (folder: string, apiKey: string) => Promise<boolean>;
  readonly fileFind: (folder: string, subject: DataSubject) => Promise<FoundData>;
  /** Begins to list somebody's events, or everybody's of a range, under a number. */
  readonly fileList: (folder: string, list: number, of: DataSubject | { readonly range: EventRange }) => void;
  /** Returns the next events of a list, as JSON; none at its end. */
  readonly fileNext: (list: number) => Promise<readonly string[]>;
  /** Ends a list. */
  readonly fileEnd: (list: number) => Promise<void>;
  readonly fileErase: (folder: string, subject: DataSubject, options: DeleteOptions) => Promise<ErasedData>;
  readonly fileErasures: (folder: string) => readonly Erasure[];
  readonly filePrune: (folder: string, options: PruneOptions) => Promise<PrunedData>;
};

/** Personal data of a folder, and its records of erasures. */
export interface FileData extends DataStore {
  /** Returns the records of erasures, those included that only the file beside the database has. */
  erasures(): Promise<readonly Erasure[]>;
}

/**
 * Creates the functions that find, hand out and delete what the folder of a sink of files holds of people, while sinks
 * write to it. A thread of its own does the work; the folder is open for that long. A file that is damaged is named by the
 * error with which they reject.
 *
 * @throws {Error} Where there is no `node:sqlite`. Each function rejects where there is no such folder.
 *
 * @param options With the `path` of the folder of a sink of files.
 */
export function createFileData({ path }: { readonly path: string }): DataStore {
  return openFileData(path, startThread());
}

/** Opens a folder to copy it, in a thread of its own. */
export function openForCopy(path: string): FileData {
  return openFileData(path, startThread());
}

/** Creates them in a thread that was started for them, and is ended with them. */
export function openFileData(folder: string, thread: Thread<DataCalls>): FileData {
  let lists = 0;

  async function* list(of: DataSubject | { readonly range: EventRange }): AsyncGenerator<KeyedEvent> {
    const number = lists += 1;
    await thread.call("fileList", folder, number, of);
    const read = (): Promise<readonly string[]> => {
      const next = thread.call("fileNext", number);
      next.catch(() => {}); // it is told when its turn comes, if that comes
      return next;
    };
    try {
      // Each piece is read while the one before is used.
      for (let next = read();;) {
        const texts = await next;
        if (texts.length === 0) return;
        next = read();
        for (const text of texts) yield JSON.parse(text);
      }
    } finally {
      await thread.call("fileEnd", number);
    }
  }

  return {
    hasKey: (apiKey) => thread.call("fileHasKey", folder, apiKey),
    find: async (subject) => {
      checkSubject(subject);
      return await thread.call("fileFind", folder, subject);
    },
    export: async function* (subject): AsyncGenerator<StoredEvent> {
      checkSubject(subject);
      for await (const { event } of list(subject)) yield event;
    },
    exportAll: async function* (range = {}): AsyncGenerator<KeyedEvent> {
      checkRange(range);
      yield* list({ range });
    },
    erase: async (subject, options = {}) => {
      checkSubject(subject);
      return await thread.call("fileErase", folder, subject, options);
    },
    prune: async (options) => {
      checkDays(options);
      return await thread.call("filePrune", folder, options);
    },
    erasures: () => thread.call("fileErasures", folder),
    close: () => thread.end(),
  };
}
