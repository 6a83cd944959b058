import type { SinkCalls } from "./sink_calls.ts";
import { commitBatches } from "./sqlite_commit.ts";
import { loadSqlite } from "./sqlite_module.ts";
import { keepStore, type StoreKeeper } from "./sqlite_keeper.ts";
import { probe } from "./sqlite_probe.ts";
import { isFile, toWholePath } from "./sqlite_watch.ts";

/** How often the files are looked at while nothing is stored. */
const LOOK_EVERY_MS = 500;

/** An open database. */
interface Opened {
  readonly path: string;
  readonly keeper: StoreKeeper;
  readonly timer: ReturnType<typeof setInterval>;
}

/** Creates what the thread of a SQLite sink does. */
export function createSinkCalls(): SinkCalls {
  let opened: Opened | undefined;

  function find(): Opened {
    if (opened === undefined) throw new Error("the SQLite sink is closed");
    return opened;
  }

  return {
    open: (givenPath) => {
      const path = toWholePath(givenPath);
      const keeper = keepStore(loadSqlite(), path);
      opened = { path, keeper, timer: setInterval(keeper.tend, LOOK_EVERY_MS) };
    },
    commit: (batches) => find().keeper.use((store) => commitBatches(store, batches)),
    check: async () => {
      const { path, keeper } = find();
      keeper.use(() => {});
      if (isFile(path)) await probe(loadSqlite(), path);
    },
    events: () => find().keeper.use(({ selectAll }) => selectAll.all().map(({ event }) => String(event))),
    pageviews: (apiKey, month) =>
      find().keeper.use(({ countPageviews }) => Number(countPageviews.get(apiKey, month)?.count ?? 0)),
    close: () => {
      const { keeper, timer } = find();
      clearInterval(timer);
      opened = undefined;
      keeper.close();
    },
  };
}
