/**
 * What the data store asks of ClickHouse. What ClickHouse answers is for `tests/cluster/clickhouse_data_test.ts`.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createData } from "../../../../src/ingest/stores/clickhouse/clickhouse_data.ts";
import type { Parameters, Row } from "../../../../src/ingest/stores/clickhouse/clickhouse_port.ts";
import { hashKey } from "../../../../src/ingest/platform/digest.ts";
import { buildRows } from "../../../../src/ingest/stores/clickhouse/clickhouse_row.ts";
import { KEY } from "../../fixtures.ts";
import { STORED } from "../sink_contract.ts";

const EVENTS_OF_ADA: Row = {
  ...{ events: "3", sessions: "2", first: "2026-03-01 10:00:00.000", last: "2026-03-01 11:00:00.000" },
  ...{ anonymous_ids: ["a-1"], user_ids: ["ada"] },
};

/** A ClickHouse that has some events of a user, with one visitor, and notes what it is asked. */
function createFake({ isClockRight = true } = {}) {
  const asked: { readonly kind: string; readonly text: string; readonly parameters: Parameters }[] = [];
  const note = (kind: string, text: string, parameters: Parameters = {}): void =>
    void asked.push({ kind, text, parameters });
  const data = createData({
    select(query, parameters) {
      note("select", query, parameters);
      if (query.includes("AS anonymous_ids")) return Promise.resolve([EVENTS_OF_ADA]);
      if (query.includes("AS own")) return Promise.resolve([{ parts: "1", usual: "480", own: "" }]);
      if (query.includes("uniqExact(key_hash, day, id)")) return Promise.resolve([{ events: "5" }]);
      if (query.includes("AS holds")) return Promise.resolve([{ holds: isClockRight ? "1" : "0" }]);
      if (query.includes("SELECT count() AS count")) return Promise.resolve([{ count: "2" }]);
      if (query.includes("SELECT DISTINCT anonymous_id")) return Promise.resolve([{ anonymous_id: "a-1" }]);
      return Promise.resolve([]);
    },
    async *stream(query, parameters): AsyncGenerator<Row> {
      note("stream", query, parameters);
      yield* buildRows([{ keyHash: await hashKey(KEY), event: STORED }]);
    },
    run: (statement, parameters) => Promise.resolve(note("run", statement, parameters)),
    insert: (table, rows) => Promise.resolve(note("insert", table, { rows: rows.length })),
    close: () => Promise.resolve(),
  });
  return { data, asked };
}

Deno.test("createClickHouseData() keeps the record before it deletes, and writes no id into a query", async () => {
  const { data, asked } = createFake();
  const userId = "o'neil \\ {x}";

  const { events, sessions, visitors, remains, goneBy = "" } = await data.erase({
    ...{ apiKey: KEY, userId },
    withVisitors: true,
  });

  const kinds = asked.map(({ kind }) => kind);
  assertEquals([events, sessions, visitors, remains], [3, 2, 1, "parts"]);
  assert(kinds.indexOf("insert") < kinds.indexOf("run"), kinds.join());
  assertEquals(asked.find(({ kind }) => kind === "insert")?.parameters, { rows: 2 });
  assertEquals(asked.filter(({ text }) => text.includes(userId) || text.includes("a-1")), []);
  const bound = asked.flatMap(({ parameters }) => "id" in parameters ? [parameters] : []);
  assert(bound.length > 0);
  for (const { id, keyHash } of bound) assertEquals([id, keyHash], [userId, await hashKey(KEY)]);
  const keptMs = Date.parse(goneBy) - Date.now();
  assert(keptMs > 480_000 && keptMs <= 540_000, `${keptMs}`);
});

Deno.test("createClickHouseData() changes nothing on a dry run, and when it finds and exports", async () => {
  const { data, asked } = createFake();
  const subject = { apiKey: KEY, userId: "ada" };

  const found = await data.find(subject);
  const exported = await Array.fromAsync(data.export({ apiKey: KEY, anonymousId: "a-1" }));
  const erased = await data.erase(subject, { dryRun: true });
  const pruned = await data.prune({ keepDays: 30, keepErasuresDays: 60, dryRun: true });

  assertEquals(found, {
    ...{ events: 3, sessions: 2, first: "2026-03-01T10:00:00.000Z", last: "2026-03-01T11:00:00.000Z" },
    ...{ anonymousIds: ["a-1"], userIds: ["ada"] },
  });
  assertEquals(exported, [STORED]);
  assertEquals(erased, { events: 3, sessions: 2, visitors: 0 });
  assertEquals(pruned, { events: 5, corrected: 0, erasures: 2 });
  assertEquals(asked.filter(({ kind }) => kind === "run" || kind === "insert"), []);
});

Deno.test("createClickHouseData() deletes by age, waits until it's done, and refuses what it can't do", async () => {
  const { data, asked } = createFake();

  const pruned = await data.prune({ keepDays: 30, keepErasuresDays: 60 });
  const statements = asked.filter(({ kind }) => kind === "run");
  await assertRejects(() => data.prune({ keepDays: 7 }), TypeError, "keepDays must be at least 8");
  await assertRejects(() => data.prune({ vacuum: true }), TypeError, "vacuum is for a folder");
  await assertRejects(() => data.find({ apiKey: "", userId: "ada" }), TypeError, "name an apiKey");

  assertEquals([pruned.events, pruned.erasures], [5, 2]);
  assertEquals(
    statements.map(({ text }) => /^ALTER TABLE (\w+) DELETE .* SETTINGS mutations_sync = 2$/.exec(text)?.[1]),
    [
      "events",
      "erasures",
    ],
  );
  for (const { parameters } of statements) assertEquals(Object.keys(parameters), ["before"]);
});

Deno.test("createClickHouseData() deletes nothing by age where the newest event would go", async () => {
  const { data, asked } = createFake({ isClockRight: false });
  const refusal = "nothing is deleted by age: no event is younger than 30 days";

  await assertRejects(() => data.prune({ keepDays: 30 }), Error, refusal);
  await assertRejects(() => data.prune({ keepErasuresDays: 30 }), Error, refusal);
  await assertRejects(() => data.prune({ keepDays: 30, dryRun: true }), Error, refusal);

  assertEquals(asked.filter(({ kind }) => kind === "run"), []);
});
