import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { openFileSink, type SinkCalls, type UpkeepCalls } from "../../../../src/ingest/stores/file/file_sink.ts";
import type { CommittedBatches } from "../../../../src/ingest/stores/file/join_batches.ts";
import type { Thread } from "../../../../src/ingest/threads/thread.ts";
import { anEvent, until } from "../data_fixtures.ts";
import { KEY, OTHER_KEY } from "../../fixtures.ts";
import { batchOf, STORED, STORED_PAGEVIEW, testPageviews, testSink } from "../sink_contract.ts";
import { createFileSink, listSealed, withDirectory } from "./in_thread.ts";

const create = async () => await createFileSink({ path: `${await Deno.makeTempDir()}/events` });

testSink("createFileSink()", create);
testPageviews("createFileSink()", create);

const NOW = new Date().toISOString();

/** Builds events of today, which are sealed by their number alone. */
function manyEvents(name: string, count: number): readonly StoredEvent[] {
  return Array.from({ length: count }, (_, index) => anEvent(`${name}-${index}`, { timestamp: NOW, receivedAt: NOW }));
}

Deno.test("createFileSink() keeps events and their ids over a restart, sealed or not", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const first = await createFileSink({ path, fileEvents: 10 });
    await first.store(batchOf(manyEvents("sealed", 10)));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    await first.store(batchOf(manyEvents("tail", 5)));
    await first.close();

    const second = await createFileSink({ path, fileEvents: 10 });
    const again = await second.store(batchOf([...manyEvents("sealed", 10), ...manyEvents("tail", 6)]));
    const ids = (await second.events()).map(({ id }) => id);
    await second.close();

    assertEquals([again.accepted, again.duplicates], [1, 15]);
    assertEquals(ids, [...manyEvents("sealed", 10), ...manyEvents("tail", 6)].map(({ id }) => id));
  }));

Deno.test("createFileSink() seals whole batches, in the order of arrival, and empties the tail of them", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path, fileEvents: 10 });
    for (const name of ["a", "b", "c", "d", "e"]) await sink.store(batchOf(manyEvents(name, 4)));
    await until(() => Promise.resolve(listSealed(path).length === 2));
    const events = await sink.events();
    await sink.close();

    using database = new DatabaseSync(`${path}/tail.db`);
    const files = database.prepare("SELECT from_place, until_place, events FROM file ORDER BY number").all();
    const rows = database.prepare("SELECT place FROM batch").all();
    assertEquals(files.map(({ from_place, until_place, events }) => [from_place, until_place, events]), [
      [1, 9, 8],
      [9, 17, 8],
    ]);
    assertEquals(rows.map(({ place }) => place), [17]);
    assertEquals(
      events.map(({ id }) => id),
      ["a", "b", "c", "d", "e"].flatMap((name) => manyEvents(name, 4)).map(({ id }) => id),
    );
  }));

Deno.test("createFileSink() seals what arrived on an earlier day, however little it is", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await sink.store(batchOf([STORED, STORED_PAGEVIEW]));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    const events = await sink.events();
    await sink.close();

    assertEquals(events, [STORED, STORED_PAGEVIEW]);
  }));

Deno.test("createFileSink() shares a folder between two sinks, which know each other's ids", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const one = await createFileSink({ path, fileEvents: 10 });
    const other = await createFileSink({ path, fileEvents: 10 });

    const events = manyEvents("e", 30);
    const results = [];
    for (let first = 0; first < 30; first += 5) {
      const batch = batchOf(events.slice(first, first + 5));
      results.push(...await Promise.all([one.store(batch), other.store(batch)]));
    }
    const accepted = results.reduce((sum, result) => sum + result.accepted, 0);
    await until(() => Promise.resolve(listSealed(path).length >= 2));
    const late = await other.store(batchOf(events));
    const ids = (await one.events()).map(({ id }) => id);
    await Promise.all([one.close(), other.close()]);

    assertEquals([accepted, late.accepted], [30, 0]);
    assertEquals(ids.toSorted(), events.map(({ id }) => id).toSorted());
  }));

Deno.test("createFileSink() sweeps what a process left that was killed, and no event with it", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const first = await createFileSink({ path, fileEvents: 10 });
    await first.store(batchOf(manyEvents("sealed", 10)));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    await first.close();
    // As before it was registered: killed between the file's name and the end of the transaction.
    const sealed = Deno.readFileSync(`${path}/00000001.parquet`);
    await Deno.remove(path, { recursive: true });
    const again = await createFileSink({ path, fileEvents: 100 });
    await again.store(batchOf(manyEvents("sealed", 10)));
    await again.close();
    Deno.writeFileSync(`${path}/00000001.parquet`, sealed);
    const [left, current] = [crypto.randomUUID(), crypto.randomUUID()].map((name) => `${name}.new`);
    for (const name of [left, current, "erasures.new"]) Deno.writeTextFileSync(`${path}/${name}`, "half of a file");
    const hourAgo = new Date(Date.now() - 60 * 60 * 1000);
    for (const name of [left, "erasures.new"]) Deno.utimeSync(`${path}/${name}`, hourAgo, hourAgo);
    Deno.writeTextFileSync(`${path}/mine.txt`, "of somebody else");

    const second = await createFileSink({ path, fileEvents: 100 });
    await until(() => Promise.resolve(listSealed(path).length === 0));
    const events = await second.events();
    await second.close();

    assertEquals(events.length, 10);
    assertEquals([...Deno.readDirSync(path)].map(({ name }) => name).toSorted(), [
      // Another process may be writing it, to seal or to erase.
      ...[current, "mine.txt", "tail.db"].toSorted(),
    ]);
  }));

Deno.test("createFileSink() touches no file that is newer than its database, and says so", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const first = await createFileSink({ path, fileEvents: 10 });
    await first.close();
    await Deno.copyFile(`${path}/tail.db`, `${directory}/older.db`);
    const second = await createFileSink({ path, fileEvents: 10 });
    await second.store(batchOf(manyEvents("newer", 10)));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    await second.close();
    await Deno.rename(`${directory}/older.db`, `${path}/tail.db`);
    const told: string[] = [];

    const sink = await createFileSink({ path, fileEvents: 10, onError: (error) => told.push(String(error)) });
    await sink.store(batchOf(manyEvents("e", 10)));
    await until(async () => (await sink.check?.(), told.length > 0));
    await sink.close();

    assertEquals(listSealed(path), ["00000001.parquet"]);
    assertEquals(/00000001\.parquet.* isn't known to the database beside it, which is older/.test(told[0] ?? ""), true);
  }));

Deno.test("createFileSink() removes a damaged file that its folder was told to forget, and seals the next one", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const first = await createFileSink({ path, fileEvents: 10 });
    await first.store(batchOf(manyEvents("damaged", 10)));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    await first.close();
    Deno.truncateSync(`${path}/00000001.parquet`, 100);
    {
      using database = new DatabaseSync(`${path}/tail.db`);
      // As docs/sinks.md advises.
      database.exec("DELETE FROM file WHERE number = 1");
    }

    const second = await createFileSink({ path, fileEvents: 10 });
    await second.store(batchOf(manyEvents("next", 10)));
    await until(() => Promise.resolve(listSealed(path).includes("00000002.parquet")));
    const events = await second.events();
    await second.close();

    assertEquals([listSealed(path), events.length], [["00000002.parquet"], 10]);
  }));

Deno.test("createFileSink() stores all events of a request or none", () =>
  withDirectory(async (directory) => {
    const sink = await createFileSink({ path: `${directory}/events` });
    const unserializable: StoredEvent = { ...STORED, id: "e-2", properties: { big: 1n } };

    await assertRejects(() => sink.store(batchOf([STORED, unserializable])), TypeError);
    const afterFailure = await sink.events();
    const result = await sink.store(batchOf([STORED]));
    await sink.close();

    assertEquals(afterFailure, []);
    assertEquals(result, { accepted: 1, duplicates: 0, events: [STORED] });
  }));

Deno.test("createFileSink() acknowledges no batch of a transaction that SQLite has given up", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    {
      using other = new DatabaseSync(`${path}/tail.db`, { timeout: 10_000 });
      other.exec(
        "CREATE TRIGGER fail BEFORE INSERT ON batch WHEN NEW.texts LIKE '%bad-0%' " +
          "BEGIN SELECT RAISE(ROLLBACK, 'disk full'); END",
      );
    }
    const send = (names: readonly string[]) =>
      Promise.allSettled(names.map((name) => sink.store(batchOf(manyEvents(name, 1)))));

    const results = await send(["a", "bad", "c"]);
    const known = (await sink.events()).map(({ id }) => id);
    const again = await send(["a", "c"]);
    const ids = (await sink.events()).map(({ id }) => id);
    await sink.close();

    assertEquals([results.map(({ status }) => status), known], [["rejected", "rejected", "rejected"], []]);
    assertEquals([again.map(({ status }) => status), ids], [["fulfilled", "fulfilled"], ["a-0", "c-0"]]);
  }));

Deno.test("createFileSink() stores batches that come together as one row a key, and says of each what was stored", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const [view, step] = [(id: string) => ({ ...STORED_PAGEVIEW, id }), (id: string) => ({ ...STORED, id })];
    const nextMonth = { ...view("v-3"), receivedAt: "2026-04-01T00:00:00.000Z" };

    const results = await Promise.all([
      sink.store(batchOf([view("v-1"), step("s-1")])),
      sink.store(batchOf([step("s-1")], OTHER_KEY)),
      sink.store(batchOf([])),
      sink.store(batchOf([step("s-1"), view("v-2"), view("v-1")])),
      sink.store(batchOf([step('"s-2"')])),
      sink.store(batchOf([step('"s-2"')])),
      sink.store(batchOf([nextMonth])),
    ]);
    const again = await sink.store(batchOf([step('"s-2"')]));
    const ids = (await sink.events()).map(({ id }) => id);
    const counts = [await sink.pageviews(KEY, "2026-03"), await sink.pageviews(KEY, "2026-04")];
    using database = new DatabaseSync(`${path}/tail.db`);
    const rows = database.prepare("SELECT events FROM batch ORDER BY place").all().map(({ events }) => events);
    await sink.close();

    assertEquals(results, [
      { accepted: 2, duplicates: 0, events: [view("v-1"), step("s-1")], pageviewsThisMonth: 1 },
      { accepted: 1, duplicates: 0, events: [step("s-1")] },
      { accepted: 0, duplicates: 0, events: [] },
      { accepted: 1, duplicates: 2, events: [view("v-2")], pageviewsThisMonth: 2 },
      { accepted: 1, duplicates: 0, events: [step('"s-2"')] },
      { accepted: 0, duplicates: 1, events: [] },
      { accepted: 1, duplicates: 0, events: [nextMonth], pageviewsThisMonth: 1 },
    ]);
    assertEquals([again.accepted, counts], [0, [2, 1]]);
    assertEquals([rows, ids], [[4, 1, 1], ["v-1", "s-1", "v-2", '"s-2"', "s-1", "v-3"]]);
  }));

Deno.test("createFileSink() makes no row of batches longer than one request may be, and none of several long ones", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const text = "x".repeat(40_000);
    const batches = [manyEvents("a", 60), manyEvents("b", 60), manyEvents("c", 40)];
    const long = manyEvents("d", 3).map((event) => [{ ...event, properties: { text } }]);

    await Promise.all([...batches, ...long].map((events) => sink.store(batchOf(events))));
    using database = new DatabaseSync(`${path}/tail.db`);
    const rows = database.prepare("SELECT events FROM batch ORDER BY place").all().map(({ events }) => events);
    await sink.close();

    assertEquals(rows, [60, 100, 1, 1, 1]);
  }));

Deno.test("createFileSink() takes no more than it can hold", async () => {
  const large = batchOf([{ ...STORED, properties: { text: "x".repeat(33 * 1024 * 1024) } }]);
  const committing = Promise.withResolvers<readonly CommittedBatches[]>();
  const run = <C>(answers: Readonly<Record<string, unknown>>): Thread<C> => {
    const thread = { call: (name: string) => Promise.resolve(answers[name]), end: () => Promise.resolve() };
    return thread as unknown as Thread<C>;
  };
  const store = run<SinkCalls>({ fileOpen: "/events", fileCommit: committing.promise });
  const sink = await openFileSink({ path: "events" }, { store, upkeep: run<UpkeepCalls>({}) });

  const first = sink.store(large);
  await assertRejects(() => sink.store(large), Error, "too many events wait to be stored");
  committing.resolve([{}]);

  assertEquals([(await first).accepted, (await sink.store(large)).accepted], [1, 1]);
  await sink.close();
  await assertRejects(async () => await sink.check?.(), Error, "the sink of files is closed");
});

Deno.test("createFileSink() makes a folder and files that only their owner reads", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await sink.store(batchOf([STORED]));
    await until(() => Promise.resolve(listSealed(path).length === 1));

    const modes = [path, `${path}/tail.db`, `${path}/tail.db-wal`, `${path}/00000001.parquet`]
      .map((file) => (Deno.statSync(file).mode ?? 0) & 0o777);
    await sink.close();

    assertEquals(modes, [0o700, 0o600, 0o600, 0o600]);
  }));

Deno.test("createFileSink() refuses what is no folder of its own", () =>
  withDirectory(async (directory) => {
    const faultOf = async (path: string): Promise<string> =>
      (await assertRejects(() => createFileSink({ path }), Error)).message;
    Deno.writeTextFileSync(`${directory}/text`, "a text");
    for (const name of ["foreign", "newer", "other"]) Deno.mkdirSync(`${directory}/${name}`);
    new DatabaseSync(`${directory}/foreign/tail.db`).exec("CREATE TABLE theirs (x)");
    new DatabaseSync(`${directory}/newer/tail.db`).exec("PRAGMA user_version = 2");
    new DatabaseSync(`${directory}/other/tail.db`).exec("PRAGMA user_version = -1");

    const faults = await Promise.all(
      ["text", "none/events", "foreign", "newer", "other"].map((name) => faultOf(`${directory}/${name}`)),
    );

    assertEquals(faults.every((fault) => fault.startsWith('the folder of events "')), true, faults.join("\n"));
    assertEquals(faults[2]?.endsWith("it holds something else"), true, faults[2]);
    assertEquals(faults[3]?.endsWith("its layout 2 is newer than 1"), true, faults[3]);
    assertEquals(faults[4]?.endsWith("its layout -1 isn't 1"), true, faults[4]);
  }));

Deno.test("createFileSink() stores nothing any more once its database, or the log, was replaced", () =>
  withDirectory(async (directory) => {
    for (const name of ["tail.db", "tail.db-wal"]) {
      const path = `${directory}/${name} of events`;
      const sink = await createFileSink({ path });
      await sink.store(batchOf([STORED]));
      await Deno.rename(`${path}/${name}`, `${path}/moved`);

      const message = `${name}" was removed or replaced: start the process anew`;
      await assertRejects(() => sink.store(batchOf([STORED_PAGEVIEW])), Error, message);
      await assertRejects(async () => await sink.check?.(), Error, message);
      await sink.close();
    }
  }));

Deno.test("createFileSink() leaves all of the tail in its file when it is closed, though somebody reads", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const reader = new DatabaseSync(`${path}/tail.db`, { readOnly: true });
    reader.prepare("SELECT count(*) FROM batch").get();
    await sink.store(batchOf(manyEvents("e", 3)));
    await sink.close();

    await Deno.copyFile(`${path}/tail.db`, `${directory}/copy.db`);
    reader.close();

    using copy = new DatabaseSync(`${directory}/copy.db`);
    assertEquals(copy.prepare("SELECT sum(events) AS events FROM batch").get()?.events, 3);
  }));

Deno.test("createFileSink() gives room back to the disk once events are sealed", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path, fileEvents: 1000 });
    const properties = { text: "x".repeat(15_000) };
    for (let batch = 0; batch < 20; batch++) {
      await sink.store(batchOf(manyEvents(`${batch}`, 50).map((event) => ({ ...event, properties }))));
    }
    const pagesOf = (): number => {
      using database = new DatabaseSync(`${path}/tail.db`, { readOnly: true });
      return Number(database.prepare("PRAGMA page_count").get()?.page_count);
    };
    const most = pagesOf();

    await until(() => Promise.resolve(pagesOf() < 2200));
    await sink.close();

    assertEquals([most > 3500, listSealed(path)], [true, ["00000001.parquet"]]);
  }));
