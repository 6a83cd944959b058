import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createSqliteReader, createSqliteSink, withDirectory } from "./in_thread.ts";
import { buildEvent, buildPageview, buildScope, SITE } from "../../reports/fixtures.ts";
import { testReader } from "../reader_contract.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { FakeTime } from "@std/testing/time";
import { createQueue } from "../../../../src/ingest/stores/sqlite/sqlite_reader.ts";

const withPath = (use: (path: string) => Promise<void>): Promise<void> =>
  withDirectory((directory) => use(`${directory}/events.sqlite`));

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
    for (const table of ["paths", "referrers", "names", "sessions", "violations", "sites"]) {
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

Deno.test("createSqliteSink() counts violations in a database of a version that knew none", () =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` })]);
    await sink.close();
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE report_violations");
    database.close();

    const early = await createSqliteReader({ path });
    const before = await early.read(buildScope(), { rows: 10 });
    await early.close();
    const again = await createSqliteSink({ path });
    await storeEvents(again, [buildEvent({ pageUrl: `${SITE}/`, name: "signup", violation: "missing" })]);
    const reader = await createSqliteReader({ path });
    const { totals, violations } = await reader.read(buildScope(), { rows: 10 });
    await Promise.all([again.close(), reader.close()]);

    assertEquals([before.totals.events, before.violations], [1, []]);
    assertEquals(totals.events, 2);
    assertEquals(violations, [{ name: "signup", kind: "missing", count: 1 }]);
  }));

Deno.test("createSqliteSink() adds up what an earlier version counted under several forms of a path", () =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    await storeEvents(sink, [
      buildPageview({ pageUrl: `${SITE}/caf%C3%A9` }),
      buildPageview({ pageUrl: `${SITE}/tea` }),
    ]);
    await sink.close();
    const database = new DatabaseSync(path);
    database.exec("DROP TABLE report_changes");
    database.exec(
      "INSERT INTO report_paths SELECT site_id, day, '/caf%c3%a9', 2, 3 FROM report_paths WHERE label = '/tea'",
    );
    database.exec(
      "INSERT INTO report_paths SELECT site_id, day, '/%74ea%2d1', 4, 0 FROM report_paths WHERE label = '/tea'",
    );
    database.close();

    await (await createSqliteSink({ path })).close();
    await (await createSqliteSink({ path })).close();
    const reader = await createSqliteReader({ path });
    const { paths } = await reader.read(buildScope(), { rows: 10 });
    await reader.close();

    assertEquals(paths, [
      { path: "/caf%C3%A9", full: 3, aggregate: 3, total: 6 },
      { path: "/tea-1", full: 4, aggregate: 0, total: 4 },
      { path: "/tea", full: 1, aggregate: 0, total: 1 },
    ]);
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

Deno.test("createQueue() runs one piece of work at a time, in order, whatever becomes of it", async () => {
  const enqueue = createQueue(1000);
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    seen.push(`${name} starts`);
    await new Promise((resolve) => setTimeout(resolve, 0));
    seen.push(`${name} ends`);
    if (name === "b") throw new Error("b fails");
    return name;
  };

  const results = await Promise.allSettled([enqueue(work("a")), enqueue(work("b")), enqueue(work("c"))]);
  const last = await enqueue(work("d"));

  assertEquals(seen, ["a", "b", "c", "d"].flatMap((name) => [`${name} starts`, `${name} ends`]));
  assertEquals([results.map(({ status }) => status), last], [["fulfilled", "rejected", "fulfilled"], "d"]);
});

Deno.test("createQueue() rejects what waits too long, and goes on with the rest", async () => {
  using time = new FakeTime();
  const enqueue = createQueue(1000);
  const hanging = Promise.withResolvers<string>();

  const first = enqueue(() => hanging.promise);
  const second = assertRejects(() => enqueue(() => Promise.resolve("never")), Error, "too many reports at a time");
  await time.tickAsync(600);
  const third = enqueue(() => Promise.resolve("third"));
  await time.tickAsync(400);
  await second;
  hanging.resolve("first");

  assertEquals([await first, await third], ["first", "third"]);
});
