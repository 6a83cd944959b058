import { join, resolve } from "node:path";
import { type FileGuard, guardFiles } from "../../../platform/file_guard.ts";
import { probeDatabase } from "../../../platform/probe_database.ts";
import { loadSqlite } from "../../../platform/sqlite_module.ts";
import { type Commit, prepareCommit } from "../commit_batches.ts";
import type { SinkCalls } from "../file_sink.ts";
import { checkWritable, type FolderStore, openFolder } from "../folder_store.ts";
import { openKnownIds } from "../known_ids.ts";
import { TAIL_NAME } from "../tail_schema.ts";

/** What errors name the folder. */
const NAME = "the folder of events";

/** An open folder. */
interface Opened {
  readonly folder: string;
  readonly guard: FileGuard<FolderStore>;
  readonly commit: Commit;
}

/** Creates what the thread of a sink of files does. */
export function createSinkCalls(): SinkCalls {
  let opened: Opened | undefined;

  function find(): Opened {
    if (opened === undefined) throw new Error("the sink of files is closed");
    return opened;
  }

  return {
    fileOpen: (given) => {
      // It stays the same when the process changes its directory.
      const folder = resolve(given);
      const store = openFolder(folder, { isMade: true });
      const files = [TAIL_NAME, `${TAIL_NAME}-wal`].map((name) => join(folder, name));
      const guard = guardFiles({ store, files, name: NAME });
      const commit = guard.use(() => {
        const ids = openKnownIds(store);
        ids.load();
        return prepareCommit(store, ids);
      });
      opened = { folder, guard, commit };
      return folder;
    },
    fileCommit: (batches) => {
      const { guard, commit } = find();
      return guard.use(() => commit.run(batches));
    },
    fileCheck: async () => {
      const { folder, guard } = find();
      guard.use(() => {});
      const path = join(folder, TAIL_NAME);
      await probeDatabase(loadSqlite(), { path, name: NAME, checkWritable });
    },
    filePageviews: (keyHash, month) => {
      const { guard, commit } = find();
      return guard.use(() => commit.countPageviews(keyHash, month));
    },
    fileClose: () => {
      const { guard } = find();
      opened = undefined;
      guard.close();
    },
  };
}
