import { assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "../../../../src/ingest/platform/sqlite_module.ts";
import { probeDatabase } from "../../../../src/ingest/platform/probe_database.ts";
import { checkWritable } from "../../../../src/ingest/stores/sqlite/sqlite_store.ts";
import { createSqliteSink, withDirectory } from "./in_thread.ts";
import { batchOf, STORED, STORED_PAGEVIEW } from "../sink_contract.ts";

/** As SQLite opens a file without the right to write it. Whoever runs the tests may have every right. */
class ReadOnlyDatabase extends DatabaseSync {
  constructor(file: string) {
    super(file, { readOnly: true });
  }
}

Deno.test("createSqliteSink() is ready again and again, and leaves the file as it is", () =>
  withDirectory(async (directory) => {
    // The characters that a URI takes for its own.
    const path = `${directory}/50%25 #1?.sqlite`;
    const sink = await createSqliteSink({ path });
    await sink.store(batchOf([STORED]));
    const before = [await Deno.readFile(path), await Deno.readFile(`${path}-wal`)];

    await sink.check?.();
    await sink.check?.();
    const after = [await Deno.readFile(path), await Deno.readFile(`${path}-wal`)];
    await sink.close();

    assertEquals(after, before);
  }));

Deno.test("createSqliteSink() isn't ready while another process keeps the file locked", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const other = new DatabaseSync(path, { timeout: 10_000 });
    other.exec("BEGIN IMMEDIATE");

    const startMs = performance.now();
    let looks = 0;
    using _clock = stub(performance, "now", () => startMs + 500 * looks++);
    await assertRejects(async () => await sink.check?.(), Error, "can't be written: database is locked");
    other.exec("ROLLBACK");
    other.close();
    await sink.check?.();
    await sink.close();
  }));

Deno.test("createSqliteSink() is ready though another process writes for a moment", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const other = new DatabaseSync(path, { timeout: 10_000 });
    other.exec("BEGIN IMMEDIATE");

    const checking = sink.check?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    other.exec("COMMIT");
    await checking;

    other.close();
    await sink.close();
  }));

/** Fails what is stored as a full disk does, until the function that it returns is called. */
function fillDisk(path: string): () => void {
  const other = new DatabaseSync(path, { timeout: 10_000 });
  const message = "database or disk is full";
  other.exec(`CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ROLLBACK, '${message}'); END`);
  return () => {
    other.exec("DROP TRIGGER full");
    other.close();
  };
}

Deno.test("createSqliteSink() isn't ready while its disk is full, until events are stored again", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    await sink.store(batchOf([STORED]));
    const free = fillDisk(path);

    await assertRejects(() => sink.store(batchOf([STORED_PAGEVIEW])), Error, "disk is full");
    await assertRejects(async () => await sink.check?.(), Error, "couldn't be written: database or disk is full");
    free();
    // What writes nothing tells nothing.
    await sink.store(batchOf([STORED]));
    await assertRejects(async () => await sink.check?.(), Error, "disk is full");
    await sink.store(batchOf([STORED_PAGEVIEW]));
    await sink.check?.();

    await sink.close();
  }));

Deno.test("createSqliteSink() is ready again half a minute after a full disk, to be tried anew", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const free = fillDisk(path);
    await assertRejects(() => sink.store(batchOf([STORED])), Error, "disk is full");
    free();
    await assertRejects(async () => await sink.check?.(), Error, "disk is full");
    const failedMs = performance.now();

    using _later = stub(performance, "now", () => failedMs + 30_000);
    await sink.check?.();

    await sink.close();
  }));

Deno.test("createSqliteSink() is ready at every way to write a path", () =>
  withDirectory(async (directory) => {
    const paths = [`/${directory}/slashes.sqlite`, `file:${directory}/uri.sqlite`, "file::memory:", ""];
    for (const path of paths) {
      const sink = await createSqliteSink({ path });
      await sink.check?.();
      await sink.close();
    }

    assertEquals((await Array.fromAsync(Deno.readDir(directory))).length, 2);
  }));

Deno.test("probeDatabase() rejects for a database that can be read but not written", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });

    const probe = { path, name: "the SQLite database", checkWritable };
    const probing = probeDatabase({ DatabaseSync: ReadOnlyDatabase }, probe);

    await assertRejects(() => probing, Error, "can't be written: attempt to write a readonly database");
    await probeDatabase(loadSqlite(), probe);
    await sink.close();
  }));

Deno.test("createSqliteSink() isn't ready once it is closed", async () => {
  const sink = await createSqliteSink({ path: ":memory:" });
  await sink.check?.();
  await sink.close();

  await assertRejects(async () => await sink.check?.(), Error, "the SQLite sink is closed");
});
