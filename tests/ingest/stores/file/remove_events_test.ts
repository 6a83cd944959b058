import { assertEquals, assertRejects } from "@std/assert";
import { type FolderStore, openFolder } from "../../../../src/ingest/stores/file/folder_store.ts";
import { openFolderData } from "../../../../src/ingest/stores/file/folder_data.ts";
import { removeEvents } from "../../../../src/ingest/stores/file/remove_events.ts";
import { sealTail } from "../../../../src/ingest/stores/file/seal_tail.ts";
import { findNext } from "../../../../src/ingest/stores/file/tail_places.ts";
import { createHashes } from "../../../../src/ingest/stores/file/erasure_records.ts";
import { KEY } from "../../fixtures.ts";
import { anEvent } from "../data_fixtures.ts";
import { batchOf } from "../sink_contract.ts";
import { readSealed } from "../../../../src/ingest/stores/file/sealed_rows.ts";
import { createUpkeep } from "../../../../src/ingest/stores/file/upkeep.ts";
import { backUp, createFileData, createFileSink, listSealed, withDirectory } from "./in_thread.ts";

const NOW = new Date().toISOString();

const PEOPLE = ["ada", "bob", "eve"] as const;

/** Opens a folder with an event of each of the people, in one batch of the tail. */
const withPeople = (
  use: (store: FolderStore) => Promise<void>,
  people: readonly string[] = PEOPLE,
): Promise<void> =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder });
    await sink.store(batchOf(people.map((userId) => anEvent(userId, { userId, timestamp: NOW, receivedAt: NOW }))));
    await sink.close();
    const store = openFolder(folder);
    try {
      await use(store);
    } finally {
      store.database.close();
    }
  });

async function listLeft({ folder }: FolderStore): Promise<readonly string[]> {
  const data = createFileData({ path: folder });
  return (await Array.fromAsync(data.exportAll())).map(({ event }) => event.id);
}

/** Takes somebody's line out, as another process does. */
function emptyLine({ folder }: FolderStore, userId: string): void {
  const { database } = openFolder(folder);
  const texts = String(database.prepare("SELECT texts FROM batch").get()?.texts);
  const left = texts.split("\n").map((text) => text.includes(userId) ? "" : text).join("\n");
  database.prepare("UPDATE batch SET texts = ?").run(left);
  database.close();
}

Deno.test("removeEvents() takes its events out of a batch that another process changes meanwhile", () =>
  withPeople(async (store) => {
    const gone: unknown[] = [];
    let isEmptied = false;
    await removeEvents(store, {
      isGone: ({ userId }) => {
        if (!isEmptied) emptyLine(store, "bob");
        isEmptied = true;
        return userId === "ada";
      },
      onGone: ({ userId }) => gone.push(userId),
    });

    assertEquals([await listLeft(store), gone], [["eve"], ["ada"]]);
  }));

Deno.test("removeEvents() counts what is sealed once the record is kept", () =>
  withPeople(async (store) => {
    const { key, id } = createHashes();
    const keyHash = key(KEY).slice(0, 32);
    store.erasures.keep([{ key: keyHash, kind: "user", id: id(keyHash, "ada"), erasedAt: new Date().toISOString() }]);
    await sealTail(store, { isAged: true, fileEvents: 100 });
    const gone: unknown[] = [];

    await removeEvents(store, { isGone: ({ userId }) => userId === "ada", onGone: ({ userId }) => gone.push(userId) });

    assertEquals([await listLeft(store), gone], [["bob", "eve"], ["ada"]]);
  }));

Deno.test("erase() removes nothing that leads to an anonymous ID before that is on record", () =>
  withPeople(async (store) => {
    const { database, erasures } = store;
    const late = anEvent("late", { userId: "ada", anonymousId: "phone", timestamp: NOW, receivedAt: NOW });
    const before = anEvent("before", { anonymousId: "phone", timestamp: NOW, receivedAt: NOW });
    const insert = database.prepare("INSERT INTO batch VALUES (?, 2, ?, ?, ?)");
    const keyHash = createHashes().key(KEY).slice(0, 32);
    let kept = 0;
    const open = (isKilled: boolean) =>
      openFolderData({
        ...store,
        erasures: {
          ...erasures,
          keep(records) {
            kept += 1;
            // They come in once it was looked whose events are meant.
            if (kept === 1) {
              insert.run(
                findNext(store),
                Date.now(),
                keyHash,
                [late, before].map((e) => JSON.stringify(e)).join("\n"),
              );
            }
            if (isKilled && kept === 2) throw new Error("killed");
            erasures.keep(records);
          },
        },
      });
    const ada = { apiKey: KEY, userId: "ada", withVisitors: true } as const;

    await assertRejects(() => open(true).erase(ada, {}), Error, "killed");
    const linked = database.prepare(
      "SELECT count(*) AS count FROM batch WHERE texts LIKE '%phone%ada%' OR texts LIKE '%ada%phone%'",
    ).get();
    const erased = await open(false).erase(ada, {});

    assertEquals(linked?.count, 1);
    assertEquals([await listLeft(store), erased.visitors], [["bob", "eve"], 2]);
  }));

/** Seals the tail as a process does that is killed before the file is registered. */
async function leaveSealed(store: FolderStore): Promise<void> {
  const copy = `${store.folder}.copy`;
  await backUp(store.folder, copy);
  const other = openFolder(copy);
  await sealTail(other, { isAged: true, fileEvents: PEOPLE.length });
  other.database.close();
  for (const name of listSealed(copy)) Deno.copyFileSync(`${copy}/${name}`, `${store.folder}/${name}`);
}

/** Returns whose events the sealed files have. */
async function listSealedPeople({ folder }: FolderStore): Promise<readonly unknown[]> {
  const files = await Promise.all(listSealed(folder).map((name) => readSealed(`${folder}/${name}`, ["user_id"])));
  return files.flatMap(({ columns }) => Array.from(columns.get("user_id") ?? []));
}

for (const vacuum of [false, true]) {
  for (const people of [PEOPLE, PEOPLE.slice(0, 1)]) {
    const title = `erase() of one of ${people.length}${vacuum ? " with vacuum" : ""}`;
    Deno.test(`${title} leaves nobody in a file of a seal that was killed`, () =>
      withPeople(async (store) => {
        await leaveSealed(store);
        const [erased, ...left] = people;
        await createFileData({ path: store.folder }).erase({ apiKey: KEY, userId: erased ?? "" }, { vacuum });

        assertEquals(await listSealedPeople(store), vacuum ? left : []);
        await createUpkeep(store, PEOPLE.length).run();
        assertEquals(await listLeft(store), left);
      }, people));
  }
}
