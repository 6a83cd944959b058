import { assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "../../../../src/ingest/platform/sqlite_module.ts";
import type { FileSink } from "../../../../src/ingest/stores/file/file_sink.ts";
import { probe } from "../../../../src/ingest/stores/file/worker/sink_calls.ts";
import { batchOf, STORED, STORED_PAGEVIEW } from "../sink_contract.ts";
import { createFileSink, withDirectory } from "./in_thread.ts";

/** As SQLite opens a file without the right to write it. Whoever runs the tests may have every right. */
class ReadOnlyDatabase extends DatabaseSync {
  constructor(file: string) {
    super(file, { readOnly: true });
  }
}

/** Opens a sink, and its database a second time. */
async function withOther(use: (sink: FileSink, other: DatabaseSync) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const sink = await createFileSink({ path: `${directory}/events` });
    const other = new DatabaseSync(`${directory}/events/tail.db`, { timeout: 10_000 });
    await use(sink, other);
    other.close();
    await sink.close();
  });
}

/** Fails what is stored as a full disk does, until the function that it returns is called. */
function fillDisk(other: DatabaseSync): () => void {
  other.exec(
    "CREATE TRIGGER full BEFORE INSERT ON batch BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END",
  );
  return () => other.exec("DROP TRIGGER full");
}

Deno.test("createFileSink() isn't ready while another process keeps the folder locked, and is once it lets go", () =>
  withOther(async (sink, other) => {
    other.exec("BEGIN IMMEDIATE");
    {
      const startMs = performance.now();
      let looks = 0;
      using _clock = stub(performance, "now", () => startMs + 500 * looks++);
      await assertRejects(
        async () => await sink.check?.(),
        Error,
        "the folder of events can't be written: database is locked",
      );
    }

    const checking = sink.check?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
    other.exec("ROLLBACK");
    await checking;
  }));

Deno.test("createFileSink() isn't ready while its disk is full, until events are stored again", () =>
  withOther(async (sink, other) => {
    await sink.store(batchOf([STORED]));
    const free = fillDisk(other);

    await assertRejects(() => sink.store(batchOf([STORED_PAGEVIEW])), Error, "disk is full");
    await assertRejects(async () => await sink.check?.(), Error, "couldn't be written: database or disk is full");
    free();
    // What writes nothing tells nothing.
    await sink.store(batchOf([STORED]));
    await assertRejects(async () => await sink.check?.(), Error, "disk is full");
    await sink.store(batchOf([STORED_PAGEVIEW]));
    await sink.check?.();
  }));

Deno.test("createFileSink() is ready again half a minute after a full disk, to be tried anew", () =>
  withOther(async (sink, other) => {
    const free = fillDisk(other);
    await assertRejects(() => sink.store(batchOf([STORED])), Error, "disk is full");
    free();
    await assertRejects(async () => await sink.check?.(), Error, "disk is full");
    const failedMs = performance.now();

    using _later = stub(performance, "now", () => failedMs + 30_000);
    await sink.check?.();
  }));

Deno.test("probe() rejects for a folder that can be read but not written", () =>
  withDirectory(async (directory) => {
    const sink = await createFileSink({ path: `${directory}/events` });
    const path = `${directory}/events/tail.db`;

    await assertRejects(
      () => probe({ DatabaseSync: ReadOnlyDatabase }, path),
      Error,
      "the folder of events can't be written: attempt to write a readonly database",
    );
    await probe(loadSqlite(), path);
    await sink.close();
  }));
