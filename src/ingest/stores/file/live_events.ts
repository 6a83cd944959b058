/**
 * The events of a folder as DuckDB reads them while others write: sealed files, and the tail as a table in memory.
 *
 * @module
 */
import { rmSync } from "node:fs";
import type { StoredEvent } from "../../events/stored_event.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { DamagedFile } from "../../ports/reader.ts";
import { createDamagedFiles, type ReadableFile } from "./damaged_files.ts";
import { FILE_EVENTS } from "./file_events.ts";
import {
  type Answer,
  type DuckDb,
  type DuckDbChange,
  type DuckDbConnection,
  type DuckDbOptions,
  openDuckDb,
  type Question,
} from "./duckdb.ts";
import {
  type FollowedErasure,
  type FollowedFolder,
  followFolder,
  type SealedFile,
  type TailBatch,
} from "./follow_folder.ts";
import { findHidden, type HiddenEvents, toRecordName } from "./hidden_events.ts";
import { createKeptRows, type KeptRows } from "./kept_rows.ts";
import { isShown, selectEvents, selectFiles, type Shown } from "./select_events.ts";
import { keepSpillFolder, makeSpillFolder } from "./spill_folder.ts";
import { appendEvents, createTailTable, type PlacedEvent, SEQ, TAIL } from "./tail_table.ts";

/** Name of the view of all events. */
export const EVENTS = "events" as const;

/** Query of what tells the events of one moment from those of another, as `version`. */
export const VERSION = "SELECT version FROM moment" as const;

/** Files that are counted at once: fewer take longer, more take more memory, which is free again only afterwards. */
const FILES_AT_ONCE = 8;

/** Condition of no event. */
const NONE = "false";

/** DuckDB's message for a query that takes too much, for which no file is to blame. */
const OUT_OF_MEMORY = /^Out of Memory Error:/;

/** Batches of the tail that are taken at once. */
const BATCHES_AT_ONCE = 500;

/** Most attempts to count, each of which leaves out more damaged files than the one before. */
const MAX_ATTEMPTS = 5;

/** A folder as it was last seen. */
interface Seen {
  /** Files that can be read. */
  readonly files: readonly ReadableFile[];
  /** Numbers of the files that can't. */
  readonly damaged: string;
  /** Place from which on events are in the tail. */
  readonly tailFrom: number;
  readonly tailVersion: number;
  /** Place behind the last event that is counted. */
  readonly next: number;
  readonly hidden: readonly HiddenEvents[];
  /** Number of events that the view shows. */
  readonly events: number;
}

/** A folder at one moment. */
interface Found extends Pick<Seen, "files" | "damaged" | "tailFrom" | "tailVersion"> {
  readonly erasures: readonly FollowedErasure[];
  readonly batches: readonly TailBatch[];
  /** Share of the files that it has: below 1, the next look has more. */
  readonly share: number;
  /** Whether the tail was read from its beginning. */
  readonly isWholeTail: boolean;
}

/** The events of a folder. */
export interface LiveEvents {
  /** Opens a connection that reads the view `events` and the kept rows. */
  connect(): Promise<DuckDbConnection>;
  /** Runs a statement that defines something of ours. */
  define(sql: string): Promise<void>;
  /** Asks what somebody else wrote, of the view `events`, which then changes no more; see {@linkcode DuckDb.ask}. */
  ask(question: Pick<Question, "sql" | "maxRows">): Promise<Answer>;
  /** Sees all that was written before the call. */
  refresh(): Promise<void>;
  /** Looks for damaged files after a query failed; returns whether there are more, so that the next refresh helps. */
  recheck(error: unknown): Promise<boolean>;
  /** Returns the files that can't be read; no query sees their events. */
  damaged(): readonly DamagedFile[];
  /** Returns which share of the files is counted: below 1 until the first refresh has ended. */
  progress(): number;
  /** Ends what runs, releases what it holds, and removes what queries have laid down. */
  close(): Promise<void>;
}

/** Options of {@linkcode openLiveEvents}. */
export interface LiveEventsOptions extends Omit<DuckDbOptions, "temporaryFolder"> {
  /** Folder of the events. */
  readonly folder: string;
  /**
   * Whether sessions, visitors and users are counted and kept, as the reports need them.
   *
   * @default {true}
   */
  readonly isCounting?: boolean;
}

const KEEPS_NOTHING: KeptRows = {
  add: () => Promise.resolve(),
  prepareRecount: () => Promise.resolve(() => Promise.resolve()),
  clear: () => Promise.resolve(),
};

const NOTHING: Seen = { files: [], damaged: "", tailFrom: 0, tailVersion: -1, next: 0, hidden: [], events: 0 };

/**
 * Opens a folder of events. The first refresh counts what is there.
 *
 * @throws {Error} Where the folder is none, the package `@duckdb/node-api` isn't installed, or the runtime may not load native
 * code.
 */
export async function openLiveEvents(
  { folder: path, isCounting = true, ...options }: LiveEventsOptions,
): Promise<LiveEvents> {
  // First: a path that is mistyped isn't to become a folder.
  const folder = followFolder(path);
  let duckDb: DuckDb | undefined;
  try {
    const spillFolder = makeSpillFolder(path);
    const opened = duckDb = await openDuckDb({ ...options, temporaryFolder: spillFolder });
    let kept: KeptRows | undefined;
    await opened.change(async (change) => {
      await createTailTable(change);
      await defineEvents(change, NOTHING, 0);
      kept = isCounting ? await createKeptRows(change, EVENTS) : KEEPS_NOTHING;
    });
    if (kept === undefined) throw new Error("a change that failed rejects");
    return createLiveEvents(opened, { folder, spillFolder, kept, looking: await opened.connect() });
  } catch (error) {
    folder.close();
    await duckDb?.close();
    throw error;
  }
}

function createLiveEvents(
  duckDb: DuckDb,
  { folder, spillFolder, kept, looking }: {
    readonly folder: FollowedFolder;
    readonly spillFolder: string;
    readonly kept: KeptRows;
    /** Connection that looks at files. */
    readonly looking: DuckDbConnection;
  },
): LiveEvents {
  let seen = NOTHING;
  let version = 0;
  let share = 0;
  /** Events that were counted since tables were compressed. */
  let uncompressed = 0;
  let isBehind = true;
  /** Whether events went while they were counted: the kept rows may have them, and the number of events not. */
  let isDoubtful = false;
  let isClosed = false;
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  const listFiles = (): readonly SealedFile[] => folder.read((view) => view.files());
  const damage = createDamagedFiles({ looking, listFiles });

  function look(): Omit<Found, "files" | "damaged"> & { readonly files: readonly SealedFile[] } {
    return folder.read((view) => {
      const [all, tailVersion] = [view.files(), view.tailVersion()];
      const isWholeTail = tailVersion !== seen.tailVersion && seen !== NOTHING;
      const fresh = all.findIndex(({ until }) => until > seen.next);
      const files = fresh === -1 ? all : all.slice(0, fresh + FILES_AT_ONCE);
      const ofFiles = {
        files,
        tailVersion,
        isWholeTail,
        erasures: view.erasures(0).filter(({ isApplied }) => !isApplied),
      };
      // What the tail has comes after all files.
      if (files.length < all.length) {
        return { ...ofFiles, tailFrom: files.at(-1)?.until ?? 0, batches: [], share: files.length / all.length };
      }
      const tailFrom = view.tailFrom();
      // Of a tail that lost events, all of it; else what is new, in pieces.
      const batches = isWholeTail
        ? view.batches(tailFrom)
        : view.batches(Math.max(seen.next, tailFrom), BATCHES_AT_ONCE);
      return { ...ofFiles, tailFrom, batches, share: 1 };
    });
  }

  /** Takes a piece of what is new; returns whether there is more. */
  async function take(): Promise<boolean> {
    const found = look();
    const files = await damage.leaveOut(found.files);
    if (files === undefined) return true;
    const damaged = found.files.map(({ number }) => number)
      .filter((number) => !files.some((file) => file.number === number)).join(" ");
    let now = seen;
    await duckDb.change(async (change) => {
      now = await apply(change, { ...found, files, damaged });
    });
    seen = now;
    const after = folder.read((view) => ({ files: view.files(), tailVersion: view.tailVersion() }));
    isDoubtful = hasLostEvents(after, found);
    share = Math.max(share, found.share);
    if (uncompressed >= FILE_EVENTS) {
      await duckDb.compress();
      uncompressed = 0;
    }
    return found.share < 1 || found.batches.length >= BATCHES_AT_ONCE;
  }

  async function apply(change: DuckDbChange, found: Found): Promise<Seen> {
    const { files, damaged, tailFrom, tailVersion, batches, isWholeTail } = found;
    const next = Math.max(seen.next, tailFrom, ...batches.map(({ place, texts }) => place + texts.length));
    if (isWholeTail) await change.run(`DELETE FROM ${TAIL}`);
    await appendEvents(change, batches.flatMap(parseBatch));
    const { hidden, fresh } = await findAllHidden(change, found);
    const counted = `(SELECT * FROM ${EVENTS} WHERE ${SEQ} < ${seen.next})`;
    // What a file held that was damaged, or is whole again, nobody knows without counting.
    const isOtherwise = isDoubtful || damaged !== seen.damaged;
    const hasLost = isOtherwise || seen !== NOTHING && hasLostEvents(found, seen);
    const recount = fresh.length === 0 || hasLost
      ? undefined
      : await kept.prepareRecount(`(SELECT * FROM ${counted} AS c WHERE ${fresh.join(" OR ")})`);

    await change.run(`DELETE FROM ${TAIL} WHERE ${SEQ} < ${tailFrom}`);
    await defineEvents(change, { files, tailFrom, hidden }, version += 1);
    // What was hidden before it went is in no row; of anything else that went, nobody knows whose it was.
    const isMadeAnew = isOtherwise ||
      hasLost && (fresh.length > 0 || await countEvents(change, counted) !== seen.events);
    if (isMadeAnew) await kept.clear();
    await recount?.(counted);
    await addEvents({ files, hidden, from: isMadeAnew ? 0 : seen.next, tailFrom, next });
    return { files, damaged, tailFrom, tailVersion, next, hidden, events: await countEvents(change, EVENTS) };
  }

  async function findAllHidden(
    change: DuckDbChange,
    { files, tailFrom, erasures }: Found,
  ): Promise<{ readonly hidden: readonly HiddenEvents[]; readonly fresh: readonly string[] }> {
    const known = new Map(seen.hidden.map((one) => [one.record, one]));
    const all = `(${selectEvents({ files, tailFrom, hidden: [] })})`;
    const unseen = `(SELECT * FROM ${all} AS a WHERE ${SEQ} >= ${seen.next})`;
    const hidden: HiddenEvents[] = [];
    const fresh: HiddenEvents[] = [];
    for (const record of erasures) {
      const before = known.get(toRecordName(record));
      // Whom a record names may be in what was stored, or read, since.
      const found = before === undefined || before.where === NONE
        ? await findHidden(change, record, before === undefined ? all : unseen)
        : before;
      hidden.push(found);
      if (found !== before && found.where !== NONE) fresh.push(found);
    }
    return { hidden, fresh: fresh.map(({ where }) => where) };
  }

  /** Counts the events from a place on. */
  async function addEvents(
    { files, hidden, from, tailFrom, next }: Shown & Pick<Seen, "next"> & { readonly from: number },
  ): Promise<void> {
    const fresh = files.filter(({ until }) => until > from);
    for (let first = 0; first < fresh.length; first += FILES_AT_ONCE) {
      const some = fresh.slice(first, first + FILES_AT_ONCE);
      const ofFiles = selectFiles({ files: some, tailFrom });
      await kept.add(`(SELECT * FROM (${ofFiles}) AS f WHERE ${SEQ} >= ${from} AND ${isShown(hidden)})`);
    }
    uncompressed += next - from;
    if (next <= Math.max(from, tailFrom)) return;
    await kept.add(`(SELECT * FROM ${TAIL} WHERE ${SEQ} >= ${from} AND ${isShown(hidden)})`);
  }

  async function recheck(error: unknown): Promise<boolean> {
    if (isClosed || OUT_OF_MEMORY.test(describeError(error))) return false;
    const isFound = await damage.search();
    isBehind ||= isFound;
    return isFound;
  }

  async function run(): Promise<void> {
    keepSpillFolder(spillFolder);
    isBehind = folder.changed() || isBehind || damage.hasChanged();
    if (!isBehind) return;
    for (let attempt = 1;; attempt++) {
      try {
        while (await take());
        break;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !await recheck(error)) throw error;
      }
    }
    isBehind = isDoubtful;
    share = 1;
  }

  return {
    connect: duckDb.connect,
    define: (sql) => duckDb.change(({ run }) => run(sql)),
    ask: (question) => duckDb.ask({ ...question, files: seen.files.map(({ path }) => path) }),
    refresh() {
      // One that began before the call may have looked already.
      waiting ??= running.catch(() => {}).then(() => {
        waiting = undefined;
        return running = run();
      });
      return waiting;
    },
    recheck,
    damaged: damage.list,
    progress: () => share,
    async close() {
      isClosed = true;
      await duckDb.close();
      folder.close();
      rmSync(spillFolder, { recursive: true, force: true });
    },
  };
}

async function defineEvents({ run }: Pick<DuckDbChange, "run">, shown: Shown, version: number): Promise<void> {
  await run(`CREATE OR REPLACE VIEW ${EVENTS} AS ${selectEvents(shown)}`);
  await run(`CREATE OR REPLACE VIEW moment AS SELECT ${version} AS version`);
}

/** State that tells whether events went. */
interface Counted extends Pick<Seen, "tailVersion"> {
  readonly files: readonly SealedFile[];
}

/** Returns whether events went that were there before. */
function hasLostEvents(
  { files, tailVersion }: Counted,
  seen: Counted,
): boolean {
  const removals = new Map(files.map((file) => [file.number, file.removals]));
  return tailVersion !== seen.tailVersion || seen.files.some((file) => removals.get(file.number) !== file.removals);
}

async function countEvents({ select }: Pick<DuckDbChange, "select">, events: string): Promise<number> {
  const [row] = await select(`SELECT count(*) AS events FROM ${events}`);
  return Number(row?.events);
}

function parseBatch({ place, keyHash, texts }: TailBatch): readonly PlacedEvent[] {
  return texts.flatMap((text, index) => {
    if (text === "") return [];
    const event: StoredEvent = JSON.parse(text);
    return Object.assign(event, { keyHash, seq: place + index });
  });
}
