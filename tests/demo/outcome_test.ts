import { assertEquals, assertStringIncludes } from "@std/assert";
import { formatOutcome, isExact, type Outcome, readOutcome } from "../../scripts/demo/cluster/outcome.ts";

const EXACT: Outcome = {
  sent: 1_200,
  acknowledged: 1_200,
  stored: 1_200,
  reported: [1_200, 1_200],
  lost: 0,
  countedTwice: 0,
  unanswered: 0,
};

Deno.test("readOutcome() finds what is lost, counted twice and stored without an answer", async () => {
  const answers: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
    "SELECT DISTINCT id FROM events": [{ id: "a" }, { id: "b" }, { id: "d" }],
    "SELECT count() AS counted FROM events FINAL": [{ counted: "4" }],
  };
  const store = { select: (query: string) => Promise.resolve(answers[query] ?? []) };
  const load = { sent: new Set("abcde"), acknowledged: new Set("abc") };

  const outcome = await readOutcome(load, { store, ingests: [] });

  assertEquals(outcome, {
    ...{ sent: 5, acknowledged: 3, stored: 3, reported: [] },
    ...{ lost: 1, countedTwice: 1, unanswered: 1 },
  });
});

Deno.test("isExact() takes nothing lost, counted twice or reported otherwise", () => {
  const table: readonly (readonly [Partial<Outcome>, boolean])[] = [
    [{}, true],
    [{ sent: 1_300, acknowledged: 1_100, unanswered: 100 }, true],
    [{ lost: 1 }, false],
    [{ countedTwice: 1 }, false],
    [{ reported: [1_200, 1_199] }, false],
    [{ reported: [NaN, 1_200] }, false],
    [{ stored: 0, reported: [0, 0] }, false],
  ];
  for (const [changes, expected] of table) assertEquals(isExact({ ...EXACT, ...changes }), expected);
});

Deno.test("formatOutcome() shows what the reports differ in, and what nobody acknowledged", () => {
  const table = formatOutcome({ ...EXACT, acknowledged: 1_100, reported: [1_200, NaN], unanswered: 100 });

  assertStringIncludes(table, " 1,200  100 of them never acknowledged\n");
  assertStringIncludes(table, " 1,200  different events in ClickHouse, 100 of them never acknowledged\n");
  assertStringIncludes(table, " 1,200, no answer  by /reports of both ingests\n");
});
