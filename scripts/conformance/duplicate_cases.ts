/**
 * Once per key and event id (SPEC 6).
 *
 * @module
 */
import { AGGREGATE, EVENT, PAGEVIEW } from "../../tests/ingest/fixtures.ts";
import { Deviation, expectStored } from "./answer.ts";
import { fullOf, newAggregate, newEvents, newFull } from "./bodies.ts";
import type { Case } from "./case.ts";
import type { Target } from "./target.ts";

/** A case that sends bodies one after the other, and compares accepted and duplicates of each. */
function counts(name: string, toBodies: (target: Target) => readonly (readonly [unknown, number, number])[]): Case {
  return {
    name,
    run: async (target) => {
      for (const [body, accepted, duplicates] of toBodies(target)) {
        expectStored(await target.post(body), { accepted, duplicates });
      }
    },
  };
}

/** Sends overlapping batches at the same time: each event is accepted once, in whichever of them. */
async function checkConcurrent(target: Target): Promise<void> {
  const events = newEvents(target, 60);
  const starts = [0, 10, 20, 30, 40, 0, 10, 20, 30, 40];
  const batches = starts.map((start) => fullOf(target, events.slice(start, start + 20)));
  const results = await Promise.all(batches.map(async (batch) => expectStored(await target.post(batch))));
  const accepted = results.reduce((sum, result) => sum + result.accepted, 0);
  const duplicates = results.reduce((sum, result) => sum + result.duplicates, 0);
  if (accepted !== 60 || duplicates !== 140) {
    throw new Deviation(`60 events in 200 places: ${accepted} accepted, ${duplicates} duplicates`);
  }
}

/** Sends one batch many times at the same time. */
async function checkStorm(target: Target): Promise<void> {
  const batch = newFull(target, 5);
  const answers = await Promise.all(Array.from({ length: 20 }, () => target.post(batch)));
  const accepted = answers.reduce((sum, answer) => sum + expectStored(answer).accepted, 0);
  if (accepted !== 5) throw new Deviation(`a batch of 5 events sent 20 times: ${accepted} accepted`);
}

/** The cases. */
export const DUPLICATE_CASES: readonly Case[] = [
  counts("counts a batch that comes again as duplicates", (target) => {
    const batch = newFull(target, 3);
    return [[batch, 3, 0], [batch, 0, 3], [{ ...batch, sentAt: "2026-03-02T10:00:00.000Z" }, 0, 3]];
  }),
  counts("counts an aggregate batch that comes again as duplicates", (target) => {
    const batch = newAggregate(target, 3);
    return [[batch, 3, 0], [batch, 0, 3]];
  }),
  counts("knows an event again in another batch", (target) => {
    const events = newEvents(target, 2);
    return [[fullOf(target, events), 2, 0], [fullOf(target, [...newEvents(target, 1), ...events]), 1, 2]];
  }),
  counts("takes an event it hasn't seen under a batch id it has", (target) => {
    const batch = newFull(target, 2);
    return [[batch, 2, 0], [{ ...batch, events: [...batch.events, ...newEvents(target, 1)] }, 1, 2]];
  }),
  counts("takes an event once that a batch carries twice", (target) => {
    const id = target.newId();
    return [[fullOf(target, [{ ...EVENT, id }, { ...EVENT, id, name: "Other" }]), 1, 1]];
  }),
  counts("knows an event again by its id alone", (target) => {
    const id = target.newId();
    const other = { id, name: "Other", timestamp: "2026-03-02T10:00:00.000Z" };
    return [[fullOf(target, [{ ...EVENT, id }]), 1, 0], [fullOf(target, [other]), 0, 1]];
  }),
  counts("knows an event again in the other form", (target) => {
    const id = target.newId();
    return [[fullOf(target, [{ ...EVENT, id }]), 1, 0], [{ ...AGGREGATE, events: [{ ...PAGEVIEW, id }] }, 0, 1]];
  }),
  counts("takes ids for different that differ in case", (target) => {
    const id = target.newId();
    return [[fullOf(target, [{ ...EVENT, id: `${id}a` }, { ...EVENT, id: `${id}A` }]), 2, 0]];
  }),
  { name: "accepts each event of overlapping batches once that come at the same time", run: checkConcurrent },
  { name: "accepts a batch once that comes 20 times at the same time", run: checkStorm },
];
