import { assertEquals, assertRejects } from "@std/assert";
import type { EventTail } from "../../../../src/ingest/ports/event_tail.ts";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { createSqliteData, createSqliteSink, createSqliteTail, withDirectory } from "./in_thread.ts";
import { KEY, OTHER_KEY } from "../../fixtures.ts";
import { batchOf } from "../sink_contract.ts";
import { anEvent } from "../data_fixtures.ts";

function manyOf(prefix: string, count: number, given: Parameters<typeof anEvent>[1] = {}): readonly StoredEvent[] {
  return Array.from({ length: count }, (_, index) => anEvent(`${prefix}-${index}`, given));
}

/** Reads until there is nothing more. */
async function readIds(tail: EventTail): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const { events, isMore } = await tail.next();
    ids.push(...events.map(({ id }) => id));
    if (!isMore) return ids;
  }
}

Deno.test("createSqliteTail() reads the last events, and then each that is stored, once", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const sink = await createSqliteSink({ path });
    await sink.store(batchOf(manyOf("old", 20)));
    await sink.store(batchOf(manyOf("other", 150), OTHER_KEY));

    const all = await createSqliteTail({ path, lines: 2 });
    const ofKey = await createSqliteTail({ path, apiKey: KEY, lines: 3 });
    const first = [await readIds(all), await readIds(ofKey)];
    const nothing = [await readIds(all), await readIds(ofKey)];
    for (let batch = 0; batch < 23; batch++) await sink.store(batchOf(manyOf(`new-${batch}`, 100)));
    await sink.store(batchOf(manyOf("late", 2), OTHER_KEY));
    const [newOfAll, newOfKey] = [await readIds(all), await readIds(ofKey)];
    const after = [await readIds(all), await readIds(ofKey)];
    await Promise.all([all.close(), ofKey.close(), sink.close()]);

    assertEquals(first, [["other-148", "other-149"], ["old-17", "old-18", "old-19"]]);
    assertEquals([nothing, after], [[[], []], [[], []]]);
    assertEquals([newOfAll.length, newOfAll[0], newOfAll.slice(-2)], [2302, "new-0-0", ["late-0", "late-1"]]);
    assertEquals([newOfKey.length, newOfKey.at(-1)], [2300, "new-22-99"]);
  }));

Deno.test("createSqliteTail() shows the event that gets the place of an erased one, and nothing twice", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [sink, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await sink.store(batchOf(manyOf("stays", 300, { anonymousId: "a-1" })));
    await sink.store(batchOf(manyOf("goes", 150, { anonymousId: "a-2" })));
    const tail = await createSqliteTail({ path, lines: 0 });
    await readIds(tail);

    await sink.store(batchOf([anEvent("last", { anonymousId: "a-3" })]));
    const before = await readIds(tail);
    await data.erase({ apiKey: KEY, anonymousId: "a-3" });
    await sink.store(batchOf([anEvent("in-its-place", { anonymousId: "a-1" })]));
    const replaced = await readIds(tail);
    await data.erase({ apiKey: KEY, anonymousId: "a-2" });
    await data.erase({ apiKey: KEY, anonymousId: "a-1" });
    await sink.store(batchOf(manyOf("still", 2, { anonymousId: "a-4" })));
    const gone = await readIds(tail);
    await sink.store(batchOf([anEvent("next", { anonymousId: "a-4" })]));
    const next = await readIds(tail);
    await Promise.all([tail.close(), data.close(), sink.close()]);

    assertEquals([before, replaced], [["last"], ["in-its-place"]]);
    // What was stored in the moment of a deletion that large can't be told from what was there.
    assertEquals([gone, next], [[], ["next"]]);
  }));

Deno.test("createSqliteTail() gets past events whose texts are more than are read at a time", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const sink = await createSqliteSink({ path });
    const text = "x".repeat(30_000);
    const store = (prefix: string): Promise<unknown> =>
      sink.store(batchOf(manyOf(prefix, 200, { properties: { text } })));
    await store("old");

    const tail = await createSqliteTail({ path, lines: 1 });
    const first = await readIds(tail);
    await store("new");
    const ids = await readIds(tail);
    const after = await readIds(tail);
    await Promise.all([tail.close(), sink.close()]);

    assertEquals([first, after], [["old-199"], []]);
    assertEquals(ids, manyOf("new", 200).map(({ id }) => id));
  }));

Deno.test("createSqliteTail() rejects where no sink has made the database", () =>
  withDirectory(async (directory) => {
    await assertRejects(() => createSqliteTail({ path: `${directory}/events.db`, lines: 1 }), Error, "can't be read");
  }));
