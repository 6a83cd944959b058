import { assert, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { inSnapshot, inTransaction, isLocked, pause, runLocked } from "../../../src/ingest/platform/sqlite_lock.ts";
import { withDirectory } from "../stores/file/in_thread.ts";

/** Has one transaction after the other, as a server under load, and leaves the lock free for 2 ms between them. */
const BUSY_WRITER = `
  import { DatabaseSync } from "node:sqlite";
  const database = new DatabaseSync(new URL(import.meta.url).hash.slice(1));
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch {
      continue;
    }
    Atomics.wait(cell, 0, 0, 50);
    database.exec("COMMIT");
    postMessage("committed");
    Atomics.wait(cell, 0, 0, 2);
  }
`;

async function withBusyWriter(use: (database: DatabaseSync) => Promise<void> | void): Promise<void> {
  await withDirectory(async (directory) => {
    const path = `${directory}/busy.db`;
    const program = `${directory}/busy_writer.mjs`;
    await Deno.writeTextFile(program, BUSY_WRITER);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; CREATE TABLE notes (text TEXT)");
    const writer = new Worker(`file://${program}#${path}`, { type: "module" });
    try {
      await new Promise((resolve) => writer.addEventListener("message", resolve, { once: true }));
      await use(database);
    } finally {
      writer.terminate();
      database.close();
    }
  });
}

Deno.test("inTransaction() gets the lock soon beside somebody who has one transaction after the other", () =>
  withBusyWriter((database) => {
    let waitedMs = 0;
    for (let index = 0; index < 15; index++) {
      pause(20 + 2 * index); // at some moment of a transaction
      const startedMs = performance.now();
      inTransaction(database, () => database.exec("INSERT INTO notes VALUES ('x')"));
      waitedMs += performance.now() - startedMs;
    }

    // SQLite alone asks every 100 ms at last, and mostly finds it taken: 10 s and more.
    assert(waitedMs < 4000, `${waitedMs} ms`);
  }));

Deno.test("runLocked() waits as long as the connection's busy_timeout says, and leaves it as it is", () =>
  withDirectory((directory) => {
    const path = `${directory}/locked.db`;
    const [holder, database] = [new DatabaseSync(path), new DatabaseSync(path)];
    holder.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    database.exec("PRAGMA busy_timeout = 300");

    const startedMs = performance.now();
    const error = assertThrows(() => runLocked(database, "BEGIN IMMEDIATE"));
    const waitedMs = performance.now() - startedMs;
    const timeoutMs = database.prepare("PRAGMA busy_timeout").get()?.timeout;
    holder.close();
    database.close();

    assert(isLocked(error) && waitedMs >= 300 && timeoutMs === 300, `${error}, ${waitedMs} ms, ${timeoutMs} ms`);
    return Promise.resolve();
  }));

Deno.test("runLocked() throws at once what no wait changes", () =>
  withDirectory((directory) => {
    const database = new DatabaseSync(`${directory}/some.db`);
    database.exec("PRAGMA busy_timeout = 60000");

    const error = assertThrows(() => runLocked(database, "DELETE FROM nothing"));
    database.close();

    assert(!isLocked(error), String(error));
    return Promise.resolve();
  }));

Deno.test("inSnapshot() and inTransaction() leave no transaction open where the work fails", () =>
  withDirectory((directory) => {
    const database = new DatabaseSync(`${directory}/some.db`);
    database.exec("CREATE TABLE notes (text TEXT)");
    const fail = (): never => {
      throw new Error("disk I/O error");
    };

    for (const begin of [inSnapshot, inTransaction]) assertThrows(() => begin(database, fail), Error, "disk I/O error");
    inTransaction(database, () => database.exec("INSERT INTO notes VALUES ('x')"));
    const notes = inSnapshot(database, () => database.prepare("SELECT count(*) AS count FROM notes").get()?.count);
    database.close();

    assert(notes === 1, `${notes} notes`);
    return Promise.resolve();
  }));
