import { assertEquals } from "@std/assert";
import type { Attempt } from "../faults/injector.ts";
import { count, findFaults, type Ledger } from "../faults/ledger.ts";

const NOTHING: Ledger = {
  made: [],
  excused: new Set(),
  forbidden: new Set(),
  stored: [],
  attempts: [],
  seen: new Set(),
};

function attempt(key: string, batchId = "batch"): Attempt {
  return { key, batchId, events: [{ id: "id a", name: "a" }], timeMs: 0, isForwarded: true, isAborted: false };
}

const ONE = { made: ["a"], stored: [{ id: "id a", name: "a" }] };

/** What went wrong, and the sentence that fails the row. Whatever else the suite finds, it finds by these. */
const FAULTS: readonly (readonly [ledger: Partial<Ledger>, fault: string | undefined])[] = [
  [ONE, undefined],
  [{ made: ["a", "b"], excused: new Set(["a", "b"]) }, undefined],
  [{ made: ["a", "b"], excused: new Set(["b"]) }, "1 events lost"],
  [{ ...ONE, stored: [{ id: "1", name: "a" }, { id: "2", name: "a" }] }, "1 events stored twice"],
  [{ ...ONE, forbidden: new Set(["a"]) }, "1 events stored that must not be"],
  [
    { ...ONE, attempts: [attempt("1"), attempt("2")], seen: new Set(["1"]) },
    "1 events sent twice though a page saw the first answer",
  ],
  [
    { ...ONE, attempts: [attempt("1"), attempt("2")], seen: new Set(["2"]) },
    "1 events sent twice, and the row has no reason for that",
  ],
  [
    { ...ONE, attempts: [{ ...attempt("1", "first"), isForwarded: false }, attempt("2", "second")] },
    "1 events sent under more than one batchId",
  ],
];
for (const [ledger, fault] of FAULTS) {
  Deno.test(`the table of faults finds ${fault ?? "nothing where nothing is wrong"}`, () => {
    const faults = findFaults(count({ ...NOTHING, ...ledger }), { hadSeveralPages: false, mayMissAnswers: false });

    assertEquals(faults, fault === undefined ? [] : [fault]);
  });
}
