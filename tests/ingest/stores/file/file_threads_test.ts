/**
 * What the threads of a folder add to what is tested within the thread of the tests.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createFileReader, createFileSink } from "../../../../src/ingest/mod.ts";
import { buildPageview, buildQuery, countEvents, SITE } from "../../reports/fixtures.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { batchOf, STORED } from "../sink_contract.ts";
import { withDirectory } from "./in_thread.ts";

Deno.test("createFileSink() and createFileReader() work in threads, and end with them", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });

    await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` })]);
    const reader = createFileReader({ path });
    const events = await countEvents(reader, buildQuery());
    const waiting = sink.store(batchOf([STORED]));
    await sink.close();
    await reader.close();
    await reader.close();

    assertEquals([(await waiting).accepted, events], [1, 1]);
    await assertRejects(() => sink.store(batchOf([STORED])), Error, "the sink of files is closed");
  }));

Deno.test("createFileSink() and createFileReader() reject in the words of the thread", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/missing/events`;
    const words = `the folder of events ${JSON.stringify(path)} can't be used: `;
    const reader = createFileReader({ path });

    await assertRejects(() => createFileSink({ path }), Error, words);
    await assertRejects(() => reader.sites("pk_1"), Error, `${words}there is no tail.db`);
    await reader.close();
  }));

Deno.test("createFileSink() rejects while another process keeps the folder locked, holds nothing up, and recovers", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const other = new DatabaseSync(`${path}/tail.db`, { timeout: 10_000 });
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
    // Where the wait for the lock is this thread's, nothing else runs for 10 s.
    assert(longestMs < 2_500, `nothing else ran for ${longestMs} ms`);
  }));
