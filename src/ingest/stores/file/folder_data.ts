import { buildErasure, createFindErasure, type Erasure, isErased } from "../../events/erasures.ts";
import type { StoredOwner } from "../../events/selection.ts";
import { emptyLog, isLocked, runLocked } from "../../platform/sqlite_lock.ts";
import { hashKey } from "../../platform/digest.ts";
import { buildAgeError, toTimeBefore } from "../../ports/data_checks.ts";
import type {
  DataSubject,
  DeleteOptions,
  ErasedData,
  EventRange,
  FoundData,
  PrunedData,
  PruneOptions,
} from "../../ports/data_store.ts";
import type { KeyedEvent } from "../../ports/load_target.ts";
import { createDataSummary, type DataSummary } from "./data_summary.ts";
import { wait } from "./drop_sealed.ts";
import type { FolderStore } from "./folder_store.ts";
import { type FolderRow, openRows, type ReceivedSpan } from "./folder_rows.ts";
import { dropOlder, hasOlder, type IsGone, removeEvents } from "./remove_events.ts";
import { FILE_EVENTS } from "./file_events.ts";
import { sealAll } from "./seal_tail.ts";
import { DamagedError } from "./sealed_rows.ts";

/** Personal data of a folder, found, handed out and deleted while others write to it. */
export interface FolderData {
  /** Returns whether anything was ever stored under a key. */
  hasKey(apiKey: string): Promise<boolean>;
  /** Counts what is stored of somebody. */
  find(subject: DataSubject): Promise<FoundData>;
  /** Reads what is stored of somebody, in the order of arrival. */
  list(subject: DataSubject): AsyncGenerator<KeyedEvent>;
  /** Reads everybody's events, in the order of arrival. */
  listAll(range: EventRange): AsyncGenerator<KeyedEvent>;
  /** Deletes what is stored of somebody, and keeps a record. */
  erase(subject: DataSubject, options: DeleteOptions): Promise<ErasedData>;
  /** Deletes by age, and what records name. */
  prune(options: PruneOptions): Promise<PrunedData>;
}

/** Names everything, whenever it was captured. */
const END_OF_TIME = "9999-12-31T23:59:59.999Z";

/** After how many rows is looked whether there is a new record. */
const LOOK_EVERY_ROWS = 100;

/** Milliseconds for the log to become empty, and between two attempts. */
const [LOG_LIMIT_MS, LOG_PAUSE_MS] = [10_000, 100] as const;

const HAS_KEY = `
  SELECT 1 FROM batch WHERE key_hash = :key UNION ALL SELECT 1 FROM pageviews WHERE key_hash = :key
  UNION ALL SELECT 1 FROM erasure WHERE key_hash = :key LIMIT 1
`;

/** Whose events are meant. */
interface Owner {
  readonly kind: Erasure["kind"];
  readonly id: string;
}

/** Opens what an open folder holds of people. */
export function openFolderData(store: FolderStore): FolderData {
  const { database, erasures: records } = store;
  const read = openRows(store);

  /** Reads the rows that there are by now, whatever arrives meanwhile. Throws at the end where files are damaged. */
  async function* listRows(isWhole: boolean, received?: ReceivedSpan): AsyncGenerator<FolderRow> {
    const faults: string[] = [];
    const onDamaged = ({ message }: DamagedError): void => void faults.push(message);
    for (let after = 0;;) {
      const unit = await read({ after, isWhole, received, onDamaged });
      if (unit === undefined) break;
      yield* unit.rows;
      after = unit.last;
    }
    if (faults.length > 0) throw new DamagedError(faults.join("; "));
  }

  /** Reads those of the rows that no record keeps away: the folder may be a backup that isn't corrected yet. */
  async function* listShown(isMeant: IsGone, isWhole: boolean): AsyncGenerator<FolderRow> {
    let [isHidden, change] = [records.read(), records.lastChange()];
    let count = 0;
    for await (const row of listRows(isWhole)) {
      // Who reads a file may take long, and somebody be erased meanwhile.
      if (count++ % LOOK_EVERY_ROWS === 0 && records.lastChange() !== change) {
        [isHidden, change] = [records.read(), records.lastChange()];
      }
      if (isMeant(row) && !isHidden(row)) yield row;
    }
  }

  function createPredicate(erasures: readonly Erasure[]): IsGone {
    const find = createFindErasure(erasures);
    return (event) => isErased(event, records.hashes, find);
  }

  /** The same where the ids are known: hashing those of everybody takes longer than all the rest. */
  function createOwnersPredicate(erasures: readonly Erasure[], owners: readonly Owner[]): IsGone {
    const isNamed = createPredicate(erasures);
    // As their hashes have them: UTF-8 holds no half of a character.
    const ids = new Set(owners.map(({ id }) => id.toWellFormed()));
    const has = (id: string | null | undefined): boolean => typeof id === "string" && ids.has(id.toWellFormed());
    return (event) => (has(event.userId) || has(event.anonymousId)) && isNamed(event);
  }

  /** Counts what is stored of somebody; if need be without what damaged files hold. */
  async function summarize(isMeant: IsGone, isPartial = false): Promise<DataSummary> {
    const summary = createDataSummary();
    try {
      for await (const row of listShown(isMeant, false)) summary.add(row);
    } catch (error) {
      if (!isPartial || !(error instanceof DamagedError)) throw error;
    }
    return summary;
  }

  /** Takes events out; in the end adds to the faults where files are damaged. */
  async function remove(isGone: IsGone, { faults, beforeMs }: Deletion): Promise<number> {
    let events = 0;
    if (beforeMs !== undefined) events += dropOlder(store, beforeMs);
    const onGone = (): void => void (events += 1);
    await collect(
      faults,
      () => removeEvents(store, { isGone, onGone, ...(beforeMs !== undefined && { receivedBeforeMs: beforeMs }) }),
    );
    return events;
  }

  async function count(isMeant: IsGone, { faults, beforeMs }: Deletion): Promise<number> {
    let events = 0;
    await collect(faults, async () => {
      const received = beforeMs === undefined ? undefined : { beforeMs };
      for await (const row of listRows(false, received)) if (isMeant(row)) events += 1;
    });
    return events;
  }

  /** Returns whose events are meant: the subject's, and those of the anonymous ids that were theirs. */
  async function listOwners(subject: DataSubject, isPartial = false): Promise<readonly Owner[]> {
    if (!("userId" in subject)) return [{ kind: "anonymous", id: subject.anonymousId }];
    const user: Owner = { kind: "user", id: subject.userId };
    if (subject.withVisitors !== true) return [user];
    const isTheirs = createOwnersPredicate(await build(subject, [user], END_OF_TIME), [user]);
    const theirs = await summarize(isTheirs, isPartial);
    return [user, ...toVisitors([...theirs.anonymousIds()])];
  }

  async function selectOf(
    subject: DataSubject,
  ): Promise<{ readonly isTheirs: IsGone; readonly owners: readonly Owner[] }> {
    const owners = await listOwners(subject);
    return { isTheirs: createOwnersPredicate(await build(subject, owners, END_OF_TIME), owners), owners };
  }

  async function eraseIn(subject: DataSubject, isVacuumed: boolean): Promise<ErasedData> {
    // A damaged file, which is named in the end, isn't to keep the rest from being erased.
    const owners = await listOwners(subject, true);
    const erasedAt = new Date().toISOString();
    const erasures = await build(subject, owners, erasedAt);
    // First, so that nothing of theirs is stored or shown from now on.
    records.keep(erasures);
    const summary = createDataSummary();
    const onGone = summary.add;
    // Anonymous ids that came in between the look and the record.
    const late: Owner[] = [];
    const lateErasures: Erasure[] = [];
    const known = new Set(owners.map(({ id }) => id));

    /** Keeps their records while there are events that lead to them: whoever is killed later has left them. */
    async function keepLate(events: readonly StoredOwner[]): Promise<void> {
      const ids = new Set(events.flatMap(({ anonymousId: id }) => typeof id === "string" && !known.has(id) ? id : []));
      if (ids.size === 0) return;
      const visitors = toVisitors([...ids]);
      const more = await build(subject, visitors, erasedAt);
      records.keep(more);
      for (const id of ids) known.add(id);
      late.push(...visitors);
      lateErasures.push(...more);
    }

    const isWithVisitors = "userId" in subject && subject.withVisitors === true;
    let remains: ErasedData["remains"];
    try {
      const isGone = createOwnersPredicate(erasures, owners);
      await removeEvents(store, { isGone, onGone, ...(isWithVisitors && { onGoing: keepLate }) });
      if (late.length > 0) await removeEvents(store, { isGone: createOwnersPredicate(lateErasures, late), onGone });
      records.finish([...erasures, ...lateErasures]);
    } finally {
      // Also where a file is damaged: the rest is gone.
      remains = await clean(isVacuumed);
    }
    return { ...summary.counts(), visitors: owners.length - 1 + late.length, erasedAt, remains };
  }

  /** Clears the database of what was deleted; returns what is left. */
  async function clean(isVacuumed: boolean): Promise<NonNullable<ErasedData["remains"]>> {
    // Batches wait while the database is written anew: what it holds goes into a file first.
    if (isVacuumed) await sealAll(store, FILE_EVENTS);
    const isAnew = isVacuumed && tryToVacuum(store);
    const endMs = performance.now() + LOG_LIMIT_MS;
    // Somebody may be reading, or copying the log as well.
    while (!emptyLog(database)) {
      if (performance.now() >= endMs) return "log";
      await wait(LOG_PAUSE_MS);
    }
    return isAnew ? "none" : "fragments";
  }

  async function correct(
    pending: readonly Erasure[],
    { dryRun, faults }: { readonly dryRun: boolean; readonly faults: Set<string> },
  ): Promise<number> {
    if (pending.length === 0) return 0;
    const isGone = createPredicate(pending);
    if (dryRun) return await count(isGone, { faults });
    const events = await remove(isGone, { faults });
    if (faults.size === 0) records.finish(pending);
    return events;
  }

  /** Deletes what arrived before a time; returns how much that is, what `pending` names left out. */
  async function removeOld(
    keepDays: number,
    { dryRun, faults, pending }: {
      readonly dryRun: boolean;
      readonly faults: Set<string>;
      readonly pending: readonly Erasure[];
    },
  ): Promise<number> {
    const before = toTimeBefore(keepDays);
    const beforeMs = Date.parse(before);
    const isOld: IsGone = ({ receivedAt }) => receivedAt < before;
    const isNamed = createPredicate(pending);
    const events = await count((event) => isOld(event) && !isNamed(event), {
      // Those of a damaged file are none; it goes all the same, if it is old as a whole.
      ...{ faults: dryRun ? faults : new Set(), beforeMs },
    });
    if (events > 0 || hasOlder(store, beforeMs)) await checkClock(keepDays, before);
    else if (!dryRun) return 0;
    return dryRun ? events : await remove(isOld, { faults, beforeMs });
  }

  async function forget(keepErasuresDays: number, dryRun: boolean): Promise<number> {
    const before = toTimeBefore(keepErasuresDays);
    const erasures = records.forget(before, true);
    if (erasures > 0) await checkClock(keepErasuresDays, before);
    return dryRun ? erasures : records.forget(before, false);
  }

  /** Throws where no event was captured, and arrived, at that time or later, though there are some. */
  async function checkClock(keptDays: number, before: string): Promise<void> {
    const sinceMs = Date.parse(before);
    // A visitor's time may be written in several ways, which only a parser compares.
    for await (const { timestamp, receivedAt } of listRows(false, { sinceMs })) {
      if (receivedAt >= before && Date.parse(timestamp) >= sinceMs) return;
    }
    for await (const _ of listRows(false)) throw buildAgeError(keptDays);
  }

  async function pruneIn(
    { keepDays, keepErasuresDays, dryRun = false, vacuum = false }: PruneOptions,
  ): Promise<PrunedData> {
    const pending = records.listPending();
    const faults = new Set<string>();
    const corrected = await correct(pending, { dryRun, faults });
    let remains: ErasedData["remains"];
    let [events, erasures] = [0, 0];
    try {
      // What the records name is gone by then, or would be.
      if (keepDays !== undefined) {
        events = await removeOld(keepDays, { dryRun, faults, pending: dryRun ? pending : [] });
      }
      if (keepErasuresDays !== undefined) erasures = await forget(keepErasuresDays, dryRun);
    } finally {
      if (!dryRun) remains = await clean(vacuum);
    }
    if (faults.size > 0) throw new DamagedError([...faults].join("; "));
    return { events, corrected, erasures, ...(remains !== undefined && { remains }) };
  }

  return {
    async hasKey(apiKey) {
      const key = await hashKey(apiKey);
      if (database.prepare(HAS_KEY).get({ key }) !== undefined) return true;
      for await (const { keyHash } of listRows(false)) if (keyHash === key) return true;
      return false;
    },
    find: async (subject) => (await summarize((await selectOf(subject)).isTheirs)).found(),
    async *list(subject) {
      const { isTheirs } = await selectOf(subject);
      for await (const row of listShown(isTheirs, true)) yield { keyHash: row.keyHash, event: row.event() };
    },
    async *listAll({ apiKey, from, to }) {
      const key = apiKey === undefined ? undefined : await hashKey(apiKey);
      const fromMs = from === undefined ? -Infinity : Date.parse(from);
      const toMs = to === undefined ? Infinity : Date.parse(to);
      const isMeant = ({ keyHash, timestamp }: StoredOwner): boolean => {
        if (key !== undefined && keyHash !== key) return false;
        const timeMs = Date.parse(timestamp);
        return timeMs >= fromMs && timeMs < toMs;
      };
      for await (const row of listShown(isMeant, true)) yield { keyHash: row.keyHash, event: row.event() };
    },
    async erase(subject, { dryRun = false, vacuum = false }) {
      if (!dryRun) return await eraseIn(subject, vacuum);
      const { isTheirs, owners } = await selectOf(subject);
      return { ...(await summarize(isTheirs)).counts(), visitors: owners.length - 1 };
    },
    prune: pruneIn,
  };
}

/** A deletion of events, or the count of those that it would delete. */
interface Deletion {
  /** Gets the messages that name damaged files. */
  readonly faults: Set<string>;
  /** Only files with an event are looked at that arrived before this time, in milliseconds since the Unix epoch. */
  readonly beforeMs?: number;
}

/** Does work on the rest where files are damaged, and adds what names them. */
async function collect(faults: Set<string>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    faults.add(error.message);
  }
}

async function build(
  { apiKey }: DataSubject,
  owners: readonly Owner[],
  erasedAt: string,
): Promise<readonly Erasure[]> {
  return await Promise.all(owners.map((owner) => buildErasure({ apiKey, ...owner }, erasedAt)));
}

function toVisitors(ids: readonly string[]): readonly Owner[] {
  return ids.map((id) => ({ kind: "visitor", id }));
}

/** Returns whether the database was written anew; what was to be deleted is deleted anyway. */
function tryToVacuum({ database }: FolderStore): boolean {
  try {
    runLocked(database, "VACUUM");
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}
