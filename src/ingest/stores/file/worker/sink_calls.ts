import { join, resolve } from "node:path";
import { probeDatabase } from "../../../platform/probe_database.ts";
import { loadSqlite } from "../../../platform/sqlite_module.ts";
import { type Commit, prepareCommit } from "../commit_batches.ts";
import type { SinkCalls } from "../file_sink.ts";
import { type FolderGuard, openGuarded } from "../folder_guard.ts";
import { checkWritable } from "../folder_store.ts";
import { openKnownIds } from "../known_ids.ts";
import { TAIL_NAME } from "../tail_schema.ts";

/** An open folder. */
interface Opened {
  readonly folder: string;
  readonly guard: FolderGuard;
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
      const guard = openGuarded(folder);
      const commit = guard.use((store) => {
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
      await probeDatabase(loadSqlite(), { path, name: "the folder of events", checkWritable });
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
