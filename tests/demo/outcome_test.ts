import { assertEquals, assertStringIncludes } from "@std/assert";
import { formatOutcome, isExact, type Outcome, readOutcome } from "../../scripts/demo/cluster/outcome.ts";

const EXACT: Outcome = {
  sent: 1_200,
  acknowledged: 1_200,
  stored: 1_200,
  reported: [1_200, 1_200],
  lost: 0,
  countedTwice: 0,
};

Deno.test("readOutcome() finds what is lost and counted twice", async () => {
  const answers: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
    "SELECT DISTINCT id FROM shop.events": [{ id: "a" }, { id: "b" }, { id: "d" }],
    "SELECT count() AS counted FROM shop.events FINAL": [{ counted: "4" }],
  };
  const select = (query: string) => Promise.resolve(answers[query] ?? []);
  const load = { sent: new Set("abcde"), acknowledged: new Set("abc") };

  const outcome = await readOutcome(load, { select, table: "shop.events", origins: [] });

  assertEquals(outcome, { sent: 5, acknowledged: 3, stored: 3, reported: [], lost: 1, countedTwice: 1 });
});

Deno.test("isExact() takes only what is acknowledged, stored and reported, each event once", () => {
  const table: readonly (readonly [Partial<Outcome>, boolean])[] = [
    [{}, true],
    [{ sent: 1_300 }, false],
    [{ acknowledged: 1_100 }, false],
    [{ lost: 1 }, false],
    [{ countedTwice: 1 }, false],
    [{ reported: [1_200, 1_199] }, false],
    [{ reported: [NaN, 1_200] }, false],
    [{ sent: 0, acknowledged: 0, stored: 0, reported: [0, 0] }, false],
  ];
  for (const [changes, expected] of table) assertEquals(isExact({ ...EXACT, ...changes }), expected);
});

Deno.test("formatOutcome() shows what the reports differ in", () => {
  const table = formatOutcome({ ...EXACT, reported: [1_200, NaN] });

  assertStringIncludes(table, " 1,200, no answer  by /reports of both ingests\n");
});
