/**
 * What is stored, printed as it is stored: by the program, from a folder and from a ClickHouse.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { createFileSink, type StoredEvent } from "../../src/ingest/mod.ts";
import { createClickHouseData } from "../../src/ingest/stores/clickhouse/clickhouse_data.ts";
import { createClickHouseTail } from "../../src/ingest/stores/clickhouse/clickhouse_tail.ts";
import { createClickHouseTarget } from "../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import type { EventTail } from "../../src/ingest/ports/event_tail.ts";
import { KEY, OTHER_KEY } from "../ingest/fixtures.ts";
import { anEvent } from "../ingest/stores/data_fixtures.ts";
import { batchOf } from "../ingest/stores/sink_contract.ts";
import { type ClickHouseProcess, startClickHouse } from "./clickhouse.ts";
import { newFolder, testBothWithFolder } from "./program.ts";
import { startTail } from "./tail_process.ts";

let server: ClickHouseProcess | undefined;

Deno.test.beforeAll(async () => {
  server = await startClickHouse();
});

Deno.test.afterAll(async () => {
  await server?.stop();
});

testBothWithFolder("tail prints events as they are stored, and a Ctrl-C ends it with 0", async (options) => {
  const path = newFolder();
  const sink = await createFileSink({ path });
  await sink.store(batchOf([anEvent("1", { name: "before" })]));

  const tail = startTail(["--sink", `file:${path}`, "--key", KEY], options);
  await tail.until("before");
  await sink.store(batchOf([anEvent("2", { name: "stored" })]));
  const output = await tail.until("stored");
  const ended = await tail.end("SIGINT");
  await sink.close();

  const names = output.trimEnd().split("\n").map((line) => line.split(/\s+/)[3]);
  assertEquals([names, ended], [["before", "stored"], { code: 0, stderr: "" }]);
});

testBothWithFolder("tail ends with 0 when nobody reads its output any more", async (options) => {
  const path = newFolder();
  const sink = await createFileSink({ path });
  await sink.store(batchOf([anEvent("1", { name: "before" })]));

  const tail = startTail(["--sink", `file:${path}`], options);
  await tail.until("before");
  await tail.closeOutput();
  await sink.store(batchOf([anEvent("2", {})]));
  const ended = await tail.end();
  await sink.close();

  assertEquals(ended, { code: 0, stderr: "" });
});

async function withClickHouse(
  use: (of: {
    readonly database: string;
    readonly store: (events: readonly StoredEvent[], apiKey?: string) => Promise<unknown>;
    readonly open: (options: { readonly apiKey?: string; readonly lines: number }) => Promise<EventTail>;
  }) => Promise<void>,
): Promise<void> {
  const place = { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
  const target = await createClickHouseTarget(place);
  try {
    await use({
      database: place.database,
      store: async (events, apiKey = KEY) => {
        const keyHash = await hashKey(apiKey);
        return await target.store(events.map((event) => ({ keyHash, event })));
      },
      open: (options) => createClickHouseTail(place, options),
    });
  } finally {
    await target.close();
  }
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();
}

async function readIds(tail: EventTail): Promise<readonly string[]> {
  return (await tail.next()).events.map(({ id }) => id);
}

Deno.test("createClickHouseTail() reads the last events, and then each that is stored, once", () =>
  withClickHouse(async ({ store, open }) => {
    await store(Array.from({ length: 100 }, (_, index) => anEvent(`old-${index}`, { receivedAt: at(index) })));
    await store([anEvent("other", { receivedAt: at(50) })], OTHER_KEY);

    const [all, ofKey] = [await open({ lines: 2 }), await open({ apiKey: KEY, lines: 2 })];
    const first = [await readIds(all), await readIds(ofKey)];
    const nothing = [await readIds(all), await readIds(ofKey)];
    await store([anEvent("new", { receivedAt: at(120) }), anEvent("old-99", { receivedAt: at(121) })]);
    await store([
      anEvent("late", { receivedAt: at(80) }),
      anEvent("ahead", { receivedAt: "2099-01-01T00:00:00.000Z" }),
    ]);
    await store([anEvent("other-new", { receivedAt: at(119) })], OTHER_KEY);
    const more = [await readIds(all), await readIds(ofKey)];
    await store([anEvent("last", { receivedAt: at(122) })]);
    const last = [await readIds(all), await readIds(ofKey), await readIds(ofKey)];
    await Promise.all([all.close(), ofKey.close()]);

    assertEquals(first, [["old-98", "old-99"], ["old-98", "old-99"]]);
    assertEquals(nothing, [[], []]);
    assertEquals(more, [["late", "other-new", "new", "ahead"], ["late", "new", "ahead"]]);
    assertEquals(last, [["last"], ["last"], []]);
  }));

Deno.test("createClickHouseTail() keeps away what an erasure names, and says when it leaves events out", () =>
  withClickHouse(async ({ database, store, open }) => {
    await store([anEvent("of-ada", { userId: "ada", receivedAt: at(1) }), anEvent("of-bob", { receivedAt: at(2) })]);
    await server?.run(database, "CREATE TABLE backup AS events");
    await server?.run(database, "INSERT INTO backup SELECT * FROM events");
    const data = await createClickHouseData({ url: server?.url ?? "", database });
    await data.erase({ apiKey: KEY, userId: "ada" });
    await data.close();
    await server?.run(database, "INSERT INTO events SELECT * FROM backup");

    const tail = await open({ lines: 10 });
    const first = await readIds(tail);
    await store(Array.from({ length: 2500 }, (_, index) => anEvent(`new-${index}`, { receivedAt: at(10) })));
    const { events, isCut } = await tail.next();
    await tail.close();

    assertEquals(first, ["of-bob"]);
    assertEquals([events.length, isCut], [2000, true]);
  }));

Deno.test("ingest tail: prints from ClickHouse, and ends with 1 where there is none", () =>
  withClickHouse(async ({ database, store }) => {
    const sink = ["--sink", `clickhouse:${server?.url}`, "--clickhouse-database", database];

    const tail = startTail(sink, {});
    await store([anEvent("1", { name: "stored" })]);
    await tail.until("stored");
    const ended = await tail.end("SIGTERM");
    const nowhere = await startTail(["--sink", "clickhouse:http://127.0.0.1:1"], {}).end();

    assertEquals(ended.code, 0);
    assertEquals([nowhere.code, nowhere.stderr.startsWith("ingest: ClickHouse can't be used at")], [1, true]);
  }));
