import { assertEquals, assertRejects } from "@std/assert";
import { createSqliteReader, createSqliteSink, withDirectory } from "./in_thread.ts";
import { buildEvent, buildPageview, buildQuery, countEvents, SITE } from "../../reports/fixtures.ts";
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
    const { total } = await reader.overview(buildQuery(), []);
    const events = await countEvents(reader, buildQuery());
    await Promise.all([one.close(), other.close(), reader.close()]);

    assertEquals([total.pageviews.full, total.pageviews.aggregate, total.sessions, events], [2, 0, 1, 3]);
  }));

Deno.test("createSqliteSink() counts nothing of a batch that couldn't be stored", () =>
  withPath(async (path) => {
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    const unserializable = { ...buildEvent({ pageUrl: `${SITE}/` }), properties: { big: 1n } };

    await assertRejects(() => storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` }), unserializable]), TypeError);
    const afterFailure = await countEvents(reader, buildQuery());
    await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` })]);
    const after = await countEvents(reader, buildQuery());
    await Promise.all([sink.close(), reader.close()]);

    assertEquals(afterFailure, 0);
    assertEquals(after, 1);
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
