import { createFindErasure, isErased } from "../../events/erasures.ts";
import { dropSealed, PAUSE_MS, shrinkTail, wait } from "./drop_sealed.ts";
import { createHashes } from "./erasure_records.ts";
import type { FolderStore } from "./folder_store.ts";
import { removeEvents } from "./remove_events.ts";
import { sealTail } from "./seal_tail.ts";
import { DamagedError } from "./sealed_rows.ts";
import { checkFiles, isNumberTaken, type StrayFile, sweepDrafts, sweepFolder } from "./sweep_folder.ts";
import { countTail } from "./tail_places.ts";

/** Milliseconds that a seal is put off once somebody got in its way. */
const AGAIN_MS = 1000;

/** Milliseconds until records are applied again, once a file was damaged: all files are read for it. */
const CORRECT_AGAIN_MS = 10 * 60 * 1000;

/** Milliseconds between two looks for files that somebody left. */
const SWEEP_EVERY_MS = 60 * 60 * 1000;

/** Does what a folder needs, a step at a time. */
export interface Upkeep {
  /** Does all that there is to do at the moment; rejects with what kept it from that. */
  run(): Promise<void>;
  /** Has it end before its next step. */
  stop(): void;
}

/**
 * Creates the upkeep of a folder: it removes leftovers, applies the erasures of a restored backup, and those whose process was
 * killed, and seals the tail: as soon as it is enough for a file, and once a day has passed since its oldest event arrived.
 */
export function createUpkeep(store: FolderStore, fileEvents: number): Upkeep {
  let [isChecked, isStopped] = [false, false];
  let [correctAtMs, sweepAtMs] = [0, 0];

  async function correct(): Promise<void> {
    const pending = store.erasures.listPending();
    if (pending.length === 0) return;
    const [hashes, find] = [createHashes(), createFindErasure(pending)];
    await removeEvents(store, { isGone: (event) => isErased(event, hashes, find), onGone: () => {} });
    store.erasures.finish(pending);
  }

  async function drop(): Promise<void> {
    while (!isStopped && dropSealed(store)) await wait(PAUSE_MS);
    while (!isStopped && shrinkTail(store)) await wait(PAUSE_MS);
  }

  /** Corrects; returns the fault where a file is damaged: the tail is to be sealed all the same. */
  async function tryToCorrect(): Promise<DamagedError | undefined> {
    if (performance.now() < correctAtMs) return undefined;
    try {
      await correct();
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      correctAtMs = performance.now() + CORRECT_AGAIN_MS;
      return error;
    }
  }

  async function seal(strays: readonly StrayFile[]): Promise<void> {
    while (!isStopped && !isNumberTaken(store, strays)) {
      const isAged = isOfEarlierDay(store);
      if (!isAged && countTail(store) < fileEvents) return;
      // Somebody is being erased: the tail isn't what it was.
      if (!await sealTail(store, { isAged, fileEvents })) await wait(AGAIN_MS);
      await drop();
    }
  }

  return {
    async run() {
      store.checkNames();
      let strays: readonly StrayFile[] = [];
      if (performance.now() >= sweepAtMs) {
        sweepDrafts(store);
        if (!isChecked) await checkFiles(store);
        isChecked = true;
        // An erasure that was killed may leave a file that is registered no more.
        strays = await sweepFolder(store);
        // A stray file is named each time, until somebody moves it away.
        if (strays.length === 0) sweepAtMs = performance.now() + SWEEP_EVERY_MS;
      }
      await drop();
      const fault = await tryToCorrect();
      await seal(strays);
      const faults = new Set([...strays, ...(fault === undefined ? [] : [fault])].map(({ message }) => message));
      if (faults.size > 0) throw new Error([...faults].join("; "));
    },
    stop() {
      isStopped = true;
    },
  };
}

/** Returns whether the oldest of the tail arrived on an earlier day in UTC. */
function isOfEarlierDay({ database }: FolderStore): boolean {
  const sql = "SELECT received_at FROM batch WHERE place >= (SELECT tail_from FROM store) ORDER BY place LIMIT 1";
  const oldest = database.prepare(sql).get()?.received_at;
  return oldest !== undefined && toDay(Number(oldest)) < toDay(Date.now());
}

function toDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, "2026-01-01".length);
}
