import { type Batch, type BatchContent, buildBody, expand, type Target } from "./batch.ts";
import type { PageEnvironment } from "./environment/environment.ts";
import { EXIT_LEASE_MS, LEASE_MS, MAX_AGE_MS, MAX_OUTBOX_LENGTH } from "./limits.ts";
import type { Report } from "./report.ts";

/** Prefix of what is undelivered, with the version of its form. */
const ENTRY_PREFIX = "vendor.sdk.outbox.1.";

/** Prefix of the time until which a page owns what it saved, in milliseconds since the Unix epoch. */
const LEASE_PREFIX = "vendor.sdk.lease.";

/**
 * Batches of full events that outlive the page, one storage key each. An entry is a line of JSON that
 * names the page that owns it, then the batch's events, a line each. Reads and writes storage, under granted consent
 * alone.
 */
export interface Outbox {
  /** Renews the page's lease and, unless that is all, saves what changed, as far as there is room for the newest. */
  save(batches: readonly Batch[], isLeaseAlone?: boolean): void;
  /**
   * Saves a batch anew that is on the device in an older form. Whoever sends what a crash leaves has to know the ID under
   * which it was sent before.
   */
  update(batch: Batch): void;
  /** Removes a batch that is done with. The one member that may be used without consent. */
  remove(batch: Batch): void;
  /**
   * Returns what other pages left for a target, or this one when consent was withdrawn, oldest first. Removes what
   * can't be read or is too old.
   */
  adopt(target: Target, batches: readonly Batch[]): readonly BatchContent[];
  /** Returns those of the batches that another page adopted while this one slept. */
  findLost(batches: readonly Batch[]): readonly Batch[];
  /** Says whether the page goes for good: then what it sent has some time to arrive, and its lease ends. */
  setGone(isGone?: boolean): void;
}

/** Owner, time, version, errors and ID of an entry. What else may stand there could spoil the request. */
const HEAD_FORM = /^\["[\w-]+",\d{1,15},"[\w.+-]+",\d+,(null|"[\w-]+")]$/;

/** About how many characters that takes. */
const HEAD_LENGTH = 120;

/** What an entry says. */
interface Entry extends BatchContent {
  readonly key: string;
}

/** Creates the outbox of a page. It touches nothing until it's used. */
export function createOutbox(environment: PageEnvironment, report: Report): Outbox {
  const { storage } = environment;
  /** The name under which the page owns entries. */
  let page: string | undefined;
  let leaseMs = LEASE_MS;
  let leasedUntilMs = 0;

  // A lease that lasts longer than any can was taken before the clock was set back.
  const isCurrent = (untilMs: number): boolean => Math.abs(untilMs - LEASE_MS / 2 - environment.now()) <= LEASE_MS / 2;
  const read = (key: string): Entry | undefined => {
    const [head = "", ...events] = (storage.get(key) ?? "").split("\n");
    try {
      if (HEAD_FORM.test(head)) {
        const [owner, timeMs, version, errors, id] = JSON.parse(head);
        // What a page that lives saved is that page's matter, its age too.
        if (owner !== page && storage.get(LEASE_PREFIX + owner)) return;
        const isFresh = environment.now() - timeMs < MAX_AGE_MS;
        // All that is left when another page needed the room. Whoever saved it may only sleep, and have the rest in memory.
        if (isFresh && !events[0]) return;
        if (
          JSON.parse(buildBody({ events })).sessionId &&
          expand(events).every((text) => JSON.parse(text).sessionId)
        ) {
          if (isFresh) return { key, timeMs, version, errors, id, events };
          report.drop("too_old", events.length);
        }
      }
    } catch {
      // Cut short, or written by something else.
    }
    storage.remove(key);
  };
  const linesOf = (batch: Batch): string => batch.lines ??= batch.events.join("\n");
  const write = (batch: Batch, key: string): void => {
    const { timeMs, version, errors, id, events } = batch;
    const before = storage.get(key);
    batch.key = key;
    batch.isDirty = !storage.set(
      key,
      `["${page}",${timeMs},"${version}",${errors},${id ? `"${id}"` : null}]\n${linesOf(batch)}`,
    );
    if (!batch.isDirty) batch.saved = events.length;
    else if (before) storage.set(key, before); // full: what was there is better than nothing
    else outbox.remove(batch);
  };
  const outbox: Outbox = {
    save(batches, isLeaseAlone) {
      const entries = new Map<string, { bytes: number; timeMs: number; batch?: Batch }>();
      const stored = isLeaseAlone ? undefined : new Set(storage.keys(ENTRY_PREFIX));
      let isDirty = false;
      for (const batch of batches) {
        if (batch.isAggregate) continue;
        // The ID of its first event, which its text begins with, names an entry as well as one of its own would.
        const key = batch.key ?? prefixOf(batch.target) + batch.events[0]?.slice(7, 43);
        entries.set(key, { bytes: HEAD_LENGTH + linesOf(batch).length, timeMs: batch.timeMs, batch });
        // The site may have erased it, or another page, that needed the room, its events.
        if (stored && !storage.get(key)?.includes("\n")) {
          batch.saved = 0;
          batch.isDirty = true;
        }
        isDirty ||= batch.isDirty;
      }
      if (!entries.size) return storage.remove(LEASE_PREFIX + page);
      page ??= environment.randomId();
      leasedUntilMs = environment.now() + leaseMs;
      storage.set(LEASE_PREFIX + page, `${leasedUntilMs}`);
      if (!isDirty || !stored) return;
      for (const key of stored) {
        if (entries.has(key)) continue;
        const text = `${storage.get(key)}`;
        entries.set(key, { bytes: text.length, timeMs: Number(text.split(",", 2)[1]) || 0 });
      }
      let room = MAX_OUTBOX_LENGTH;
      for (const [key, { bytes, batch }] of [...entries].reverse().sort((a, b) => b[1].timeMs - a[1].timeMs)) {
        room -= bytes;
        if (room >= 0) {
          if (batch?.isDirty) write(batch, key);
        } else if (batch) outbox.remove(batch);
        else {
          const entry = read(key);
          report.drop("queue_full", entry?.events.length ?? 0);
          const [head] = (storage.get(key) ?? "").split("\n");
          // A page that lives has it in memory; were the head gone as well, it would take that for adopted.
          if (entry || !head) storage.remove(key);
          else storage.set(key, head);
        }
      }
    },
    update(batch) {
      if (batch.key && batch.isDirty && storage.get(batch.key)) write(batch, batch.key);
    },
    remove(batch) {
      if (batch.key) storage.remove(batch.key);
      batch.key = undefined;
      batch.saved = 0;
    },
    adopt(target, batches) {
      for (const key of storage.keys(LEASE_PREFIX)) if (!isCurrent(Number(storage.get(key)))) storage.remove(key);
      const keys = new Set(batches.map(({ key }) => key));
      return storage.keys(ENTRY_PREFIX).filter((key) => !keys.has(key)).flatMap((key) => {
        const entry = read(key);
        return entry?.key.startsWith(prefixOf(target)) ? [entry] : [];
      }).sort((a, b) => a.timeMs - b.timeMs);
    },
    findLost(batches) {
      if (isCurrent(leasedUntilMs)) return [];
      return batches.filter(({ key, saved }) => saved && !storage.get(`${key}`)?.startsWith(`["${page}"`));
    },
    setGone(isGone) {
      leaseMs = isGone ? EXIT_LEASE_MS : LEASE_MS;
      // A page that comes back may have slept through a denial: what lost its key since stays unsent.
      if (!isGone) leasedUntilMs = 0;
    },
  };
  return outbox;
}

/** Returns what the keys of a target's entries start with. */
function prefixOf({ account }: Target): string {
  return `${ENTRY_PREFIX}${account}.`;
}
