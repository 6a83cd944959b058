import type { KeyedEvent } from "../../../ports/load_target.ts";
import type { DataCalls } from "../file_data.ts";
import { type FolderData, openFolderData } from "../folder_data.ts";
import { followFolder } from "../follow_folder.ts";
import { openFolder, openFolderToRead } from "../folder_store.ts";

/** Most events, and UTF-16 units of them, that are handed out at a time. */
const [PIECE_EVENTS, PIECE_UNITS] = [2000, 4 * 1024 * 1024] as const;

/** A list that is read. */
interface List {
  readonly events: AsyncGenerator<KeyedEvent>;
  /** Failure behind events that are handed out first. */
  fault?: { readonly error: unknown };
  close(): void;
}

/** Creates what the thread of a data store on a folder does. */
export function createDataCalls(): DataCalls {
  const lists = new Map<number, List>();

  /** Has the folder open for as long as somebody uses it: its files may be replaced later. */
  async function withFolder<R>(
    folder: string,
    work: (data: FolderData) => Promise<R>,
    open: typeof openFolderToRead = openFolder,
  ): Promise<R> {
    const store = open(folder);
    try {
      return await work(openFolderData(store));
    } finally {
      store.database.close();
    }
  }

  return {
    fileHasKey: (folder, apiKey) => withFolder(folder, ({ hasKey }) => hasKey(apiKey), openFolderToRead),
    fileFind: (folder, subject) => withFolder(folder, ({ find }) => find(subject), openFolderToRead),
    fileList: (folder, list, of) => {
      const store = openFolderToRead(folder);
      const data = openFolderData(store);
      lists.set(list, {
        events: "range" in of ? data.listAll(of.range) : data.list(of),
        close: () => store.database.close(),
      });
    },
    fileNext: async (list) => {
      const current = lists.get(list);
      const texts: string[] = [];
      try {
        if (current?.fault !== undefined) throw current.fault.error;
        for (let units = 0; texts.length < PIECE_EVENTS && units < PIECE_UNITS;) {
          const next = await current?.events.next();
          if (next === undefined || next.done) break;
          const text = JSON.stringify(next.value);
          units += text.length;
          texts.push(text);
        }
      } catch (error) {
        if (texts.length === 0 || current === undefined) throw error;
        current.fault = { error };
      }
      return texts;
    },
    fileEnd: async (list) => {
      const { events, close } = lists.get(list) ?? {};
      lists.delete(list);
      await events?.return(undefined);
      close?.();
    },
    fileErasures: (folder) => {
      const followed = followFolder(folder);
      try {
        return followed.read((view) => view.erasures(0))
          .map(({ key, kind, id, erasedAt }) => ({ key, kind, id, erasedAt }));
      } finally {
        followed.close();
      }
    },
    fileErase: (folder, subject, options) => withFolder(folder, ({ erase }) => erase(subject, options)),
    filePrune: (folder, options) => withFolder(folder, ({ prune }) => prune(options)),
  };
}
