import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createSqliteSink, type StoredEvent } from "../../src/ingest/mod.ts";
import { loadSqlite } from "../../src/ingest/sinks/sqlite/sqlite_module.ts";
import { openStore } from "../../src/ingest/sinks/sqlite/sqlite_store.ts";
import { batchOf, STORED, STORED_PAGEVIEW, testPageviews, testSink } from "./sink_contract.ts";

testSink("createSqliteSink()", () => createSqliteSink({ path: ":memory:" }));
testPageviews("createSqliteSink()", () => createSqliteSink({ path: ":memory:" }));

/** As SQLite opens a file without the right to write it. Whoever runs the tests may have every right. */
class ReadOnlyDatabase extends DatabaseSync {
  constructor(file: string) {
    super(file, { readOnly: true });
  }
}

async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await use(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
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

Deno.test("createSqliteSink() rejects while another process keeps the file locked, holds nothing up, and recovers", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let [lastMs, longestMs] = [performance.now(), 0];
    const beat = (): void => {
      const nowMs = performance.now();
      [lastMs, longestMs] = [nowMs, Math.max(longestMs, nowMs - lastMs)];
    };
    const timer = setInterval(beat, 10);

    await assertRejects(() => sink.store(batchOf([STORED])), Error, "locked");
    beat();
    clearInterval(timer);
    other.exec("ROLLBACK");
    other.close();
    const result = await sink.store(batchOf([STORED]));
    await sink.close();

    assertEquals(result, { accepted: 1, duplicates: 0, events: [STORED] });
    assert(longestMs < 500, `nothing else ran for ${longestMs} ms`);
  }));

Deno.test("createSqliteSink() takes no more than it can hold", () =>
  withDirectory(async (directory) => {
    const sink = await createSqliteSink({ path: `${directory}/events.sqlite` });
    const large = batchOf([{ ...STORED, properties: { text: "x".repeat(33 * 1024 * 1024) } }]);

    const first = sink.store(large);
    await assertRejects(() => sink.store(large), Error, "too many events wait for the SQLite database");
    const { accepted } = await first;
    const { duplicates } = await sink.store(large);
    await sink.close();

    assertEquals([accepted, duplicates], [1, 1]);
  }));

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
