/**
 * The views on a ClickHouse.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { EventSink, StoredEvent } from "../../src/ingest/mod.ts";
import { createClickHouseData } from "../../src/ingest/stores/clickhouse/clickhouse_data.ts";
import { createClickHouseReader } from "../../src/ingest/stores/clickhouse/clickhouse_reader.ts";
import { buildRows } from "../../src/ingest/stores/clickhouse/clickhouse_row.ts";
import { createClickHouseTarget } from "../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import { testReportStore, type WithReportStore } from "../ingest/stores/report_store_contract.ts";
import { KEY, storeEvents } from "../ingest/reports/report_store.ts";
import { ask, at } from "../ingest/reports/visit_fixtures.ts";
import { type ClickHouseProcess, startClickHouse } from "./clickhouse.ts";

let server: ClickHouseProcess | undefined;

Deno.test.beforeAll(async () => {
  server = await startClickHouse();
});

Deno.test.afterAll(async () => {
  await server?.stop();
});

/** Opens a ClickHouse. Where it doesn't merge, each batch is a block of its own for ever; it can't delete then. */
function openStore({ merges }: { readonly merges: boolean }): WithReportStore {
  return async (use) => {
    const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
    const target = await createClickHouseTarget(options);
    if (!merges) await server?.run(options.database, "SYSTEM STOP MERGES events");
    const [store, data] = [await createClickHouseReader(options), await createClickHouseData(options)];
    const sink: EventSink = {
      async store({ apiKey, events }) {
        const keyHash = await hashKey(apiKey);
        await target.store(events.map((event) => ({ keyHash, event })));
        return { accepted: events.length, duplicates: 0 };
      },
      close: () => target.close(),
    };
    try {
      await use({ sink, store, ...(merges && { data }) });
    } finally {
      await store.close();
      await data.close();
      await target.close();
    }
  };
}

// A history takes seconds there.
testReportStore("createClickHouseReader()", openStore({ merges: true }), { numRuns: 2, endOnFailure: true });

testReportStore("createClickHouseReader(), before merges,", openStore({ merges: false }), {
  numRuns: 1,
  endOnFailure: true,
});

/** Columns that a table from before the views lacks. */
const LATER_COLUMNS = [
  ...["source_referrer", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "tie", "engaged_ms"],
  ...["scalars", "clock_offset_ms", "visitor_hash", "user_hash"],
] as const;

/** What the later columns hold of each event. */
const VALUES = `SELECT id, ${LATER_COLUMNS.join(", ")} FROM events FINAL ORDER BY id`;

Deno.test("createClickHouseTarget() gives a table from before the views what they count", async () => {
  const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
  const run = async (statement: string): Promise<void> => await server?.run(options.database, statement);
  const keyHash = await hashKey(KEY);
  const tags = "utm_source=n%C3%A9ws+letter&utm_source=2&utm_medium=a%26b&utm_campaign=%00&utm_term=%ff#utm_content=x";
  const events: readonly StoredEvent[] = [
    at("10:00", { session: "s-1", visitor: "v-1\n", page: `/?${tags}`, referrer: "https://search.example/" }),
    at("10:00", { session: "s-1", user: "ada", referrer: "https://shop.example/", tie: 0xabcdef }),
    at("10:01", { session: "s-1", name: "$engagement", properties: { engagedMs: 1234.5 } }),
    at("10:01", { session: "s-1", name: "$engagement", properties: { engagedMs: "9000" } }),
    at("10:02", { session: "s-1", name: "signup", properties: { plan: "pro", count: -1.5, no: null, deep: { a: 1 } } }),
    { ...at("10:03", { isAggregate: true }), id: "no-uuid" },
  ];
  const before = await createClickHouseTarget(options);
  await run(`ALTER TABLE events ${LATER_COLUMNS.map((name) => `DROP COLUMN ${name}`).join(", ")}`);
  const rows = buildRows(events.map((event) => ({ keyHash, event }))).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !LATER_COLUMNS.some((later) => later === name)))
  );
  await run(`INSERT INTO events FORMAT JSONEachRow ${rows.map((row) => JSON.stringify(row)).join(" ")}`);
  await before.close();

  const target = await createClickHouseTarget(options);
  const old = await server?.select(options.database, VALUES);
  await run("TRUNCATE TABLE events");
  await target.store(events.map((event) => ({ keyHash, event })));
  const written = await server?.select(options.database, VALUES);
  await target.close();

  assertEquals(old?.length, events.length);
  assertEquals(old, written);
});

Deno.test("createClickHouseReader() writes as many paths as a site has", () =>
  openStore({ merges: false })(async ({ sink, store }) => {
    const paths = Array.from({ length: 12_000 }, (_, index) => `/Teas/${index}-${"x".repeat(20)}`);
    await storeEvents(sink, paths.map((page) => at("10:00", { page })));
    const pathRules = { patterns: [], dropsTrailingSlash: false, ignoresCase: true };

    const { rows, count } = await store.pages(ask({ pathRules }), 1);

    assertEquals([rows[0]?.path, count], [`/teas/0-${"x".repeat(20)}`, 12_000]);
  }));
