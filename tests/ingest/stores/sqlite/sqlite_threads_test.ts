/**
 * What the threads of SQLite add to what is tested within the thread of the tests.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createSqliteReader } from "../../../../src/ingest/stores/sqlite/sqlite_reader.ts";
import { createSqliteSink } from "../../../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { withDirectory } from "./in_thread.ts";
import { buildEvent, buildPageview, buildQuery, countEvents, SITE } from "../../reports/fixtures.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { batchOf, STORED } from "../sink_contract.ts";

Deno.test("createSqliteSink() and createSqliteReader() work in threads, and end with them", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const sink = await createSqliteSink({ path });
    const event = buildPageview({ pageUrl: `${SITE}/` });

    await storeEvents(sink, [event]);
    const reader = await createSqliteReader({ path });
    const events = await countEvents(reader, buildQuery());
    const waiting = sink.store(batchOf([STORED]));
    await sink.close();
    await reader.close();
    await reader.close();

    assertEquals([(await waiting).accepted, events], [1, 1]);
    await assertRejects(() => sink.store(batchOf([STORED])), Error, "the SQLite sink is closed");
    await assertRejects(() => reader.pages(buildQuery(), 10), Error, "the thread of the database has ended");
  }));

Deno.test("createSqliteSink() and createSqliteReader() reject in the words of the thread", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/missing/events.sqlite`;
    const words = `the SQLite database ${JSON.stringify(path)} can't be`;

    await assertRejects(() => createSqliteSink({ path }), Error, `${words} used: unable to open database file`);
    await assertRejects(() => createSqliteReader({ path }), Error, `${words} read: unable to open database file`);
  }));

Deno.test("createSqliteSink() rejects while another process keeps the file locked, holds nothing up, and recovers", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const other = new DatabaseSync(path, { timeout: 10_000 });
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
    // A lock says nothing of what comes next, as a full disk would.
    await sink.check?.();
    const result = await sink.store(batchOf([STORED]));
    await sink.close();

    assertEquals(result, { accepted: 1, duplicates: 0, events: [STORED] });
    assert(longestMs < 500, `nothing else ran for ${longestMs} ms`);
  }));

Deno.test("createSqliteReader() lets a log that has grown long begin anew, though reports follow each other", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    const other = new DatabaseSync(path, { timeout: 10_000 });
    other.exec("BEGIN; SELECT * FROM events");
    for (const id of ["one", "two", "three"]) {
      const event = { ...buildEvent({ pageUrl: `${SITE}/` }), id, properties: { text: "x".repeat(24_000_000) } };
      await storeEvents(sink, [event]);
    }
    const long = (await Deno.stat(`${path}-wal`)).size;
    other.close();

    let isOver = false;
    const reading = (async () => {
      while (!isOver) await reader.pages(buildQuery(), 10);
    })();
    for (let count = 0; count < 20; count++) await storeEvents(sink, [buildEvent({ pageUrl: `${SITE}/` })]);
    isOver = true;
    await reading;
    const short = (await Deno.stat(`${path}-wal`)).size;
    await Promise.all([sink.close(), reader.close()]);

    assert(long > 72_000_000 && short < 40_000_000, `${long} and ${short} bytes`);
  }));
