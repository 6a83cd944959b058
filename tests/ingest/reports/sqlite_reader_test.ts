import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createSqliteSink } from "../../../src/ingest/mod.ts";
import { createSqliteReader } from "../../../src/ingest/reports/sqlite_reader.ts";
import { buildEvent, buildPageview, buildScope, SITE } from "./fixtures.ts";
import { testReader } from "./reader_contract.ts";
import { storeEvents } from "./report_store.ts";

async function withPath(use: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await use(`${directory}/events.sqlite`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

testReader("createSqliteReader()", (use) =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    try {
      await use({ sink, reader });
    } finally {
      await reader.close();
      await sink.close();
    }
  }));

Deno.test("createSqliteReader() reads what was stored before a restart", () =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` })]);
    await sink.close();

    const reader = await createSqliteReader({ path });
    const { totals } = await reader.read(buildScope(), { rows: 10 });
    await reader.close();
    await reader.close();

    assertEquals(totals.pageviews.total, 1);
    await assertRejects(() => reader.read(buildScope(), { rows: 10 }), Error);
  }));

Deno.test("createSqliteReader() adds up what several sinks store in one file", () =>
  withPath(async (path) => {
    const [one, other] = await Promise.all([createSqliteSink({ path }), createSqliteSink({ path })]);
    const reader = await createSqliteReader({ path });
    const shared = buildPageview({ pageUrl: `${SITE}/`, sessionId: "s-1" });

    await Promise.all([
      storeEvents(one, [shared, buildEvent({ pageUrl: `${SITE}/` })]),
      storeEvents(other, [shared, buildPageview({ pageUrl: `${SITE}/` })]),
    ]);
    const { totals } = await reader.read(buildScope(), { rows: 10 });
    await Promise.all([one.close(), other.close(), reader.close()]);

    assertEquals([totals.pageviews.total, totals.sessions, totals.events], [2, 1, 3]);
  }));

Deno.test("createSqliteSink() counts the events of a database that has no counts yet", () =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    await storeEvents(sink, [
      buildPageview({ pageUrl: `${SITE}/`, sessionId: "s-1" }),
      buildEvent({ pageUrl: `${SITE}/` }),
    ]);
    await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` })], { apiKey: "pk_test_2" });
    await sink.close();
    const database = new DatabaseSync(path);
    for (const table of ["paths", "referrers", "names", "sessions", "sites"]) {
      database.exec(`DROP TABLE report_${table}`);
    }
    database.close();

    await assertRejects(() => createSqliteReader({ path }), Error, "can't be read: no SQLite sink has opened it yet");
    const again = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    const ofOne = await reader.read(buildScope(), { rows: 10 });
    const ofOther = await reader.read(buildScope({ apiKey: "pk_test_2" }), { rows: 10 });
    await Promise.all([again.close(), reader.close()]);

    assertEquals([ofOne.totals.pageviews.full, ofOne.totals.sessions, ofOne.totals.events], [1, 1, 2]);
    assertEquals(ofOther.totals.events, 1);
  }));

Deno.test("createSqliteSink() counts nothing of a batch that couldn't be stored", () =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    const unserializable = { ...buildEvent({ pageUrl: `${SITE}/` }), properties: { big: 1n } };

    await assertRejects(() => storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` }), unserializable]), TypeError);
    const afterFailure = await reader.read(buildScope(), { rows: 10 });
    await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` })]);
    const after = await reader.read(buildScope(), { rows: 10 });
    await Promise.all([sink.close(), reader.close()]);

    assertEquals(afterFailure.totals.events, 0);
    assertEquals(after.totals.events, 1);
  }));

Deno.test("createSqliteReader() names the path that can't be read", () =>
  withPath(async (path) => {
    await assertRejects(
      () => createSqliteReader({ path }),
      Error,
      `the SQLite database ${JSON.stringify(path)} can't be read: unable to open database file`,
    );
    await Deno.writeTextFile(path, "dear diary, ".repeat(100));
    await assertRejects(() => createSqliteReader({ path }), Error, "can't be read: file is not a database");
  }));

Deno.test("createSqliteReader() lets a log that has grown long begin anew, though reports follow each other", () =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    const other = new DatabaseSync(path);
    other.exec("BEGIN; SELECT * FROM events");
    for (const id of ["one", "two", "three"]) {
      const event = { ...buildEvent({ pageUrl: `${SITE}/` }), id, properties: { text: "x".repeat(24_000_000) } };
      await storeEvents(sink, [event]);
    }
    const long = (await Deno.stat(`${path}-wal`)).size;
    other.close();

    let isOver = false;
    const reading = (async () => {
      while (!isOver) await reader.read(buildScope(), { rows: 10 });
    })();
    for (let count = 0; count < 20; count++) await storeEvents(sink, [buildEvent({ pageUrl: `${SITE}/` })]);
    isOver = true;
    await reading;
    const short = (await Deno.stat(`${path}-wal`)).size;
    await Promise.all([sink.close(), reader.close()]);

    assert(long > 72_000_000 && short < 40_000_000, `${long} and ${short} bytes`);
  }));
