import type { StoredEvent } from "../../src/ingest/mod.ts";
import type { Attempt } from "./injector.ts";

/** What a scenario did, and what came of it. Events are known by their names, which are unique. */
export interface Ledger {
  /** Names of the events that were called. */
  readonly made: readonly string[];
  /** Those of them that the browser, or the visitor, keeps from arriving. */
  readonly excused: ReadonlySet<string>;
  /** Those of them that must not arrive. */
  readonly forbidden: ReadonlySet<string>;
  /** What the ingest stored. */
  readonly stored: readonly Pick<StoredEvent, "id" | "name">[];
  /** What was sent. */
  readonly attempts: readonly Attempt[];
  /** Keys of the attempts whose success a page saw. */
  readonly seen: ReadonlySet<string>;
}

/** The figures of a row. */
export interface Counts {
  /** Events made. */
  readonly made: number;
  /** Events stored, once each. */
  readonly stored: number;
  /** Events that never arrived, though nothing forbade it. */
  readonly lost: number;
  /** Events that never arrived for a reason that the row names. */
  readonly excused: number;
  /** Events that reached the ingest again after a page had seen their success. */
  readonly sentTwice: number;
  /** Events that reached the ingest again since no page lived, or was told, to see the answer. */
  readonly unseen: number;
  /** Events stored more than once. */
  readonly storedTwice: number;
  /** Events stored that must not be. */
  readonly leaked: number;
  /** Events whose batch changed its ID. */
  readonly rebatched: number;
}

/** Counts by event. */
export function count(ledger: Ledger): Counts {
  const { made, excused, forbidden, stored } = ledger;
  const timesStored = new Map<string, number>();
  for (const { name } of stored) timesStored.set(name, (timesStored.get(name) ?? 0) + 1);
  const absent = made.filter((name) => !timesStored.has(name) && !forbidden.has(name));
  const repeats = countRepeats(ledger);
  return {
    made: made.length,
    stored: timesStored.size,
    lost: absent.filter((name) => !excused.has(name)).length,
    excused: absent.filter((name) => excused.has(name)).length,
    ...repeats,
    storedTwice: [...timesStored.values()].filter((times) => times > 1).length,
    leaked: [...forbidden].filter((name) => timesStored.has(name)).length,
  };
}

function countRepeats({ attempts, seen }: Ledger): Pick<Counts, "sentTwice" | "unseen" | "rebatched"> {
  const byEvent = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    for (const { id } of attempt.events) byEvent.set(id, [...(byEvent.get(id) ?? []), attempt]);
  }
  const histories = [...byEvent.values()];
  const repeated = histories.map((all) => all.filter(({ isForwarded }) => isForwarded)).filter(({ length }) =>
    length > 1
  );
  // Only the last answer may have been seen: after that there was no reason to send again. An attempt that was broken
  // off and made again within a millisecond has the same key.
  const needless = repeated.filter((all) => all.some(({ key }) => key !== all.at(-1)?.key && seen.has(key)));
  return {
    sentTwice: needless.length,
    unseen: repeated.length - needless.length,
    rebatched: histories.filter((all) => new Set(all.map(({ batchId }) => batchId)).size > 1).length,
  };
}

/** What of a row may be. */
export interface Allowances {
  /** Whether several pages of the origin were open at once: each may send what a page left that is gone. */
  readonly hadSeveralPages: boolean;
  /** Whether an answer may have come when nobody was there to see it. */
  readonly mayMissAnswers: boolean;
}

/** Says what of a row must not be, one sentence each. */
export function findFaults(counts: Counts, { hadSeveralPages, mayMissAnswers }: Allowances): string[] {
  const { lost, sentTwice, unseen, storedTwice, leaked, rebatched } = counts;
  const isNeedless = sentTwice > 0 && !hadSeveralPages;
  const isUnexplained = unseen > 0 && !hadSeveralPages && !mayMissAnswers;
  return [
    ...(lost ? [`${lost} events lost`] : []),
    ...(isNeedless ? [`${sentTwice} events sent twice though a page saw the first answer`] : []),
    ...(isUnexplained ? [`${unseen} events sent twice, and the row has no reason for that`] : []),
    ...(storedTwice ? [`${storedTwice} events stored twice`] : []),
    ...(leaked ? [`${leaked} events stored that must not be`] : []),
    ...(rebatched ? [`${rebatched} events sent under more than one batchId`] : []),
  ];
}
