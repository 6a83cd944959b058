import { createFindErasure, isErased } from "../../../events/erasures.ts";
import { createHashes } from "../erasure_records.ts";
import type { FollowedRows, TailCalls } from "../file_tail.ts";
import { type FolderRow, openRows } from "../folder_rows.ts";
import { followFolder, openReadOnly } from "../follow_folder.ts";
import { findNext } from "../tail_places.ts";

/** Places before the end to look at first for the newest events, and the factor of each further look. */
const [FIRST_PLACES, FARTHER] = [1000, 8] as const;

/** Creates what the thread of a tail does. */
export function createTailCalls(): TailCalls {
  return {
    async fileTailNewest(folder, keyHash, count) {
      let last = 0;
      let rows: readonly string[] = [];
      for (let places = FIRST_PLACES;; places *= FARTHER) {
        last = readNext(folder) - 1;
        const after = Math.max(last - places, 0);
        if (count > 0) rows = (await readBehind(folder, { keyHash, after, until: last })).texts;
        if (rows.length >= count || after === 0) break;
      }
      return { texts: count === 0 ? [] : rows.slice(-count), last, isMore: false };
    },
    async fileTailAfter(folder, keyHash, after) {
      return await readUnit(folder, { keyHash, after, until: Infinity });
    },
  };
}

/** Which events are read. */
interface TailScope {
  readonly keyHash: string | null;
  readonly after: number;
  readonly until: number;
}

function readNext(folder: string): number {
  const database = openReadOnly(folder);
  try {
    return findNext({ database });
  } finally {
    database.close();
  }
}

/** Reads all that is behind a place. */
async function readBehind(folder: string, scope: TailScope): Promise<FollowedRows> {
  const texts: string[] = [];
  let { after } = scope;
  while (after < scope.until) {
    const unit = await readUnit(folder, { ...scope, after });
    texts.push(...unit.texts);
    if (unit.last === after) break;
    after = unit.last;
  }
  return { texts, last: after, isMore: false };
}

/** Reads some of what is behind a place: of a file, or of a few batches. */
async function readUnit(folder: string, { keyHash, after, until }: TailScope): Promise<FollowedRows> {
  const database = openReadOnly(folder);
  try {
    const unit = await openRows({ database, folder })({ after, isWhole: true });
    if (unit === undefined) return { texts: [], last: after, isMore: false };
    const isHidden = readHidden(folder);
    const shown: string[] = [];
    for (const row of unit.rows) {
      if (row.seq > until || keyHash !== null && row.keyHash !== keyHash || isHidden(row)) continue;
      shown.push(JSON.stringify(row.event()));
    }
    return { texts: shown, last: unit.last, isMore: true };
  } finally {
    database.close();
  }
}

/** Returns whether an erasure names an event that is still there. */
function readHidden(folder: string): (row: FolderRow) => boolean {
  const followed = followFolder(folder);
  try {
    const pending = followed.read((view) => view.erasures(0)).filter(({ isApplied }) => !isApplied);
    if (pending.length === 0) return () => false;
    const [hashes, find] = [createHashes(), createFindErasure(pending)];
    return (row) => isErased(row, hashes, find);
  } finally {
    followed.close();
  }
}
