import { assertEquals } from "@std/assert";
import type { Attempt } from "../faults/injector.ts";
import { type Allowances, count, findFaults, type Ledger } from "../faults/ledger.ts";

const NOTHING: Ledger = {
  made: [],
  excused: new Set(),
  forbidden: new Set(),
  stored: [],
  attempts: [],
  seen: new Set(),
};

const GOOD = {
  made: 0,
  stored: 0,
  lost: 0,
  excused: 0,
  sentTwice: 0,
  unseen: 0,
  storedTwice: 0,
  leaked: 0,
  rebatched: 0,
};

const STRICT: Allowances = { hadSeveralPages: false, mayMissAnswers: false };

function attempt(key: string, batchId = "batch"): Attempt {
  return { key, batchId, events: [{ id: "id a", name: "a" }], timeMs: 0, isForwarded: true, isAborted: false };
}

Deno.test("count() tells what is lost from what is excused and what is forbidden", () => {
  const counts = count({
    ...NOTHING,
    made: ["a", "b", "c", "d"],
    excused: new Set(["b"]),
    forbidden: new Set(["c"]),
    stored: [{ id: "id d", name: "d" }],
  });

  assertEquals(counts, { ...GOOD, made: 4, stored: 1, lost: 1, excused: 1 });
  assertEquals(findFaults(counts, STRICT), ["1 events lost"]);
});

Deno.test("count() finds an event stored under two IDs, and one that was stored though forbidden", () => {
  const counts = count({
    ...NOTHING,
    made: ["a", "b"],
    forbidden: new Set(["b"]),
    stored: [{ id: "1", name: "a" }, { id: "2", name: "a" }, { id: "3", name: "b" }],
  });

  assertEquals(counts, { ...GOOD, made: 2, stored: 2, storedTwice: 1, leaked: 1 });
  assertEquals(findFaults(counts, STRICT), ["1 events stored twice", "1 events stored that must not be"]);
});

Deno.test("count() takes an event for sent twice only if a page saw its first success", () => {
  const ledger = {
    ...NOTHING,
    made: ["a"],
    stored: [{ id: "id a", name: "a" }],
    attempts: [attempt("1"), attempt("2")],
  };

  assertEquals(count({ ...ledger, seen: new Set(["1"]) }), { ...GOOD, made: 1, stored: 1, sentTwice: 1 });
  assertEquals(count({ ...ledger, seen: new Set(["2"]) }), { ...GOOD, made: 1, stored: 1, unseen: 1 });
});

Deno.test("findFaults() lets events be sent twice for a reason alone", () => {
  const [needless, unheard] = [{ ...GOOD, sentTwice: 1 }, { ...GOOD, unseen: 1 }];

  assertEquals(findFaults(needless, STRICT), ["1 events sent twice though a page saw the first answer"]);
  assertEquals(findFaults(needless, { ...STRICT, mayMissAnswers: true }).length, 1);
  assertEquals(findFaults(needless, { ...STRICT, hadSeveralPages: true }), []);
  assertEquals(findFaults(unheard, STRICT), ["1 events sent twice, and the row has no reason for that"]);
  assertEquals(findFaults(unheard, { ...STRICT, mayMissAnswers: true }), []);
  assertEquals(findFaults(unheard, { ...STRICT, hadSeveralPages: true }), []);
});

Deno.test("count() leaves attempts out of it that didn't reach the ingest", () => {
  const attempts = [{ ...attempt("1"), isForwarded: false }, attempt("2")];

  const counts = count({ ...NOTHING, made: ["a"], stored: [{ id: "id a", name: "a" }], attempts });

  assertEquals(counts, { ...GOOD, made: 1, stored: 1 });
});

Deno.test("count() notices a batch that changes its ID", () => {
  const attempts = [{ ...attempt("1", "first"), isForwarded: false }, attempt("2", "second")];

  const counts = count({ ...NOTHING, made: ["a"], stored: [{ id: "id a", name: "a" }], attempts });

  assertEquals(findFaults(counts, STRICT), ["1 events sent under more than one batchId"]);
});
