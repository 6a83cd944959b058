import { buildErasure, type Erasure } from "../../events/erasures.ts";
import type { Block, KeyedText, Selection, StoredOwner } from "../../events/selection.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import type { PlacedRange } from "./placed_range.ts";
import { startThread, type Thread } from "../../threads/thread.ts";
import { buildAgeError, checkDays, checkRange, checkSubject, toTimeBefore } from "../../ports/data_checks.ts";
import type { KeyedEvent } from "../../ports/load_target.ts";
import type {
  DataStore,
  DataSubject,
  ErasedData,
  EventRange,
  FoundData,
  PrunedData,
  PruneOptions,
} from "../../ports/data_store.ts";

/** What the thread of a SQLite data store does. */
export type DataCalls = {
  /** Opens a database that a SQLite sink has made. */
  readonly dataOpen: (path: string) => void;
  /** Returns whether anything was ever stored under a key. */
  readonly dataHasKey: (apiKey: string) => boolean;
  /** Says which events are meant, by a number from now on. */
  readonly dataSelect: (id: number, selection: Selection) => void;
  /** Finds those that are stored, behind a place; those that are to stay away only for who deletes. */
  readonly dataFind: (id: number, after: number, isForDeletion: boolean) => Block<StoredOwner>;
  /** Reads them as JSON, behind a place, but for those that are to stay away. */
  readonly dataRead: (id: number, after: number) => Block<string>;
  /** Returns the place of the newest event; 0 where there is none. */
  readonly dataLast: () => number;
  /** Reads everybody's events, but for those that are to stay away. */
  readonly dataReadRange: (range: PlacedRange) => Block<KeyedText>;
  /** Deletes them, behind a place. */
  readonly dataRemove: (id: number, after: number) => Block<StoredOwner>;
  /** Counts those that arrived before a time. */
  readonly dataCountOld: (before: string) => number;
  /** Deletes some of those that arrived before a time; returns how many, 0 once nothing is left. */
  readonly dataRemoveOld: (before: string) => number;
  /** Returns whether the store is empty, or has an event that was captured and arrived at that time or later. */
  readonly dataIsBeforeNewest: (time: string) => boolean;
  /** Keeps records of erasures. */
  readonly dataKeep: (erasures: readonly Erasure[]) => void;
  /** Returns the records whose events may be stored. */
  readonly dataPending: () => readonly Erasure[];
  /** Notes that the events of records are gone. */
  readonly dataFinish: (erasures: readonly Erasure[]) => void;
  /** Forgets the records of before a time, unless it is only a try; returns how many. */
  readonly dataForget: (before: string, isTry: boolean) => number;
  /** Writes the file anew; returns whether it could. */
  readonly dataVacuum: () => boolean;
  /** Copies the log into the file and empties it; returns whether nobody was in the way. */
  readonly dataEmptyLog: () => boolean;
  /** Closes the database. */
  readonly dataClose: () => void;
};

/** Names everything, whenever it was captured. */
const END_OF_TIME = "9999-12-31T23:59:59.999Z";

/** The least time between two blocks that are deleted, so that batches get in between. */
const PAUSE_MS = 25;

/** How long the log may take to be empty, and between two attempts. */
const [LOG_LIMIT_MS, LOG_PAUSE_MS] = [10_000, 100] as const;

/** Whose events are meant. */
interface Owner {
  readonly kind: Erasure["kind"];
  readonly id: string;
}

/** Which of the selected events are looked at. */
interface SummaryOptions {
  /** Whether those are that records name: they are to be deleted, and to stay away from who reads. */
  readonly isForDeletion?: boolean;
  /** Time before which they arrived. */
  readonly receivedBefore?: string;
}

/** What is known of events that were looked at. */
interface Summary {
  events: number;
  readonly sessions: Set<string>;
  readonly anonymousIds: Set<string>;
  readonly userIds: Set<string>;
  first?: string;
  last?: string;
}

/**
 * Creates the functions that find, hand out and delete what the database of a SQLite sink holds of people, while sinks
 * write to it. A thread of its own does the work; the database is open for that long.
 *
 * @throws {Error} Where there is no `node:sqlite`. Each function rejects where there is no such database.
 *
 * @param options With the `path` of the database file of a SQLite sink.
 *
 * @example
 * ```ts
 * import { createSqliteData, createSqliteSink } from "@vendor/ingest";
 *
 * const path = `${await Deno.makeTempDir()}/events.db`;
 * await (await createSqliteSink({ path })).close();
 *
 * const data = createSqliteData({ path });
 * const { events } = await data.erase({ apiKey: "pk_live_123", userId: "user-1", withVisitors: true });
 * await data.close();
 *
 * if (events !== 0) throw new Error("the database is empty");
 * ```
 */
export function createSqliteData({ path }: { readonly path: string }): DataStore {
  return openSqliteData(path, startThread());
}

/** Creates them in a thread that was started for them, and is ended with them. */
export function openSqliteData(path: string, thread: Thread<DataCalls>): DataStore {
  let [users, lastId] = [0, 0];
  let opening: Promise<void> | undefined;

  /** Opens the database for as long as somebody uses it: its files may be replaced later. */
  async function enter(): Promise<void> {
    users += 1;
    opening ??= thread.call("dataOpen", path);
    try {
      await opening;
    } catch (error) {
      await leave();
      throw error;
    }
  }

  async function leave(): Promise<void> {
    users -= 1;
    if (users > 0) return;
    opening = undefined;
    await thread.call("dataClose");
  }

  async function withDatabase<R>(work: () => Promise<R>): Promise<R> {
    await enter();
    try {
      return await work();
    } finally {
      await leave();
    }
  }

  async function* readBlocks<T>(
    selection: Selection,
    read: (id: number, after: number) => Promise<Block<T>>,
  ): AsyncGenerator<Block<T>> {
    const id = lastId += 1;
    await thread.call("dataSelect", id, selection);
    let after = 0;
    for (;;) {
      const block = await read(id, after);
      yield block;
      if (block.isLast) return;
      after = block.last;
    }
  }

  async function summarize(
    selection: Selection,
    { isForDeletion = false, receivedBefore = END_OF_TIME }: SummaryOptions = {},
  ): Promise<Summary> {
    const summary = createSummary();
    for await (
      const { selected } of readBlocks(
        selection,
        (id, after) => thread.call("dataFind", id, after, isForDeletion),
      )
    ) {
      addToSummary(summary, selected.filter(({ receivedAt }) => receivedAt < receivedBefore));
    }
    return summary;
  }

  /** Reads blocks of everybody's events, each while the one before is used. */
  async function* readRange(range: EventRange): AsyncGenerator<Block<KeyedText>> {
    const until = await thread.call("dataLast");
    const read = (after: number): Promise<Block<KeyedText>> => {
      const block = thread.call("dataReadRange", { ...range, after, until });
      block.catch(() => {}); // it is told when the block's turn comes, if that comes
      return block;
    };
    let next: Promise<Block<KeyedText>> | undefined = read(0);
    while (next !== undefined) {
      const block: Block<KeyedText> = await next;
      next = block.isLast ? undefined : read(block.last);
      yield block;
    }
  }

  /** Deletes what is selected. */
  async function remove(selection: Selection): Promise<Summary> {
    const summary = createSummary();
    let startedMs = performance.now();
    for await (const { selected } of readBlocks(selection, (id, after) => thread.call("dataRemove", id, after))) {
      addToSummary(summary, selected);
      if (selected.length > 0) await pauseAfter(startedMs);
      startedMs = performance.now();
    }
    return summary;
  }

  /** Returns whose events are meant: the subject's, and those of the anonymous ids that were theirs. */
  async function listOwners(subject: DataSubject): Promise<readonly Owner[]> {
    checkSubject(subject);
    if (!("userId" in subject)) return [{ kind: "anonymous", id: subject.anonymousId }];
    const user: Owner = { kind: "user", id: subject.userId };
    if (subject.withVisitors !== true) return [user];
    const { anonymousIds } = await summarize(await select(subject, [user]));
    return [user, ...[...anonymousIds].map((id) => ({ kind: "visitor", id } as const))];
  }

  async function findIn(subject: DataSubject): Promise<{ readonly found: Summary; readonly owners: readonly Owner[] }> {
    const owners = await listOwners(subject);
    return { found: await summarize(await select(subject, owners)), owners };
  }

  async function eraseIn(subject: DataSubject, isVacuumed: boolean): Promise<ErasedData> {
    const owners = await listOwners(subject);
    const erasedAt = new Date().toISOString();
    let erasures = await build(subject, owners, erasedAt);
    // First, so that nothing of theirs is stored from now on.
    await thread.call("dataKeep", erasures);
    const removed = await remove({ erasures });
    let visitors = owners.length - 1;
    if ("userId" in subject && subject.withVisitors === true) {
      // An anonymous id that came in between the look and the record.
      const known = new Set(owners.map(({ id }) => id));
      const late = [...removed.anonymousIds].filter((id) => !known.has(id));
      if (late.length > 0) {
        const more = await build(subject, late.map((id) => ({ kind: "visitor", id } as const)), erasedAt);
        await thread.call("dataKeep", more);
        mergeSummary(removed, await remove({ erasures: more }));
        erasures = [...erasures, ...more];
        visitors += late.length;
      }
    }
    await thread.call("dataFinish", erasures);
    const remains = await clean(isVacuumed);
    return { events: removed.events, sessions: removed.sessions.size, visitors, erasedAt, remains };
  }

  /** Clears the files of what was deleted; returns what is left. */
  async function clean(isVacuumed: boolean): Promise<NonNullable<ErasedData["remains"]>> {
    const isAnew = isVacuumed && await thread.call("dataVacuum");
    const endMs = performance.now() + LOG_LIMIT_MS;
    // Somebody may be reading, or copying the log as well.
    while (!await thread.call("dataEmptyLog")) {
      if (performance.now() >= endMs) return "log";
      await wait(LOG_PAUSE_MS);
    }
    return isAnew ? "none" : "fragments";
  }

  async function pruneIn(options: PruneOptions): Promise<PrunedData> {
    const { keepDays, keepErasuresDays, dryRun = false, vacuum = false } = options;
    const pending = await thread.call("dataPending");
    const corrected = await correct(pending, dryRun);
    let remains: ErasedData["remains"];
    let [events, erasures] = [0, 0];
    try {
      // What the records name is gone by then, or would be.
      if (keepDays !== undefined) events = await removeOld(keepDays, dryRun ? { dryRun, pending } : { dryRun });
      if (keepErasuresDays !== undefined) erasures = await forget(keepErasuresDays, dryRun);
    } finally {
      if (!dryRun) remains = await clean(vacuum);
    }
    return { events, corrected, erasures, ...(remains !== undefined && { remains }) };
  }

  async function correct(pending: readonly Erasure[], dryRun: boolean): Promise<number> {
    if (pending.length === 0) return 0;
    if (dryRun) return (await summarize({ erasures: pending }, { isForDeletion: true })).events;
    const { events } = await remove({ erasures: pending });
    await thread.call("dataFinish", pending);
    return events;
  }

  async function removeOld(
    keepDays: number,
    { dryRun, pending = [] }: { readonly dryRun: boolean; readonly pending?: readonly Erasure[] },
  ): Promise<number> {
    const receivedBefore = toTimeBefore(keepDays);
    const named = pending.length === 0
      ? 0
      : (await summarize({ erasures: pending }, { isForDeletion: true, receivedBefore })).events;
    const events = await thread.call("dataCountOld", receivedBefore) - named;
    if (events > 0) await checkClock(keepDays, receivedBefore);
    if (dryRun) return events;
    let removed = 0;
    for (;;) {
      const startedMs = performance.now();
      const count = await thread.call("dataRemoveOld", receivedBefore);
      if (count === 0) return removed;
      removed += count;
      await pauseAfter(startedMs);
    }
  }

  async function forget(keepErasuresDays: number, dryRun: boolean): Promise<number> {
    const before = toTimeBefore(keepErasuresDays);
    const erasures = await thread.call("dataForget", before, true);
    if (erasures > 0) await checkClock(keepErasuresDays, before);
    return dryRun ? erasures : await thread.call("dataForget", before, false);
  }

  async function checkClock(keptDays: number, before: string): Promise<void> {
    if (!await thread.call("dataIsBeforeNewest", before)) throw buildAgeError(keptDays);
  }

  return {
    hasKey: (apiKey) => withDatabase(() => thread.call("dataHasKey", apiKey)),
    find: (subject) => withDatabase(async () => toFoundData((await findIn(subject)).found)),
    export: async function* (subject): AsyncGenerator<StoredEvent> {
      await enter();
      try {
        const selection = await select(subject, await listOwners(subject));
        for await (const { selected } of readBlocks(selection, (id, after) => thread.call("dataRead", id, after))) {
          for (const text of selected) yield JSON.parse(text);
        }
      } finally {
        await leave();
      }
    },
    exportAll: async function* (range = {}): AsyncGenerator<KeyedEvent> {
      checkRange(range);
      await enter();
      try {
        for await (const { selected } of readRange(range)) {
          for (const { keyHash, text } of selected) yield { keyHash, event: JSON.parse(text) };
        }
      } finally {
        await leave();
      }
    },
    erase: (subject, { dryRun = false, vacuum = false } = {}) =>
      withDatabase(async () => {
        if (!dryRun) return await eraseIn(subject, vacuum);
        const { found: { events, sessions }, owners } = await findIn(subject);
        return { events, sessions: sessions.size, visitors: owners.length - 1 };
      }),
    prune: async (options) => {
      checkDays(options);
      return await withDatabase(() => pruneIn(options));
    },
    close: () => thread.end(),
  };
}

/** Selects what owners have, whenever it was captured. */
async function select(subject: DataSubject, owners: readonly Owner[]): Promise<Selection> {
  return { erasures: await build(subject, owners, END_OF_TIME) };
}

async function build(
  { apiKey }: DataSubject,
  owners: readonly Owner[],
  erasedAt: string,
): Promise<readonly Erasure[]> {
  return await Promise.all(owners.map((owner) => buildErasure({ apiKey, ...owner }, erasedAt)));
}

function createSummary(): Summary {
  return { events: 0, sessions: new Set(), anonymousIds: new Set(), userIds: new Set() };
}

function addToSummary(summary: Summary, selected: readonly StoredOwner[]): void {
  for (const { sessionId, anonymousId, userId, timestamp } of selected) {
    summary.events += 1;
    if (sessionId !== null) summary.sessions.add(sessionId);
    if (typeof anonymousId === "string") summary.anonymousIds.add(anonymousId);
    // As its hash has it, and ClickHouse: UTF-8 holds no half of a character.
    if (typeof userId === "string") summary.userIds.add(userId.toWellFormed());
    if (summary.first === undefined || timestamp < summary.first) summary.first = timestamp;
    if (summary.last === undefined || timestamp > summary.last) summary.last = timestamp;
  }
}

function mergeSummary(summary: Summary, more: Summary): void {
  summary.events += more.events;
  for (const session of more.sessions) summary.sessions.add(session);
}

function toFoundData({ events, sessions, anonymousIds, userIds, first, last }: Summary): FoundData {
  return {
    events,
    sessions: sessions.size,
    ...(first !== undefined && { first }),
    ...(last !== undefined && { last }),
    anonymousIds: [...anonymousIds],
    userIds: [...userIds],
  };
}

/** Who waits for the lock asks every now and then: it is free for as long as it was taken. */
async function pauseAfter(startedMs: number): Promise<void> {
  await wait(Math.max(PAUSE_MS, performance.now() - startedMs));
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
