import { assertEquals } from "@std/assert";
import { copySqlite } from "../../src/ingest/load/copy_sqlite.ts";
import { hashKey } from "../../src/ingest/keys/digest.ts";
import type { ClickHouseTarget, CopyMark } from "../../src/ingest/sinks/clickhouse/clickhouse_target.ts";
import type { KeyedEvent } from "../../src/ingest/sinks/load_target.ts";
import { KEY, OTHER_KEY } from "./fixtures.ts";
import { createSqliteSink, withDirectory } from "./in_thread.ts";
import { batchOf, STORED } from "./sink_contract.ts";

/** A store that remembers marks, and counts what it has. */
function createFakeTarget() {
  const stored = new Map<string, KeyedEvent>();
  const marks = new Map<string, CopyMark>();
  const blocks: number[] = [];
  const target: ClickHouseTarget = {
    store: (block) => {
      blocks.push(block.length);
      for (const keyed of block) stored.set(`${keyed.keyHash} ${keyed.event.id}`, keyed);
      return Promise.resolve([]);
    },
    readMark: (source) => Promise.resolve(marks.get(source)),
    writeMark: (source, mark) => Promise.resolve(void marks.set(source, mark)),
    countByDay: (keyHash) => {
      const ofKey = [...stored.values()].filter((keyed) => keyed.keyHash === keyHash);
      const byDay = Map.groupBy(ofKey, ({ event }) => event.timestamp.slice(0, 10));
      return Promise.resolve(new Map([...byDay].map(([day, events]) => [day, events.length])));
    },
    close: () => Promise.resolve(),
  };
  return { target, stored, marks, blocks };
}

async function fill(path: string, ids: readonly string[], apiKey = KEY): Promise<void> {
  const sink = await createSqliteSink({ path });
  await sink.store(batchOf(ids.map((id) => ({ ...STORED, id })), apiKey));
  await sink.close();
}

Deno.test("copySqlite() copies every event with the hash of its key, and goes on where it was", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored, blocks } = createFakeTarget();
    await fill(path, ["a", "b"]);
    await fill(path, ["a"], OTHER_KEY);

    const first = await copySqlite({ path, target });
    await fill(path, ["c"]);
    const second = await copySqlite({ path, target });

    assertEquals(first, { isWhole: true, copied: 3, events: 3, missing: 0, unfit: [] });
    assertEquals([second.copied, second.events], [1, 4]);
    assertEquals(blocks, [3, 1]);
    assertEquals(stored.get(`${await hashKey(OTHER_KEY)} a`)?.event, { ...STORED, id: "a" });
  }));

Deno.test("copySqlite() begins anew where a restored database has other events under the same numbers", () =>
  withDirectory(async (directory) => {
    const { target, stored } = createFakeTarget();
    await fill(`${directory}/one.db`, ["a", "b", "c"]);
    await fill(`${directory}/restored.db`, ["a", "x", "y", "z"]);

    await copySqlite({ path: `${directory}/one.db`, target });
    const { copied, missing } = await copySqlite({ path: `${directory}/restored.db`, target });

    assertEquals([copied, missing], [4, 0]);
    assertEquals([...stored.values()].map(({ event }) => event.id), ["a", "b", "c", "x", "y", "z"]);
  }));

Deno.test("copySqlite() counts what is missing, and stops when it is told", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored } = createFakeTarget();
    await fill(path, ["a", "b"]);

    const stopped = await copySqlite({ path, target, signal: AbortSignal.abort() });
    await copySqlite({ path, target });
    stored.delete(`${await hashKey(KEY)} b`);
    const lacking = await copySqlite({ path, target });

    assertEquals(stopped, { isWhole: false, copied: 0, events: 0, missing: 0, unfit: [] });
    assertEquals([lacking.copied, lacking.missing], [0, 1]);
  }));
