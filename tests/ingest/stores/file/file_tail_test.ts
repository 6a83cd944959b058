import { assertEquals, assertRejects } from "@std/assert";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { KEY, OTHER_KEY } from "../../fixtures.ts";
import { anEvent, until } from "../data_fixtures.ts";
import { batchOf } from "../sink_contract.ts";
import { createFileData, createFileSink, createFileTail, listSealed, withDirectory } from "./in_thread.ts";

const NOW = new Date().toISOString();

function manyEvents(name: string, count: number): readonly StoredEvent[] {
  return Array.from({ length: count }, (_, index) => anEvent(`${name}-${index}`, { timestamp: NOW, receivedAt: NOW }));
}

Deno.test("createFileTail() begins with the last events, and follows across a seal", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path, fileEvents: 10 });
    await sink.store(batchOf(manyEvents("old", 10)));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    await sink.store(batchOf(manyEvents("young", 2)));
    const tail = await createFileTail({ path, lines: 4 });
    const read = async (): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (;;) {
        const { events, isMore } = await tail.next();
        ids.push(...events.map(({ id }) => id));
        if (!isMore) return ids;
      }
    };

    const first = await read();
    await sink.store(batchOf(manyEvents("next", 3)));
    const second = await read();
    // Sealed before it was read.
    await sink.store(batchOf(manyEvents("sealed", 12)));
    await until(() => Promise.resolve(listSealed(path).length === 3));
    await sink.store(batchOf(manyEvents("last", 1)));
    const third = await read();
    await Promise.all([tail.close(), sink.close()]);

    assertEquals(first, ["old-8", "old-9", "young-0", "young-1"]);
    assertEquals(second, manyEvents("next", 3).map(({ id }) => id));
    assertEquals(third, [...manyEvents("sealed", 12), ...manyEvents("last", 1)].map(({ id }) => id));
  }));

Deno.test("createFileTail() shows the events of one key, and nobody who is erased", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path }), createFileData({ path })];
    await sink.store(batchOf(manyEvents("theirs", 2), OTHER_KEY));
    await sink.store(batchOf([anEvent("of-ada", { userId: "ada", timestamp: NOW, receivedAt: NOW })]));
    await data.erase({ apiKey: KEY, userId: "ada" });
    await sink.store(batchOf(manyEvents("ours", 2)));
    const tail = await createFileTail({ path, apiKey: KEY, lines: 10 });

    const { events } = await tail.next();
    await Promise.all([tail.close(), sink.close(), data.close()]);

    assertEquals(events.map(({ id }) => id), ["ours-0", "ours-1"]);
    await assertRejects(() => createFileTail({ path: directory, lines: 1 }), Error, "there is no tail.db");
  }));

Deno.test("createFileTail() gets past events whose texts are more than are read at a time", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const store = (name: string): Promise<unknown> =>
      sink.store(
        batchOf(manyEvents(name, 200).map((event) => ({ ...event, properties: { text: "x".repeat(30_000) } }))),
      );
    await store("old");
    const tail = await createFileTail({ path, lines: 1 });
    const read = async (): Promise<readonly string[]> => {
      const { events, isMore } = await tail.next();
      return [...events.map(({ id }) => id), ...isMore ? await read() : []];
    };

    const first = await read();
    await store("new");
    const ids = await read();
    const after = await read();
    await Promise.all([tail.close(), sink.close()]);

    assertEquals([first, after], [["old-199"], []]);
    assertEquals(ids, manyEvents("new", 200).map(({ id }) => id));
  }));
