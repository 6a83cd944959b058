import { attempt } from "../base/attempt.ts";
import type { Batch } from "../base/batch.ts";
import { createBatch } from "./batch.ts";
import type { ResolvedConfig } from "../config.ts";
import type { PageEnvironment } from "../platform/environment.ts";
import { isId } from "../base/is_id.ts";
import { ENTRY_PREFIX, LEASE_PREFIX } from "../base/keys.ts";
import {
  ADOPTED_ENTRIES,
  EXIT_LEASE_MS,
  LEASE_MS,
  LOOK_AGAIN_MS,
  MAX_AGE_MS,
  MAX_OUTBOX_BYTES,
} from "../base/limits.ts";

/**
 * Batches of full events that outlive the page, one storage key each. Reads and writes storage: used under granted
 * consent, and on the way from there to pending. Afterwards `remove()` alone is.
 */
export interface Outbox {
  /** Renews the page's lease and saves what of these full batches isn't saved as it is, as far as the newest have room. */
  save(batches: readonly Batch[]): void;
  /**
   * Lets go of a batch, and removes it from the device, unless it's to be kept there: it's found again then.
   *
   * @returns How many of its events stay there.
   */
  remove(batch: Batch, isKept?: boolean): number;
  /**
   * Gives away what nobody owns any more of the account in force, as far as there is room beside the batches that the page
   * has. It's the page's own now, in memory: save it in the same task. Removes what is unreadable or too old.
   *
   * @param again Hears in how many milliseconds there may be more: a lease of another page ends, what the page has may be
   * delivered, or the list is long.
   */
  find(known: readonly Batch[], again: (delayMs: number) => void): readonly Batch[];
  /**
   * Says until when, by `elapsed()`, the page may be gone: its lease ends soon, so that another page delivers what is left. A
   * page that saves later lives on, hidden, and keeps that to itself. 0 says that it's shown.
   */
  setGone(untilMs: number): void;
}

/** Parts that an outbox works with. */
export interface OutboxParts {
  /** The configuration in force. */
  readonly config: ResolvedConfig;
}

/** Creates the outbox of a page. It touches nothing until it's used. */
export const createOutbox: (parts: OutboxParts, page: PageEnvironment) => Outbox = ((parts, page) => {
  const storage = page.storage;
  /** Numbers of saved events by batch ID: no Map, since a page may have something else under that name. */
  const counts: Record<string, number> = {};
  /** The name under which the page owns entries. */
  let self = "";
  let goneUntilMs = 0;

  const keyOf = ({ account, id }: Batch): string => {
    self ||= page.randomId();
    return ENTRY_PREFIX + `${account}.${id}.${self}`;
  };
  const renew = (): void => {
    if (Object.keys(counts)[0]) {
      storage.set(LEASE_PREFIX + self, `${page.now() + (page.elapsed() < goneUntilMs ? EXIT_LEASE_MS : LEASE_MS)}`);
    }
  };
  const outbox: Outbox = {
    save(batches) {
      if (!batches[0]) return; // what the page let go of is another page's soon
      const onDevice: Record<string, string> = Object.fromEntries(
        storage.keys(ENTRY_PREFIX).map((key) => key.split(".").slice(5)),
      );
      let room = MAX_OUTBOX_BYTES;
      for (const batch of [...batches].reverse().sort((a, b) => b.timeMs - a.timeMs)) {
        room -= batch.bytes;
        if (room < 0) outbox.remove(batch);
        // The site may have erased it. Where another page took it, the device has it under that one's name.
        else if (!onDevice[batch.id] || (counts[batch.id] ?? 0) < batch.events.length) {
          if (storage.set(keyOf(batch), batch.events.join("\n"))) counts[batch.id] = batch.events.length;
        }
      }
      renew();
    },
    remove(batch, isKept) {
      const count = counts[batch.id] ?? 0;
      delete counts[batch.id];
      if (isKept || !count) return count;
      storage.remove(keyOf(batch));
      if (!Object.keys(counts)[0]) storage.remove(LEASE_PREFIX + self);
      return 0;
    },
    find(known, again) {
      const batches: Batch[] = [];
      const nowMs = page.now();
      const held: Record<string, Batch> = {};
      let room = MAX_OUTBOX_BYTES;
      for (const batch of known) {
        held[batch.id] = batch;
        room -= batch.bytes;
      }
      let spare = MAX_OUTBOX_BYTES;
      // A page that is gone may have left nothing but its lease: another one took all that it saved.
      for (const key of storage.keys(LEASE_PREFIX)) {
        if (Number(storage.get(key)) - nowMs <= 0) storage.remove(key);
      }
      for (const key of storage.keys(ENTRY_PREFIX)) {
        const [target = "", id = "", owner] = key.split(".").slice(4);
        // What the page has itself stays: its own entry, and one of another page that took the batch, or may have more of it.
        const leftMs = held[id] ? LEASE_MS : owner === self ? 0 : Number(storage.get(LEASE_PREFIX + owner)) - nowMs;
        // A lease that lasts longer than any can was taken before the clock was set back.
        if (leftMs > 0 && leftMs <= LEASE_MS) {
          again(leftMs);
          continue;
        }
        if (batches.length === ADOPTED_ENTRIES) {
          again(0);
          break;
        }
        const events = `${storage.get(key)}`.split("\n");
        // What isn't as the SDK saves it was cut short, or written by something else: no request could carry it.
        const batch = attempt(() => JSON.parse(`[${events}]`) && createBatch({ id, account: target, events }));
        const isSendable = batch && !batch.isAggregate && isId(id) && /^[\w.+-]+$/.test(batch.version) &&
          nowMs - batch.timeMs < MAX_AGE_MS;
        if (!isSendable) storage.remove(key);
        else if (target === parts.config.account) {
          // What can't be saved anew stays where it is, until something of this page's is delivered. Memory takes the rest.
          if (batch.bytes > room && batch.bytes <= spare) {
            again(LOOK_AGAIN_MS);
            spare -= batch.bytes;
          } else {
            storage.remove(key);
            batches.push(batch);
            room -= batch.bytes;
          }
        }
      }
      return batches;
    },
    setGone(untilMs) {
      if (untilMs === goneUntilMs) return;
      goneUntilMs = untilMs;
      renew();
    },
  };
  return outbox;
}) satisfies typeof createOutbox;
