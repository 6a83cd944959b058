import { describeError } from "../../../platform/describe_error.ts";
import { openRows } from "../folder_rows.ts";
import { type FolderStore, openFolder } from "../folder_store.ts";
import type { UpkeepCalls } from "../file_sink.ts";
import { createUpkeep, type Upkeep } from "../upkeep.ts";

/** Milliseconds between two looks whether there is something to do. */
const LOOK_EVERY_MS = 1000;

/** Milliseconds until the next look after a failure. */
const FAILED_MS = 30_000;

/** An open folder, and what is done for it. */
interface Opened {
  readonly store: FolderStore;
  readonly upkeep: Upkeep;
  running: Promise<void> | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  fault: string | undefined;
}

/** Creates what the thread of a folder's upkeep does. */
export function createUpkeepCalls(): UpkeepCalls {
  let opened: Opened | undefined;

  function find(): Opened {
    if (opened === undefined) throw new Error("the folder of events is closed");
    return opened;
  }

  async function work(current: Opened): Promise<void> {
    let waitMs = LOOK_EVERY_MS;
    try {
      await current.upkeep.run();
    } catch (error) {
      current.fault = describeError(error);
      waitMs = FAILED_MS;
    }
    current.running = undefined;
    if (opened === current) current.timer = setTimeout(start, waitMs);
  }

  /** Does what there is to do, one thing at a time. */
  function start(): void {
    if (opened === undefined || opened.running !== undefined) return;
    clearTimeout(opened.timer);
    opened.running = work(opened);
  }

  return {
    upkeepOpen: (folder, fileEvents) => {
      const store = openFolder(folder);
      opened = {
        store,
        upkeep: createUpkeep(store, fileEvents),
        running: undefined,
        timer: undefined,
        fault: undefined,
      };
      start();
    },
    upkeepRun: async () => {
      start();
      await find().running;
    },
    upkeepFault: () => {
      const current = find();
      const { fault } = current;
      current.fault = undefined;
      return fault;
    },
    upkeepEvents: async () => {
      const read = openRows(find().store);
      const events: string[] = [];
      for (let after = 0;;) {
        const unit = await read({ after, isWhole: true });
        if (unit === undefined) return events;
        for (const row of unit.rows) events.push(JSON.stringify(row.event()));
        after = unit.last;
      }
    },
    upkeepClose: async () => {
      const { upkeep, running, timer, store } = find();
      upkeep.stop();
      clearTimeout(timer);
      opened = undefined;
      await running;
      store.database.close();
    },
  };
}
