/**
 * The events of the SQLite store, block by block: no transaction takes longer than a batch may wait.
 *
 * @module
 */
import type { StatementSync } from "node:sqlite";
import { createFindErasure, type EventOwner, isErased, parseOwnerId, toOwner } from "../../events/erasures.ts";
import type { Block, KeyedText, Selection, StoredOwner } from "../../events/selection.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import type { PlacedRange } from "./placed_range.ts";
import { createHashes } from "./sqlite_erasures.ts";
import { inTransaction } from "../../platform/sqlite_lock.ts";
import { readPieces } from "./sqlite_pieces.ts";
import type { SqliteStore } from "./sqlite_store.ts";

/** Returns whether an event is selected. */
export type EventPredicate = (event: EventOwner) => boolean;

/** How many events are looked at for a block, and how many of them are deleted at most: either takes some 20 ms. */
const [LOOK_EVENTS, DELETE_EVENTS] = [5000, 500] as const;

/** How many times of events are read at once. */
const SINCE_ROWS = 1000;

/** Most UTF-16 units of events that are held at a time. */
const MAX_UNITS = 4 * 1024 * 1024;

const SELECT = `
  SELECT seq, api_key AS apiKey, event -> '$.identity.userId' AS userId,
    event -> '$.identity.anonymousId' AS anonymousId, session_id AS sessionId, timestamp, received_at AS receivedAt,
    length(event) AS units
  FROM events WHERE seq > ? ORDER BY seq LIMIT ?
`;

/** The events between two places, of a key or of all. */
const SELECT_RANGE = `
  SELECT seq, api_key AS apiKey, event FROM events
  WHERE seq > ?1 AND seq <= ?2 AND (?3 IS NULL OR api_key = ?3) ORDER BY seq LIMIT ?4
`;

/** Which events are old. A count and a deletion are of the same ones, by the index of their arrival. */
const OLD = "received_at < ?";

/** Creates the predicate of a selection. */
export function createPredicate(selection: Selection): EventPredicate {
  const hashes = createHashes();
  const find = createFindErasure(selection.erasures);
  return (event) => isErased(event, hashes, find);
}

/** Reads the blocks of a store. */
export interface Blocks {
  /** Returns whether the store has events of a key, or has counted some. */
  hasKey(apiKey: string): boolean;
  /** Finds what is selected behind a place. */
  find(after: number, isSelected: EventPredicate): Block<StoredOwner>;
  /** Reads what is selected behind a place, as JSON. */
  read(after: number, isSelected: EventPredicate): Block<string>;
  /** Returns the place of the newest event; 0 where there is none. */
  last(): number;
  /** Reads everybody's events of a range, behind one place and until another, but for those that are to stay away. */
  readRange(range: PlacedRange, isErased: EventPredicate): Block<KeyedText>;
  /** Deletes what is selected behind a place; the database deletes its facts with it. */
  remove(after: number, isSelected: EventPredicate): Block<StoredOwner>;
  /** Counts what arrived before a time. */
  countOld(before: string): number;
  /** Deletes some of what arrived before a time, the oldest first; returns how many, 0 once nothing is left. */
  removeOld(before: string): number;
  /** Returns whether an event was captured, and arrived, at that time or later, or there is none at all. */
  isBeforeNewest(time: string): boolean;
}

/** Opens the blocks of a store. */
export function openBlocks({ database, erasures: { hashKey } }: SqliteStore): Blocks {
  const select = database.prepare(SELECT);
  const selectEvent = database.prepare("SELECT seq, api_key, event FROM events WHERE seq = ?");
  const selectLast = database.prepare("SELECT max(seq) AS seq FROM events");
  const selectRange = database.prepare(SELECT_RANGE);
  const drop = database.prepare("DELETE FROM events WHERE seq = ?");
  const countOld = database.prepare(`SELECT count(*) AS count FROM events WHERE ${OLD}`);
  const selectOld = database.prepare(
    `SELECT seq, length(event) AS units FROM events WHERE ${OLD} ORDER BY received_at LIMIT ${DELETE_EVENTS}`,
  );
  const selectOfKey = database.prepare(
    "SELECT 1 FROM events WHERE api_key = :key UNION ALL SELECT 1 FROM pageviews WHERE api_key = :key LIMIT 1",
  );
  const selectAny = database.prepare("SELECT 1 FROM events LIMIT 1");
  const selectSince = database.prepare(
    "SELECT timestamp FROM events WHERE received_at >= ? ORDER BY received_at DESC LIMIT ? OFFSET ?",
  );

  /** Deletes what is still selected: meanwhile somebody may have deleted it, and a new event have its place. */
  function removeSelected(seqs: readonly number[], isSelected: EventPredicate): ReadonlySet<number> {
    const found = seqs.flatMap((seq) => {
      const row = selectEvent.get(seq);
      return row === undefined ? [] : [readEvent(row)];
    }).filter(({ apiKey, event }) => isSelected(toOwner(hashKey(apiKey), event)));
    const removed = found.map(({ seq }) => seq);
    removeEvents(removed);
    return new Set(removed);
  }

  function removeEvents(seqs: readonly number[]): void {
    for (const seq of seqs) drop.run(seq);
  }

  /** Finds the oldest of what arrived before a time. */
  function findOld(before: string): readonly number[] {
    const seqs: number[] = [];
    let sum = 0;
    for (const { seq, units } of selectOld.all(before)) {
      seqs.push(Number(seq));
      sum += Number(units);
      if (sum >= MAX_UNITS) break;
    }
    return seqs;
  }

  return {
    hasKey: (apiKey) => selectOfKey.get({ key: apiKey }) !== undefined,
    find: (after, isSelected) => readBlock(select, { hashKey, after, isSelected }),
    read: (after, isSelected) => {
      const { selected, ...block } = readBlock(select, { hashKey, after, isSelected, units: MAX_UNITS });
      return { ...block, selected: selected.flatMap(({ seq }) => String(selectEvent.get(seq)?.event ?? "") || []) };
    },
    last: () => Number(selectLast.get()?.seq ?? 0),
    readRange: ({ after, until, apiKey, from, to }, isErased) => {
      const fromMs = from === undefined ? -Infinity : Date.parse(from);
      const toMs = to === undefined ? Infinity : Date.parse(to);
      const selected: KeyedText[] = [];
      let [last, count, sum] = [after, 0, 0];
      const read = (last: number, most: number) => selectRange.all(last, until, apiKey ?? null, most);
      for (const row of readPieces(after, read)) {
        const text = String(row.event);
        const event: StoredEvent = JSON.parse(text);
        const keyHash = hashKey(String(row.apiKey));
        last = Number(row.seq);
        count += 1;
        const timeMs = Date.parse(event.timestamp);
        if (timeMs >= fromMs && timeMs < toMs && !isErased(toOwner(keyHash, event))) {
          selected.push({ keyHash, text });
          sum += text.length;
        }
        if (sum >= MAX_UNITS || count === LOOK_EVENTS) return { selected, last, isLast: false };
      }
      return { selected, last, isLast: true };
    },
    remove: (after, isSelected) => {
      const block = readBlock(select, { hashKey, after, isSelected, events: DELETE_EVENTS, units: MAX_UNITS });
      if (block.selected.length === 0) return block;
      const removed = inTransaction(database, () => removeSelected(block.selected.map(({ seq }) => seq), isSelected));
      return { ...block, selected: block.selected.filter(({ seq }) => removed.has(seq)) };
    },
    countOld: (before) => Number(countOld.get(before)?.count),
    removeOld: (before) =>
      inTransaction(database, () => {
        const seqs = findOld(before);
        removeEvents(seqs);
        return seqs.length;
      }),
    isBeforeNewest: (time) => {
      const timeMs = Date.parse(time);
      // A visitor's time may be written in several ways, which only a parser compares.
      for (let offset = 0;; offset += SINCE_ROWS) {
        const rows = selectSince.all(time, SINCE_ROWS, offset);
        if (rows.some(({ timestamp }) => Date.parse(String(timestamp)) >= timeMs)) return true;
        if (rows.length < SINCE_ROWS) return selectAny.get() === undefined;
      }
    },
  };
}

/** An event of a key, and its place. */
interface FoundEvent {
  readonly seq: number;
  readonly apiKey: string;
  readonly event: StoredEvent;
}

function readEvent({ seq, api_key, event }: Readonly<Record<string, unknown>>): FoundEvent {
  return { seq: Number(seq), apiKey: String(api_key), event: JSON.parse(String(event)) };
}

/** A row of the query. */
interface OwnerRow extends Omit<StoredOwner, "keyHash"> {
  readonly apiKey: string;
  readonly units: number;
}

interface BlockOptions {
  /** Returns the hash of a publishable key. */
  readonly hashKey: (apiKey: string) => string;
  /** Place behind which it begins. */
  readonly after: number;
  /** Most events that are selected. */
  readonly events?: number;
  /** Most units of those, but for the last one. */
  readonly units?: number;
  readonly isSelected: EventPredicate;
}

function readBlock(
  select: StatementSync,
  { hashKey, after, events = Infinity, units: maxUnits = Infinity, isSelected }: BlockOptions,
): Block<StoredOwner> {
  const selected: StoredOwner[] = [];
  let [last, count, sum] = [after, 0, 0];
  for (const row of readPieces(after, (last, most) => select.all(last, most))) {
    // The columns are those of the query.
    const { units, apiKey, userId, anonymousId, ...rest } = row as unknown as OwnerRow;
    const owner: StoredOwner = {
      ...rest,
      keyHash: hashKey(apiKey),
      userId: parseOwnerId(userId),
      anonymousId: parseOwnerId(anonymousId),
    };
    count += 1;
    last = owner.seq;
    if (isSelected(owner)) {
      selected.push(owner);
      sum += units;
    }
    if (selected.length >= events || sum >= maxUnits || count === LOOK_EVENTS) {
      return { selected, last, isLast: false };
    }
  }
  return { selected, last, isLast: true };
}
