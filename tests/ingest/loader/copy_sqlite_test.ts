import { assertEquals } from "@std/assert";
import { copySqlite } from "../../../src/ingest/loader/copy_sqlite.ts";
import { hashKey } from "../../../src/ingest/platform/digest.ts";
import type { ClickHouseTarget } from "../../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import { KEY, OTHER_KEY } from "../fixtures.ts";
import { anEvent } from "../stores/data_fixtures.ts";
import { createSqliteData, createSqliteSink, withDirectory } from "../stores/sqlite/in_thread.ts";
import { batchOf, STORED } from "../stores/sink_contract.ts";
import { createFakeTarget } from "./fake_target.ts";

async function fill(path: string, ids: readonly string[], apiKey = KEY): Promise<void> {
  const sink = await createSqliteSink({ path });
  await sink.store(batchOf(ids.map((id) => ({ ...STORED, id })), apiKey));
  await sink.close();
}

Deno.test("copySqlite() copies every event with the hash of its key, and may begin anew", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored, blocks } = createFakeTarget();
    await fill(path, ["a", "b"]);
    await fill(path, ["a"], OTHER_KEY);

    const first = await copySqlite({ path, target });
    await fill(path, ["c"]);
    const second = await copySqlite({ path, target });

    assertEquals(first, { isWhole: true, copied: 3, erased: 0, counted: 3, unfit: [] });
    assertEquals(second, { isWhole: true, copied: 4, erased: 0, counted: 4, unfit: [] });
    assertEquals(blocks, [3, 4]);
    assertEquals(stored.get(`${await hashKey(OTHER_KEY)} a`)?.event, { ...STORED, id: "a" });
  }));

Deno.test("copySqlite() counts what the target has, and stops when it is told", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored } = createFakeTarget();
    await fill(path, ["a", "b"]);
    const forgetful: ClickHouseTarget = {
      ...target,
      store: async (block) => {
        const result = await target.store(block);
        stored.delete(`${await hashKey(KEY)} b`);
        return result;
      },
    };

    const stopped = await copySqlite({ path, target, signal: AbortSignal.abort() });
    const lacking = await copySqlite({ path, target: forgetful });

    assertEquals(stopped, { isWhole: false, copied: 0, erased: 0, counted: 0, unfit: [] });
    assertEquals([lacking.copied, lacking.counted], [2, 1]);
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

    const { copied, erased, counted } = await copySqlite({ path, target });

    assertEquals([copied, erased, counted], [2, 1, 2]);
    assertEquals([...stored.values()].map(({ event }) => event.id), ["of-bob", "of-nobody"]);
    assertEquals(erasures[0]?.kind, "user");
  }));

Deno.test("copySqlite() deletes whom SQLite erased while it copied, and misses nobody", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const { target, stored } = createFakeTarget();
    await fillWithPeople(path);
    let erasing: Promise<void> | undefined;
    const slow: ClickHouseTarget = {
      ...target,
      store: async (block) => {
        const result = await target.store(block);
        await (erasing ??= erase(path, "ada"));
        return result;
      },
    };

    const { copied, erased, counted } = await copySqlite({ path, target: slow });

    assertEquals([copied, erased, counted], [3, 1, 3]);
    assertEquals([...stored.values()].map(({ event }) => event.id), ["of-bob", "of-nobody"]);
  }));
