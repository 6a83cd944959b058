import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { loadSqlite } from "../../../../src/ingest/platform/sqlite_module.ts";
import { type BatchOutcome, openSqliteSink, type SinkCalls } from "../../../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { openStore } from "../../../../src/ingest/stores/sqlite/sqlite_store.ts";
import type { Thread } from "../../../../src/ingest/threads/thread.ts";
import { createSqliteSink, withDirectory } from "./in_thread.ts";
import { batchOf, STORED, STORED_PAGEVIEW, testPageviews, testSink } from "../sink_contract.ts";

testSink("createSqliteSink()", () => createSqliteSink({ path: ":memory:" }));
testPageviews("createSqliteSink()", () => createSqliteSink({ path: ":memory:" }));

/** As SQLite opens a file without the right to write it. Whoever runs the tests may have every right. */
class ReadOnlyDatabase extends DatabaseSync {
  constructor(file: string) {
    super(file, { readOnly: true });
  }
}

Deno.test("createSqliteSink() keeps events and their ids over a restart", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const first = await createSqliteSink({ path });
    await first.store(batchOf([STORED]));
    await first.close();

    const second = await createSqliteSink({ path });
    const result = await second.store(batchOf([STORED, STORED_PAGEVIEW]));
    const events = await second.events();
    await second.close();

    assertEquals(result, { accepted: 1, duplicates: 1, events: [STORED_PAGEVIEW], pageviewsThisMonth: 1 });
    assertEquals(events, [STORED, STORED_PAGEVIEW]);
  }));

Deno.test("createSqliteSink() makes files that only their owner reads, and leaves one as it is", () =>
  withDirectory(async (directory) => {
    const [path, older] = [`${directory}/events.sqlite`, `${directory}/older.sqlite`];
    Deno.writeTextFileSync(older, "", { mode: 0o640 });
    const sinks = await Promise.all([createSqliteSink({ path }), createSqliteSink({ path: older })]);
    await sinks[0].store(batchOf([STORED]));

    const modes = [path, `${path}-wal`, `${path}-shm`, older].map((file) => (Deno.statSync(file).mode ?? 0) & 0o777);
    await Promise.all(sinks.map((sink) => sink.close()));

    assertEquals(modes, [0o600, 0o600, 0o600, 0o640]);
  }));

Deno.test("createSqliteSink() shares a file between two sinks", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const [one, other] = await Promise.all([createSqliteSink({ path }), createSqliteSink({ path })]);

    const results = await Promise.all([
      one.store(batchOf([STORED])),
      other.store(batchOf([STORED, STORED_PAGEVIEW])),
      one.store(batchOf([STORED_PAGEVIEW])),
    ]);
    const events = await one.events();
    await Promise.all([one.close(), other.close()]);

    // Which of them is the first to have the lock is anybody's guess.
    assertEquals(results.reduce((sum, { accepted }) => sum + accepted, 0), 2);
    assertEquals(events.toSorted((a, b) => a.id.localeCompare(b.id)), [STORED, STORED_PAGEVIEW]);
  }));

Deno.test("createSqliteSink() writes ahead to a log", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    await sink.store(batchOf([STORED]));

    const hasLog = (await Deno.stat(`${path}-wal`)).size > 0;
    await sink.close();

    assertEquals(hasLog, true);
  }));

Deno.test("createSqliteSink() stores all events of a request or none", () =>
  withDirectory(async (directory) => {
    const sink = await createSqliteSink({ path: `${directory}/events.sqlite` });
    const unserializable: StoredEvent = { ...STORED, id: "e-2", properties: { big: 1n } };

    await assertRejects(() => sink.store(batchOf([STORED, unserializable])), TypeError);
    const afterFailure = await sink.events();
    const result = await sink.store(batchOf([STORED]));
    await sink.close();

    assertEquals(afterFailure, []);
    assertEquals(result, { accepted: 1, duplicates: 0, events: [STORED] });
  }));

Deno.test("createSqliteSink() takes no more than it can hold", async () => {
  const large = batchOf([{ ...STORED, properties: { text: "x".repeat(33 * 1024 * 1024) } }]);
  const committing = Promise.withResolvers<readonly BatchOutcome[]>();
  const answers = { open: undefined, commit: committing.promise, close: undefined };
  const thread = { call: (name: keyof typeof answers) => Promise.resolve(answers[name]), end: () => Promise.resolve() };
  const sink = await openSqliteSink("events.db", thread as unknown as Thread<SinkCalls>);

  const first = sink.store(large);
  await assertRejects(() => sink.store(large), Error, "too many events wait for the SQLite database");
  committing.resolve([{ stored: [0], erased: 0 }]);

  assertEquals([(await first).accepted, (await sink.store(large)).accepted], [1, 1]);
  await sink.close();
});

Deno.test("createSqliteSink() lets a person query the columns", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    await sink.store(batchOf([STORED, STORED_PAGEVIEW]));
    await sink.close();

    const database = new DatabaseSync(path);
    const columns = "name, collection, timestamp, received_at, session_id";
    const rows = database.prepare(`SELECT ${columns} FROM events WHERE collection = 'aggregate'`).all();
    const whole = database.prepare("SELECT event FROM events WHERE id = 'p-1'").get();
    database.close();

    assertEquals(rows.map((row) => ({ ...row })), [{
      name: "$pageview",
      collection: "aggregate",
      timestamp: "2026-03-01T10:00:00.000Z",
      received_at: "2026-03-01T10:00:05.000Z",
      session_id: null,
    }]);
    assertEquals(JSON.parse(String(whole?.event)), STORED_PAGEVIEW);
  }));

Deno.test("createSqliteSink() names the path that can't be opened", () =>
  withDirectory(async (directory) => {
    const missing = `${directory}/missing/events.sqlite`;

    await assertRejects(
      () => createSqliteSink({ path: missing }),
      Error,
      `the SQLite database ${JSON.stringify(missing)} can't be used: unable to open database file`,
    );
    await assertRejects(
      () => createSqliteSink({ path: directory }),
      Error,
      `the SQLite database ${JSON.stringify(directory)} can't be used: unable to open database file`,
    );
  }));

Deno.test("createSqliteSink() leaves a file alone that is no database of its layout", () =>
  withDirectory(async (directory) => {
    const text = `${directory}/notes.txt`;
    await Deno.writeTextFile(text, "dear diary, ".repeat(100));
    const newer = `${directory}/newer.sqlite`;
    execute(newer, "PRAGMA user_version = 2");
    const foreign = `${directory}/foreign.sqlite`;
    execute(foreign, "CREATE TABLE users (name TEXT)");

    await assertRejects(() => createSqliteSink({ path: text }), Error, "can't be used: file is not a database");
    await assertRejects(() => createSqliteSink({ path: newer }), Error, "can't be used: its layout 2 is newer than 1");
    await assertRejects(() => createSqliteSink({ path: foreign }), Error, "can't be used: it holds something else");
    assertEquals(await Deno.readTextFile(text), "dear diary, ".repeat(100));
    assertEquals(query(foreign, "SELECT group_concat(name) AS names FROM sqlite_schema"), { names: "users" });
    assertEquals(query(foreign, "PRAGMA user_version"), { user_version: 0 });
    assertEquals(query(foreign, "PRAGMA journal_mode"), { journal_mode: "delete" });
  }));

Deno.test("createSqliteSink() takes a file that holds nothing but what SQLite and Litestream keep there", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/analyzed.sqlite`;
    execute(path, "ANALYZE; CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)");
    execute(path, "CREATE TABLE gone (id INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE gone");

    const sink = await createSqliteSink({ path });

    await sink.check?.();
    await sink.close();
  }));

Deno.test("createSqliteSink() changes no database whose version and table happen to be those of ours", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/alike.sqlite`;
    execute(path, "CREATE TABLE pageviews (page TEXT); PRAGMA user_version = 1");

    await assertRejects(() => createSqliteSink({ path }), Error, "can't be used: no such table: events");

    assertEquals(query(path, "PRAGMA journal_mode"), { journal_mode: "delete" });
  }));

Deno.test("openStore() refuses a database that can be read but not written", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    await sink.close();
    assertThrows(
      () => openStore({ DatabaseSync: ReadOnlyDatabase }, path),
      Error,
      "can't be used: attempt to write a readonly database",
    );
  }));

Deno.test("loadSqlite() says what is needed where there is no node:sqlite", () => {
  const message = "SQLite needs node:sqlite, which Deno has since 2.2 and Node since 22.13";

  assertThrows(() => loadSqlite({}), Error, message);
  assertThrows(() => loadSqlite({ process: {} }), Error, message);
  assertThrows(() => loadSqlite({ process: { getBuiltinModule: () => undefined } }), Error, message);
});

function query(path: string, sql: string): Record<string, unknown> {
  const database = new DatabaseSync(path);
  const row = { ...database.prepare(sql).get() };
  database.close();
  return row;
}

function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}
