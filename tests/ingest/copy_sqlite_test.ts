import { assertEquals } from "@std/assert";
import { copySqlite } from "../../src/ingest/load/copy_sqlite.ts";
import { hashKey } from "../../src/ingest/keys/digest.ts";
import type { ClickHouseTarget, CopyMark } from "../../src/ingest/sinks/clickhouse/clickhouse_target.ts";
import { buildErasure, createErasureCheck, type Erasure, toOwner } from "../../src/ingest/sinks/erasures.ts";
import type { KeyedEvent } from "../../src/ingest/sinks/load_target.ts";
import { KEY, OTHER_KEY } from "./fixtures.ts";
import { anEvent } from "./data/data_fixtures.ts";
import { createSqliteData, createSqliteSink, withDirectory } from "./in_thread.ts";
import { batchOf, STORED } from "./sink_contract.ts";

/** A store that remembers marks, and counts what it has. */
function createFakeTarget() {
  const stored = new Map<string, KeyedEvent>();
  const marks = new Map<string, CopyMark>();
  const blocks: number[] = [];
  const erasures: Erasure[] = [];
  const pickErased = async (keyed: readonly KeyedEvent[]): Promise<readonly KeyedEvent[]> => {
    const isErased = createErasureCheck(erasures);
    const areErased = await Promise.all(keyed.map(({ keyHash, event }) => isErased(toOwner(keyHash, event))));
    return keyed.filter((_, index) => areErased[index]);
  };
  const target: ClickHouseTarget = {
    store: async (block) => {
      blocks.push(block.length);
      const erased = await pickErased(block);
      for (const keyed of block) {
        if (!erased.includes(keyed)) stored.set(`${keyed.keyHash} ${keyed.event.id}`, keyed);
      }
      return { unfit: [], erased: erased.length };
    },
    readErasures: () => Promise.resolve(erasures),
    keepErasures: (more) => Promise.resolve(void erasures.push(...more)),
    correct: async () => {
      const erased = await pickErased([...stored.values()]);
      for (const { keyHash, event } of erased) stored.delete(`${keyHash} ${event.id}`);
      return erased.length;
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
  return { target, stored, marks, blocks, erasures };
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

    assertEquals(first, { isWhole: true, copied: 3, erased: 0, events: 3, missing: 0, unfit: [] });
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

    assertEquals(stopped, { isWhole: false, copied: 0, erased: 0, events: 0, missing: 0, unfit: [] });
    assertEquals([lacking.copied, lacking.missing], [0, 1]);
  }));

/** Stores three events: of ada, of bob, and of nobody. */
async function fillWithPeople(path: string): Promise<void> {
  const sink = await createSqliteSink({ path });
  const people = [anEvent("of-ada", { userId: "ada" }), anEvent("of-bob", { userId: "bob" }), anEvent("of-nobody", {})];
  await sink.store(batchOf(people));
  await sink.close();
}

async function erase(path: string, userId: string): Promise<void> {
  const data = createSqliteData({ path });
  await data.erase({ apiKey: KEY, userId });
  await data.close();
}

Deno.test("copySqlite() takes records of erasures along, also those of before a backup", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored, erasures } = createFakeTarget();
    await fillWithPeople(path);
    await Deno.copyFile(path, `${directory}/backup.db`);
    await erase(path, "ada");
    await Deno.rename(`${directory}/backup.db`, path);

    const { copied, erased, events, missing } = await copySqlite({ path, target });

    assertEquals([copied, erased, events, missing], [2, 1, 2, 0]);
    assertEquals([...stored.values()].map(({ event }) => event.id), ["of-bob", "of-nobody"]);
    assertEquals(erasures[0]?.kind, "user");
  }));

Deno.test("copySqlite() misses nobody who was erased by an id with odd characters", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, erasures } = createFakeTarget();
    const userIds = ["a\0b", "a\ud800b"];
    const sink = await createSqliteSink({ path });
    await sink.store(batchOf(userIds.map((userId, index) => anEvent(`e-${index}`, { userId }))));
    await sink.close();
    const erasedAt = new Date().toISOString();
    for (const id of userIds) erasures.push(await buildErasure({ apiKey: KEY, kind: "user", id }, erasedAt));

    const { erased, events, missing } = await copySqlite({ path, target });

    assertEquals([erased, events, missing], [2, 0, 0]);
  }));

Deno.test("copySqlite() deletes whom SQLite erased while it copied, and misses nobody", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored } = createFakeTarget();
    await fillWithPeople(path);
    let erasing: Promise<void> | undefined;
    const slow: ClickHouseTarget = {
      ...target,
      writeMark: async (source, mark) => {
        await target.writeMark(source, mark);
        await (erasing ??= erase(path, "ada"));
      },
    };

    const { copied, events, missing } = await copySqlite({ path, target: slow });

    assertEquals([copied, events, missing], [3, 2, 0]);
    assertEquals([...stored.values()].map(({ event }) => event.id), ["of-bob", "of-nobody"]);
  }));

Deno.test("copySqlite() misses nobody whom ClickHouse erased, and tells what is missing beside them", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored, erasures } = createFakeTarget();
    await fillWithPeople(path);
    erasures.push(await buildErasure({ apiKey: KEY, kind: "user", id: "bob" }, new Date().toISOString()));

    const first = await copySqlite({ path, target });
    stored.delete(`${await hashKey(KEY)} of-ada`);
    const lacking = await copySqlite({ path, target });

    assertEquals([first.copied, first.erased, first.events, first.missing], [2, 1, 2, 0]);
    assertEquals([lacking.events, lacking.missing], [2, 1]);
  }));
