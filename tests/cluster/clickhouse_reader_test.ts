/**
 * The reports on a ClickHouse.
 *
 * @module
 */
import { assertEquals, assertRejects } from "@std/assert";
import type { EventSink, StoredEvent } from "../../src/ingest/mod.ts";
import { createClickHouseReader } from "../../src/ingest/stores/clickhouse/clickhouse_reader.ts";
import { createClickHouseTarget } from "../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import type { LoadTarget } from "../../src/ingest/ports/load_target.ts";
import { createColumnSource, readCell, STORED_COLUMNS } from "../../src/ingest/events/columns.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import { buildEvent, buildPageview, buildQuery, countEvents, SITE } from "../ingest/reports/fixtures.ts";
import { testReader } from "../ingest/stores/reader_contract.ts";
import { KEY, storeEvents, type WithStore } from "../ingest/reports/report_store.ts";
import { type ClickHouseProcess, startClickHouse } from "./clickhouse.ts";

let server: ClickHouseProcess | undefined;

Deno.test.beforeAll(async () => {
  server = await startClickHouse();
});

Deno.test.afterAll(async () => {
  await server?.stop();
});

/** Inserts each batch as a block of its own, never merged. */
function createSink(target: LoadTarget): EventSink {
  return {
    async store({ apiKey, events }) {
      const keyHash = await hashKey(apiKey);
      await target.store(events.map((event) => ({ keyHash, event })));
      return { accepted: events.length, duplicates: 0 };
    },
    close: () => target.close(),
  };
}

const withStore: WithStore = async (use) => {
  const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
  const sink = createSink(await createClickHouseTarget(options));
  await server?.run(options.database, "SYSTEM STOP MERGES events");
  const reader = await createClickHouseReader(options);
  try {
    await use({ sink, reader });
  } finally {
    await reader.close();
    await sink.close();
  }
};

testReader("createClickHouseReader()", withStore);

Deno.test("createClickHouseReader() counts a repeat in the month in which its first arrived", () =>
  withStore(async ({ sink, reader }) => {
    const view = buildPageview({ pageUrl: `${SITE}/`, receivedAt: "2026-03-31T23:59:00.000Z" });
    const again: StoredEvent = { ...view, receivedAt: "2026-04-02T00:00:00.000Z" };
    await storeEvents(sink, [again]);
    await storeEvents(sink, [view]);
    await storeEvents(sink, [again]);

    assertEquals(await reader.countPageviews(KEY, "2026-03"), 1);
    assertEquals(await reader.countPageviews(KEY, "2026-04"), 0);
  }));

Deno.test("createClickHouseReader() reads what clocks of any century captured", () =>
  withStore(async ({ sink, reader }) => {
    const timestamps = ["0001-01-01T00:00:00Z", "1969-07-20T20:17:40Z", "2038-01-19T03:14:08.123456789Z"];
    timestamps.push("2050-01-01T00:00:00Z", "9999-12-31T23:59:59Z");
    const views = timestamps.map((timestamp) => buildPageview({ timestamp, pageUrl: `${SITE}/` }));
    await storeEvents(sink, views);
    await storeEvents(sink, views);

    const query = buildQuery({ from: "0000-01-01", to: "9999-12-31" });
    const days = ["0001-01-01", "1969-07-20", "2038-01-19", "2050-01-01", "9999-12-31"];
    const counts = days.map(async (day) => await countEvents(reader, buildQuery({ from: day, to: day })));

    assertEquals(await Promise.all(counts), [1, 1, 1, 1, 1]);
    assertEquals(await countEvents(reader, query), 5);
  }));

Deno.test("createClickHouseTarget() stores all that the contract names", async () => {
  const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
  const target = await createClickHouseTarget(options);
  const event: StoredEvent = {
    ...buildEvent({
      pageUrl: `${SITE}/teas?utm_source=a+b#top`,
      referrer: "https://search.example/?q=tea",
      sessionId: "s-1",
    }),
    properties: { text: "\ud800\0'\u2028", "a.b": 1, a: { b: 2 }, none: null },
    identity: { userId: "u-\udfff", anonymousId: "a-1", traits: { plan: "pro" } },
    batchId: "b-1",
    place: 7,
    violation: "missing",
    flag: "own",
  };
  await target.store([{ keyHash: await hashKey(KEY), event }]);
  await target.store([{ keyHash: await hashKey(KEY), event }]);
  await target.close();

  const hashes = ["visitor_hash", "session_hash", "user_hash", "id_order"];
  const rows = await server?.select(options.database, `SELECT * EXCEPT (${hashes.join(", ")}) FROM events`) ?? [];

  const keyHash = await hashKey(KEY);
  const source = createColumnSource()({ ...event, keyHash });
  const cells = STORED_COLUMNS.filter(({ name }) => !hashes.includes(name))
    .map((column) => [column.name, readCell(column, source)]);
  assertEquals(rows, [{
    ...Object.fromEntries(cells),
    key_hash: keyHash,
    day: "2026-03-01",
    id: event.id,
    name: "step",
    collection: "full",
    timestamp: "2026-03-01 10:00:00.000",
    received_at: "2026-03-01 10:00:00.000",
    session_id: "s-1",
    user_id: "u-\ufffd",
    anonymous_id: "a-1",
    traits: '{"plan":"pro"}',
    page_url: `${SITE}/teas?utm_source=a+b#top`,
    site: SITE,
    path: "/teas",
    referrer_url: "https://search.example/?q=tea",
    page_title: "",
    screen_width: null,
    screen_height: null,
    sdk_version: "0.1.0",
    batch_id: "b-1",
    place: 7,
    violation: "missing",
    properties: JSON.stringify(event.properties).replace("\\ud800", "\ufffd").replace("\u2028", "\\u2028"),
    source_referrer: "https://search.example",
    utm_source: "a b",
    utm_medium: "",
    utm_campaign: "",
    utm_term: "",
    utm_content: "",
    engaged_ms: 0,
    scalars: JSON.stringify({ text: "\ufffd\ufffd'\u2028", "a.b": 1, none: null }),
    time: Date.parse("2026-03-01T10:00:00.000Z"),
    is_full: true,
    is_view: false,
    is_backend: false,
    is_arrival: false,
    channel: "Other campaigns",
    tagged_channel: "Other campaigns",
    screen: "",
    clock_offset_ms: 0,
    flag: "own",
  }]);
});

Deno.test("createClickHouseTarget() stores again what was deleted since another one stored it", async () => {
  const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
  const block = [{ keyHash: await hashKey(KEY), event: buildPageview({ pageUrl: `${SITE}/` }) }];
  const counts: number[] = [];
  for (let copy = 0; copy < 2; copy++) {
    const target = await createClickHouseTarget(options);
    await target.store(block);
    counts.push(await target.count(await hashKey(KEY)));
    await server?.run(options.database, "DELETE FROM events WHERE true");
    counts.push(await target.count(await hashKey(KEY)));
    await target.close();
  }

  assertEquals(counts, [1, 0, 1, 0]);
});

Deno.test("createClickHouseTarget() tells which events ClickHouse doesn't take, and stores the others", async () => {
  const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
  const target = await createClickHouseTarget(options);
  await server?.run(options.database, "ALTER TABLE events ADD CONSTRAINT named CHECK name <> 'nameless'");
  const keyHash = await hashKey(KEY);
  const events = Array.from({ length: 9 }, (_, index) => buildEvent({ name: index % 4 === 1 ? "nameless" : "step" }));

  const { unfit } = await target.store(events.map((event) => ({ keyHash, event })));
  await target.close();
  const [row] = await server?.select(options.database, "SELECT count() AS count FROM events FINAL") ?? [];

  assertEquals(unfit.map(({ index }) => index), [1, 5]);
  assertEquals(unfit.every(({ reason }) => reason.includes("named")), true);
  assertEquals(Number(row?.count), 7);
});

Deno.test("createClickHouseTarget() adds the columns that an earlier release had none of, in which old events have nothing", async () => {
  const options = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
  const event = { ...buildPageview({ pageUrl: `${SITE}/` }), dimensions: { browser: "Firefox" } };
  const stored = [{ keyHash: await hashKey(KEY), event }];
  const first = await createClickHouseTarget(options);
  await first.store(stored);
  await first.close();
  await server?.run(options.database, "ALTER TABLE events DROP COLUMN browser, DROP COLUMN screen_height");

  await assertRejects(
    () => createClickHouseReader(options),
    Error,
    "the table events lacks screen_height, browser: a loader of this version adds it",
  );
  const target = await createClickHouseTarget(options);
  await target.store(stored.map(({ keyHash, event }) => ({ keyHash, event: { ...event, id: crypto.randomUUID() } })));
  await target.close();
  const reader = await createClickHouseReader(options);
  const { total } = await reader.overview(buildQuery({ filters: [{ name: "browser", values: ["Firefox"] }] }), []);
  await reader.close();

  const sql = "SELECT browser, screen_height FROM events FINAL ORDER BY browser";
  assertEquals(total.pageviews.full, 1);
  assertEquals(await server?.select(options.database, sql), [
    { browser: "", screen_height: null },
    { browser: "Firefox", screen_height: null },
  ]);
});

Deno.test("createClickHouseTarget() and createClickHouseReader() say why they can't be used", async () => {
  const { url = "" } = server ?? {};
  const database = await server?.createDatabase() ?? "";

  await assertRejects(
    () => createClickHouseReader({ url, database }),
    Error,
    "there is no table events: the loader makes it",
  );
  await server?.run(database, "CREATE TABLE events (id String) ENGINE = MergeTree ORDER BY id");
  await assertRejects(
    () => createClickHouseTarget({ url, database }),
    Error,
    "ClickHouse can't be used: the table events is something else: its engine is MergeTree",
  );
  await assertRejects(
    () => createClickHouseTarget({ url: "http://u:secret@127.0.0.1:1" }),
    Error,
    "ClickHouse can't be used at http://127.0.0.1:1: ",
  );
});
