/**
 * The events of a folder as rows, whether they lie in a sealed file or in batches of the tail.
 *
 * @module
 */
import { SENT_COLUMNS } from "../../events/columns.ts";
import { toOwner } from "../../events/erasures.ts";
import { rebuildEvent } from "../../events/rebuild_event.ts";
import type { StoredOwner } from "../../events/selection.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import { inSnapshot } from "../../platform/sqlite_lock.ts";
import { toSealedPath } from "./follow_folder.ts";
import type { FolderStore } from "./folder_store.ts";
import { DamagedError, GoneError, readSealed, type SealedRows } from "./sealed_rows.ts";

/** An event as it is stored, its place, and whose it is. */
export interface FolderRow extends StoredOwner {
  /** Returns all of it. */
  event(): StoredEvent;
}

/** Rows that lie together, in the order of their places. */
export interface Unit {
  readonly rows: Iterable<FolderRow>;
  /** The last place that it covers. */
  readonly last: number;
}

/** A batch of the tail, as it is stored. */
export interface BatchRow {
  readonly place: number;
  readonly events: number;
  readonly keyHash: string;
  readonly texts: string;
}

/** Scope of the rows that are read. */
export interface UnitScope {
  /** Place behind which the rows are. */
  readonly after: number;
  /** Whether whole events are asked for, and not their owners alone. */
  readonly isWhole: boolean;
  /**
   * Files are left out that have no event that arrived in this span, in milliseconds since the Unix epoch. There may be others
   * among the rows.
   */
  readonly received?: ReceivedSpan | undefined;
  /** Takes the error that names a damaged file, which then has no rows. It is thrown otherwise. */
  readonly onDamaged?: (error: DamagedError) => void;
}

/** A span of times of arrival; open at the ends that are absent. */
export interface ReceivedSpan {
  readonly sinceMs?: number;
  readonly beforeMs?: number;
}

/** The columns that tell whose an event is, and of when. */
export const OWNER_COLUMNS: readonly string[] = [
  ...["seq", "key_hash", "user_id", "anonymous_id", "session_id", "timestamp", "received_at"],
];

const EVENT_COLUMNS: readonly string[] = ["seq", "key_hash", ...SENT_COLUMNS.map(({ name }) => name)];

/** Batches that are read at a time: one may have a megabyte. */
const PIECE_ROWS = 100;

const FILE = `
  SELECT number, until_place AS until FROM file
  WHERE until_place > ? AND last_received_at >= ? AND first_received_at < ? ORDER BY number LIMIT 1
`;

const BATCHES = `
  SELECT place, events, key_hash AS keyHash, texts FROM batch
  WHERE place >= (SELECT tail_from FROM store) AND place + events > ? ORDER BY place LIMIT ${PIECE_ROWS}
`;

/** Opens the rows of a folder; the function returns the next unit behind a place, and undefined at the end. */
export function openRows(
  { database, folder }: Pick<FolderStore, "database" | "folder">,
): (scope: UnitScope) => Promise<Unit | undefined> {
  const [selectFile, selectBatches] = [database.prepare(FILE), database.prepare(BATCHES)];

  function find(
    after: number,
    { sinceMs = 0, beforeMs = Number.MAX_SAFE_INTEGER }: ReceivedSpan = {},
  ): Found | undefined {
    // The first place that is wanted.
    const file = selectFile.get(after + 1, Math.floor(sinceMs), Math.ceil(beforeMs));
    if (file !== undefined) return { number: Number(file.number), last: Number(file.until) - 1 };
    // The columns are those of the query.
    const batches = selectBatches.all(after + 1) as unknown as readonly BatchRow[];
    return batches.length === 0 ? undefined : { batches };
  }

  return async ({ after, isWhole, received, onDamaged }) => {
    for (let missing = 0;;) {
      const found = inSnapshot(database, () => find(after, received));
      if (found === undefined) return undefined;
      if ("batches" in found) return { rows: listBatches(found.batches, after), last: findLast(found.batches) };
      const { number, last } = found;
      try {
        const rows = await readSealed(toSealedPath(folder, number), isWhole ? EVENT_COLUMNS : OWNER_COLUMNS);
        return { rows: listSealed(rows, after, last), last };
      } catch (error) {
        // It may have been dropped by age since it was found; one that is still registered is missing.
        if (error instanceof GoneError && number !== missing) {
          missing = number;
          continue;
        }
        if (onDamaged === undefined || !(error instanceof DamagedError)) throw error;
        onDamaged(error);
        return { rows: [], last };
      }
    }
  };
}

type Found = { readonly number: number; readonly last: number } | { readonly batches: readonly BatchRow[] };

/** Lists the rows of batches. */
export function* listBatches(batches: readonly BatchRow[], after: number): Generator<FolderRow> {
  for (const { place, keyHash, texts } of batches) {
    for (const [index, text] of texts.split("\n").entries()) {
      if (text === "" || place + index <= after) continue;
      const event: StoredEvent = JSON.parse(text);
      const { userId = null, anonymousId = null, ...owner } = toOwner(keyHash, event);
      yield {
        ...owner,
        ...{ userId, anonymousId, seq: place + index, sessionId: event.sessionId ?? null, event: () => event },
      };
    }
  }
}

/**
 * Lists the rows of a sealed file of which the columns were read, those behind a place, until another. What is behind that, where
 * the file has grown since it was looked up, or whoever did that was killed, is in the tail as well.
 */
export function* listSealed(
  { count, columns }: SealedRows,
  after: number,
  last: number = Infinity,
): Generator<FolderRow> {
  const read = (name: string): ArrayLike<unknown> => columns.get(name) ?? [];
  const [seqs, keys, users, visitors] = ["seq", "key_hash", "user_id", "anonymous_id"].map(read);
  const [sessions, timestamps, arrivals] = ["session_id", "timestamp", "received_at"].map(read);
  for (let row = 0; row < count; row++) {
    const seq = Number(seqs?.[row]);
    if (seq <= after || seq > last) continue;
    yield {
      seq,
      keyHash: String(keys?.[row]),
      userId: users?.[row] as string | null,
      anonymousId: toNullable(visitors?.[row]),
      sessionId: toNullable(sessions?.[row]),
      // Made when they are asked for: mostly nobody does.
      get timestamp() {
        return toIso(timestamps?.[row]);
      },
      get receivedAt() {
        return toIso(arrivals?.[row]);
      },
      event: () => rebuildRow(columns, row),
    };
  }
}

function rebuildRow(columns: SealedRows["columns"], row: number): StoredEvent {
  const cells = Object.fromEntries(SENT_COLUMNS.map(({ name, type }) => {
    const cell = columns.get(name)?.[row];
    return [name, type === "time" ? new Date(Number(cell)) : cell];
  }));
  return rebuildEvent(cells);
}

function findLast(batches: readonly BatchRow[]): number {
  const { place = 0, events = 0 } = batches.at(-1) ?? {};
  return place + events - 1;
}

function toNullable(text: unknown): string | null {
  return text === "" ? null : String(text);
}

function toIso(ms: unknown): string {
  return new Date(Number(ms)).toISOString();
}
