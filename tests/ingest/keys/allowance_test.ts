import { assertEquals, assertThrows } from "@std/assert";
import { createIngest, createMemorySink, type EventSink, type IngestOutcome } from "../../../src/ingest/mod.ts";
import { AGGREGATE, EVENT, FULL, KEY, NOW_MS, ORIGIN, PAGEVIEW, post } from "../fixtures.ts";

/** Runs requests against an allowance of 3 pageviews, and returns of each the pageviews and those over it. */
async function runAllowance(sink: EventSink, bodies: readonly object[], startMs = NOW_MS): Promise<unknown[]> {
  const outcomes: IngestOutcome[] = [];
  let nowMs = startMs;
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN], pageviewAllowance: 3 }],
    sink,
    now: () => nowMs,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  for (const body of bodies) {
    if ("skipMs" in body) nowMs += Number(body.skipMs);
    else assertEquals((await ingest(post(body))).status, 202);
  }
  return outcomes.map((outcome) =>
    outcome.kind === "stored" ? [outcome.pageviews, outcome.overAllowance] : outcome.code
  );
}

const toUuid = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-000000000000`;

const aggregate = (...ids: string[]) => ({ ...AGGREGATE, events: ids.map((id) => ({ ...PAGEVIEW, id: toUuid(id) })) });

const full = (...ids: string[]) => ({ ...FULL, events: ids.map((id) => ({ ...EVENT, id, name: "$pageview" })) });

/** A sink that says nothing but counts, as one in front of a stream does. */
function createCountingOnly(): EventSink {
  const sink = createMemorySink();
  return {
    store: async (batch) => {
      const { accepted, duplicates } = await sink.store(batch);
      return { accepted, duplicates };
    },
    close: () => sink.close(),
  };
}

Deno.test("pageviews past the allowance are stored, answered 202 and reported", async () => {
  const sink = createMemorySink();

  const uses = await runAllowance(sink, [aggregate("a", "b"), full("c", "d"), full("e")]);

  assertEquals(uses, [[2, 0], [2, 1], [1, 1]]);
  assertEquals((await sink.events()).length, 5);
});

Deno.test("only stored pageviews count: no other event, and none twice", async () => {
  const uses = await runAllowance(createMemorySink(), [FULL, full("a", "b", "a"), full("a", "b"), full("c"), FULL]);

  assertEquals(uses, [[0, 0], [2, 0], [0, 0], [1, 0], [0, 0]]);
});

Deno.test("the allowance begins anew with the month, in UTC", async () => {
  const lastOfMarch = Date.parse("2026-03-31T23:59:59.000Z");

  const uses = await runAllowance(
    createMemorySink(),
    [full("a", "b", "c", "d"), { skipMs: 1000 }, full("e")],
    lastOfMarch,
  );

  assertEquals(uses, [[4, 1], [1, 0]]);
});

Deno.test("the allowance goes on where a batch of last month is stored late", async () => {
  const firstOfFebruary = Date.parse("2026-02-01T00:00:00.000Z");

  const uses = await runAllowance(
    createCountingOnly(),
    [full("a", "b", "c"), { skipMs: -1 }, aggregate("d"), { skipMs: 1 }, full("e", "f")],
    firstOfFebruary,
  );

  assertEquals(uses, [[3, 0], [1, 0], [2, 2]]);
});

Deno.test("the count of the sink outlives the ingest", async () => {
  const sink = createMemorySink();
  await runAllowance(sink, [full("a", "b", "c")]);

  assertEquals(await runAllowance(sink, [full("d")]), [[1, 1]]);
});

Deno.test("the ingest counts for itself where the sink can't", async () => {
  const nextMonth = { skipMs: 31 * 86_400_000 };

  const uses = await runAllowance(createCountingOnly(), [
    full("a", "b"),
    full("b", "c"),
    full("d"),
    nextMonth,
    full("e"),
  ]);

  assertEquals(uses, [[2, 0], [1, 0], [1, 1], [1, 0]]);
});

Deno.test("an allowance that is no number is refused at the start", () => {
  const create = (pageviewAllowance: number) => () =>
    createIngest({ keys: [{ apiKey: KEY, origins: "any", pageviewAllowance }], sink: createMemorySink() });

  assertThrows(create(NaN), TypeError, "keys[0].pageviewAllowance must be a number of at least 0");
  assertThrows(create(-1), TypeError, "keys[0].pageviewAllowance must be a number of at least 0");
});
