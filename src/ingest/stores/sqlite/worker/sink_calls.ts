import { closeSync, openSync } from "node:fs";
import { createCorrection } from "../sqlite_correction.ts";
import { commitBatches } from "../sqlite_commit.ts";
import { type FileGuard, guardFiles } from "../../../platform/file_guard.ts";
import { probeDatabase } from "../../../platform/probe_database.ts";
import { loadSqlite } from "../../../platform/sqlite_module.ts";
import type { SinkCalls } from "../sqlite_sink.ts";
import { checkWritable, openStore, type SqliteStore } from "../sqlite_store.ts";
import type { Facts } from "../sqlite_facts.ts";
import { isFile, toLogPath, toWholePath } from "../sqlite_path.ts";

/** How often is looked whether there is something to correct, and whether the files are there. */
const LOOK_EVERY_MS = 500;

/** Between two blocks of a correction, so that batches get in between. */
const CORRECT_EVERY_MS = 25;

/** Between two looks whether facts can be made: while batches come, they wait until so many events have none. */
const FOLLOW_EVERY_MS = 25;

const MOST_WAITING_EVENTS = 20_000;

/** What errors name the database. */
const NAME = "the SQLite database";

/** Mode of a new file. SQLite gives it to the log and its index as well. */
const NEW_FILE_MODE = 0o600;

/** An open database. */
interface Opened {
  readonly path: string;
  readonly guard: FileGuard<SqliteStore>;
  readonly timer: Ticks;
}

/** A timer. */
interface Ticks {
  stop(): void;
}

/** Creates what the thread of a SQLite sink does. */
export function createSinkCalls(): SinkCalls {
  let opened: Opened | undefined;
  let commits = 0;

  function find(): Opened {
    if (opened === undefined) throw new Error("the SQLite sink is closed");
    return opened;
  }

  return {
    open: (givenPath) => {
      const path = toWholePath(givenPath);
      if (isFile(path)) createPrivately(path);
      const store = openStore(loadSqlite(), path);
      const guard = guardFiles({ store, files: isFile(path) ? [path, toLogPath(path)] : [], name: NAME });
      opened = { path, guard, timer: workRegularly(guard, () => commits) };
    },
    commit: (batches) => {
      commits += 1;
      return find().guard.use((store) => commitBatches(store, batches));
    },
    check: async () => {
      const { path, guard } = find();
      guard.use(() => {});
      if (isFile(path)) await probeDatabase(loadSqlite(), { path, name: NAME, checkWritable });
    },
    events: () => find().guard.use(({ selectAll }) => selectAll.all().map(({ event }) => String(event))),
    pageviews: (apiKey, month) =>
      find().guard.use(({ countPageviews }) => Number(countPageviews.get(apiKey, month)?.count ?? 0)),
    close: () => {
      const { guard, timer } = find();
      timer.stop();
      opened = undefined;
      guard.close();
    },
  };
}

/**
 * Deletes what a restored backup brought back, a block at a time, and makes facts of what has come: while no batch comes, or
 * once many events wait for it.
 */
function workRegularly(guard: FileGuard<SqliteStore>, countCommits: () => number): Ticks {
  const correct = createCorrection();
  let correctAtMs = 0;
  let commits = 0;
  let timer: ReturnType<typeof setTimeout>;

  function tick(): void {
    let waitMs = LOOK_EVERY_MS;
    try {
      if (performance.now() >= correctAtMs) {
        const isMore = guard.use(correct);
        if (isMore) waitMs = CORRECT_EVERY_MS;
        correctAtMs = performance.now() + waitMs;
      }
      waitMs = Math.min(waitMs, guard.use(({ facts }) => followSome(facts)));
    } catch {
      // Shut, or locked: whoever stores something is told. Whoever reads is told how far the facts are.
    }
    timer = setTimeout(tick, waitMs);
  }

  /** Returns when to look again, in milliseconds. */
  function followSome({ progress, follow }: Facts): number {
    const isBusy = commits !== countCommits();
    commits = countCommits();
    const { taken, last } = progress();
    if (isBusy && last - taken < MOST_WAITING_EVENTS) return FOLLOW_EVERY_MS;
    return follow() ? 0 : LOOK_EVERY_MS;
  }

  timer = setTimeout(tick, CORRECT_EVERY_MS);
  return { stop: () => clearTimeout(timer) };
}

/** Creates the file where it is missing: what visitors did is for nobody but the user who runs the ingest. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", NEW_FILE_MODE));
  } catch {
    // It is there already; or it can't be made, and SQLite says why.
  }
}
