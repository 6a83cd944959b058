import { assertEquals, assertRejects } from "@std/assert";
import { copyFiles } from "../../../src/ingest/loader/copy_files.ts";
import { hashKey } from "../../../src/ingest/platform/digest.ts";
import type { ClickHouseTarget } from "../../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import { KEY, OTHER_KEY } from "../fixtures.ts";
import { anEvent, until } from "../stores/data_fixtures.ts";
import { createFileData, createFileSink, listSealed, withDirectory } from "../stores/file/in_thread.ts";
import { batchOf, STORED } from "../stores/sink_contract.ts";
import { createFakeTarget } from "./fake_target.ts";

/** Events that arrived on an earlier day: they are sealed. */
const PEOPLE = [anEvent("of-ada", { userId: "ada" }), anEvent("of-bob", { userId: "bob" }), anEvent("of-nobody", {})];

Deno.test("copyFiles() copies what is sealed and what isn't, and takes again what was deleted there", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const { target, stored, blocks } = createFakeTarget();
    const sink = await createFileSink({ path });
    await sink.store(batchOf(PEOPLE));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    const now = new Date().toISOString();
    await sink.store(batchOf([{ ...STORED, receivedAt: now }], OTHER_KEY));

    const first = await copyFiles({ path, target });
    const event = stored.get(`${await hashKey(OTHER_KEY)} ${STORED.id}`)?.event;
    stored.clear();
    const second = await copyFiles({ path, target });
    const stopped = await copyFiles({ path, target, signal: AbortSignal.abort() });
    await sink.close();

    assertEquals(first, { isWhole: true, copied: 4, erased: 0, counted: 4, unfit: [] });
    assertEquals([second, blocks], [first, [4, 4]]);
    assertEquals(event, { ...STORED, receivedAt: now });
    assertEquals(stopped, { isWhole: false, copied: 0, erased: 0, counted: 0, unfit: [] });
    await assertRejects(() => copyFiles({ path: directory, target }), Error, "there is no tail.db");
  }));

Deno.test("copyFiles() takes records of erasures along, and deletes whom the folder erased while it copied", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const { target, stored, erasures } = createFakeTarget();
    const [sink, data] = [await createFileSink({ path }), createFileData({ path })];
    await sink.store(batchOf(PEOPLE));
    await data.erase({ apiKey: KEY, userId: "ada" });
    const slow: ClickHouseTarget = {
      ...target,
      store: async (block) => {
        const result = await target.store(block);
        await data.erase({ apiKey: KEY, userId: "bob" });
        return result;
      },
    };

    const { copied, erased, counted } = await copyFiles({ path, target: slow });
    await Promise.all([sink.close(), data.close()]);

    assertEquals([copied, erased, counted], [2, 1, 2]);
    assertEquals([...stored.values()].map(({ event }) => event.id), ["of-nobody"]);
    assertEquals(erasures.map(({ kind }) => kind), ["user", "user", "user"]);
  }));
