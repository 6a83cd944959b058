import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { dropSealed } from "../../../../src/ingest/stores/file/drop_sealed.ts";
import { openFolderData } from "../../../../src/ingest/stores/file/folder_data.ts";
import { type FolderStore, openFolder } from "../../../../src/ingest/stores/file/folder_store.ts";
import { toSealedPath } from "../../../../src/ingest/stores/file/follow_folder.ts";
import { queryFolder } from "../../../../src/ingest/stores/file/query_folder.ts";
import { removeEvents } from "../../../../src/ingest/stores/file/remove_events.ts";
import { sealTail } from "../../../../src/ingest/stores/file/seal_tail.ts";
import { sealEvents } from "../../../../src/ingest/stores/file/seal_events.ts";
import { readSealed } from "../../../../src/ingest/stores/file/sealed_rows.ts";
import { countTail } from "../../../../src/ingest/stores/file/tail_places.ts";
import { createUpkeep } from "../../../../src/ingest/stores/file/upkeep.ts";
import { anEvent } from "../data_fixtures.ts";
import { batchOf } from "../sink_contract.ts";
import { createReaderHere } from "./file_store.ts";
import { createFileData, createFileSink, listSealed, withDirectory } from "./in_thread.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, at } from "../../reports/visit_fixtures.ts";

const NOW = new Date().toISOString();

/** Events of a file. */
const FILE_EVENTS = 10;

function manyEvents(name: string, count: number): readonly StoredEvent[] {
  return Array.from({ length: count }, (_, index) => anEvent(`${name}-${index}`, { timestamp: NOW, receivedAt: NOW }));
}

/** Opens a folder, and a function that stores and seals a day's events. */
async function withDays(
  use: (store: FolderStore, day: (name: string, count: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  await withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder });
    const store = openFolder(folder);
    try {
      await use(store, async (name, count) => {
        await sink.store(batchOf(manyEvents(name, count)));
        await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
        while (dropSealed(store));
      });
    } finally {
      store.database.close();
      await sink.close();
    }
  });
}

async function listIds({ folder }: FolderStore): Promise<readonly string[]> {
  const sink = await createFileSink({ path: folder });
  const ids = (await sink.events()).map(({ id }) => id);
  await sink.close();
  return ids;
}

const idsOf = (name: string, count: number): readonly string[] => manyEvents(name, count).map(({ id }) => id);

Deno.test("sealTail() puts the events of small days into one file, as long as that is small, and knows their ids", () =>
  withDays(async (store, day) => {
    for (const name of ["a", "b", "c", "d"]) await day(name, 3);

    assertEquals(listSealed(store.folder), ["00000001.parquet", "00000002.parquet"]);
    assertEquals(store.database.prepare("SELECT from_place, until_place, events FROM file ORDER BY number").all(), [
      Object.assign(Object.create(null), { from_place: 1, until_place: 10, events: 9 }),
      Object.assign(Object.create(null), { from_place: 10, until_place: 13, events: 3 }),
    ]);
    assertEquals(await listIds(store), ["a", "b", "c", "d"].flatMap((name) => idsOf(name, 3)));
    const sink = await createFileSink({ path: store.folder });
    const again = await sink.store(batchOf(["a", "b", "c", "d"].flatMap((name) => manyEvents(name, 3))));
    await sink.close();
    assertEquals([again.accepted, again.duplicates], [0, 12]);
  }));

Deno.test("sealTail() leaves a damaged file as it is, and begins another", () =>
  withDays(async (store, day) => {
    await day("a", 3);
    Deno.truncateSync(toSealedPath(store.folder, 1), 100);
    await day("b", 3);

    assertEquals(listSealed(store.folder), ["00000001.parquet", "00000002.parquet"]);
  }));

Deno.test("sealTail() removes the file of a seal that was killed when its events go into another one", () =>
  withDays(async (store, day) => {
    await day("a", 3);
    // Another process has files of three events.
    const [seq, file] = [4, toSealedPath(store.folder, 2)];
    const events = manyEvents("b", 3).map((event, index) => ({ ...event, keyHash: "k", seq: seq + index }));
    Deno.writeFileSync(file, await sealEvents(events));
    await day("b", 3);

    assertEquals(listSealed(store.folder), ["00000001.parquet"]);
    assertEquals(await listIds(store), [...idsOf("a", 3), ...idsOf("b", 3)]);
  }));

Deno.test("createUpkeep() tells of a stray file, and seals until its number is next", () =>
  withDays(async (store, day) => {
    await day("a", FILE_EVENTS);
    const sink = await createFileSink({ path: store.folder });
    Deno.writeTextFileSync(toSealedPath(store.folder, 3), "half a copy");
    for (const name of ["b", "c"]) {
      await sink.store(batchOf(manyEvents(name, FILE_EVENTS)));
      const fault = /^the file of events ".*00000003\.parquet" can't be read: [^;]*$/;
      const error = await assertRejects(() => createUpkeep(store, FILE_EVENTS).run(), Error);
      assertEquals(fault.test(error.message), true, error.message);
    }

    assertEquals(listSealed(store.folder), [1, 2, 3].map((number) => `0000000${number}.parquet`));
    assertEquals(Deno.readTextFileSync(toSealedPath(store.folder, 3)), "half a copy");
    assertEquals(countTail(store), FILE_EVENTS);
    await openFolderData(store).prune({ vacuum: true });
    await sink.close();
    assertEquals(Deno.readTextFileSync(toSealedPath(store.folder, 3)), "half a copy");
  }));

Deno.test("a file that had grown when somebody was killed counts once, and goes on to grow", () =>
  withDays(async (store, day) => {
    await day("a", 3);
    const register = new DatabaseSync(`${store.folder}/tail.db`);
    const sink = await createFileSink({ path: store.folder });
    await sink.store(batchOf(manyEvents("b", 3)));
    // As between the file's name and the end of the transaction.
    const before = register.prepare("SELECT * FROM file").get();
    await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
    register.exec("UPDATE store SET tail_from = 4");
    register.exec("UPDATE file SET until_place = 4, events = 3, version = 9");
    register.close();

    const between = (await sink.events()).map(({ id }) => id);
    await removeEvents(store, { isGone: ({ seq }) => seq === 2, onGone: () => {} });
    const removed = (await sink.events()).map(({ id }) => id);
    await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
    const sealed = (await sink.events()).map(({ id }) => id);
    await sink.close();

    const left = ["a-0", "a-2", ...idsOf("b", 3)];
    assertEquals([before?.until_place, between], [4, [...idsOf("a", 3), ...idsOf("b", 3)]]);
    assertEquals([removed, sealed], [left, left]);
    assertEquals(listSealed(store.folder), ["00000001.parquet"]);
  }));

Deno.test("a file that had grown when somebody was killed counts once when the tail no longer fits into it", () =>
  withDays(async (store, day) => {
    const { database, folder } = store;
    const views = (name: string, count: number) =>
      Array.from(
        { length: count },
        (_, index) => ({ ...at("10:00", { session: `${name}-${index}` }), receivedAt: NOW }),
      );
    await day("a", 3);
    const [sink, reader] = [await createFileSink({ path: folder }), createReaderHere(folder)];
    const data = createFileData({ path: folder });
    await storeEvents(sink, views("b", 3));
    await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
    // As between the file's name and the end of the transaction.
    database.exec("UPDATE store SET tail_from = 4; UPDATE file SET until_place = 4, events = 3, version = 9");
    await storeEvents(sink, views("c", 6));
    await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
    while (dropSealed(store));

    const { rows: [counts] } = await queryFolder({ folder, sql: "SELECT count(*), count(DISTINCT id) FROM events" });
    const { total } = await reader.overview(ask(), []);
    const exported: string[] = [];
    for await (const { event } of data.exportAll()) exported.push(event.id);
    const read = (await sink.events()).map(({ id }) => id);
    const files = listSealed(folder);
    for (const { close } of [reader, data, sink]) await close();

    assertEquals(files, ["00000001.parquet", "00000002.parquet"]);
    assertEquals([counts?.map(Number), total.pageviews.full], [[12, 12], 9]);
    assertEquals([exported.length, new Set(exported).size, read.length], [12, 12, 12]);
    assertEquals((await readSealed(toSealedPath(folder, 1), ["seq"])).count, 3);
  }));

Deno.test("sealTail() takes nothing out of a file that its database doesn't know, though the tail doesn't fit", () =>
  withDays(async (store, day) => {
    await day("a", 3);
    await day("b", 3);
    store.database.exec("UPDATE store SET tail_from = 4; UPDATE file SET until_place = 4, events = 3");
    const before = Deno.readFileSync(toSealedPath(store.folder, 1));

    await assertRejects(() => day("c", 9), Error, "isn't known to the database beside it, which is older");

    assertEquals(Deno.readFileSync(toSealedPath(store.folder, 1)), before);
    assertEquals(listSealed(store.folder), ["00000001.parquet"]);
  }));

Deno.test("sealTail() writes over no events that its database doesn't know, since it is older", () =>
  withDays(async (store, day) => {
    await day("a", 3);
    await day("b", 3);
    store.database.exec("UPDATE store SET tail_from = 4; UPDATE file SET until_place = 4, events = 3");
    const before = Deno.readFileSync(toSealedPath(store.folder, 1));

    for (const name of ["c", "d"]) {
      await assertRejects(() => day(name, 2), Error, "isn't known to the database beside it, which is older");
    }

    assertEquals(Deno.readFileSync(toSealedPath(store.folder, 1)), before);
  }));

Deno.test("removeEvents() takes out what the newest file has grown by meanwhile", () =>
  withDays(async (store, day) => {
    const { database, folder } = store;
    await day("a", 3);
    const path = toSealedPath(folder, 1);
    const before = Deno.readFileSync(path);
    const sink = await createFileSink({ path: folder });
    await sink.store(batchOf(manyEvents("b", 3)));
    await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
    const grown = Deno.readFileSync(path);
    /** Registers the file as it was, or as it has grown. */
    const register = (bytes: Uint8Array, { until, events }: { until: number; events: number }): void => {
      Deno.writeFileSync(path, bytes);
      database.exec(`UPDATE store SET tail_from = ${until}`);
      database.exec(`UPDATE file SET until_place = ${until}, events = ${events}, version = version + 1`);
    };
    register(before, { until: 4, events: 3 });

    const gone: number[] = [];
    let isGrown = false;
    await removeEvents(store, {
      isGone: ({ seq }) => {
        // Once the file was looked at, and the tail is.
        if (seq === 4 && !isGrown) register(grown, { until: 7, events: 6 });
        isGrown ||= seq === 4;
        return seq === 5;
      },
      onGone: ({ seq }) => gone.push(seq),
    });
    const ids = (await sink.events()).map(({ id }) => id);
    await sink.close();

    assertEquals([gone, ids], [[5], [...idsOf("a", 3), "b-0", "b-2"]]);
  }));

Deno.test("createFileReader() counts each event once while the newest file grows", () =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder });
    const [store, reader] = [openFolder(folder), createReaderHere(folder)];
    const look = async (): Promise<unknown> => {
      const { total: { sessions, pageviews } } = await reader.overview(ask(), []);
      return [sessions, pageviews.full];
    };
    const found: unknown[] = [];
    for (const day of [1, 2, 3]) {
      const sessions = ["same", `s-${day}`];
      await storeEvents(sink, sessions.map((session) => ({ ...at("10:00", { session }), receivedAt: NOW })));
      found.push(await look());
      await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
      found.push(await look());
    }
    await reader.close();
    store.database.close();
    await sink.close();

    assertEquals(found, [[2, 2], [2, 2], [3, 4], [3, 4], [4, 6], [4, 6]]);
    assertEquals(listSealed(folder), ["00000001.parquet"]);
  }));
