/**
 * What becomes of acknowledged events when the files of a tail are moved while it is in use: what the thread of a sink does,
 * within the thread of the test.
 *
 * @module
 */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import type { SinkCalls } from "../../../../src/ingest/stores/file/file_sink.ts";
import { type FolderStore, openFolder } from "../../../../src/ingest/stores/file/folder_store.ts";
import { dropOlder, removeEvents } from "../../../../src/ingest/stores/file/remove_events.ts";
import { sealTail } from "../../../../src/ingest/stores/file/seal_tail.ts";
import { sweepFolder } from "../../../../src/ingest/stores/file/sweep_folder.ts";
import { createUpkeep } from "../../../../src/ingest/stores/file/upkeep.ts";
import { createSinkCalls } from "../../../../src/ingest/stores/file/worker/sink_calls.ts";
import { KEY } from "../../fixtures.ts";
import { anEvent } from "../data_fixtures.ts";
import { backUp, listSealed, withDirectory } from "./in_thread.ts";

interface Damage {
  readonly name: string;
  /** Moves the files of the tail. A copy of its database, of before the first event, is beside the folder. */
  readonly harm: (tail: string) => void;
  /** Whether somebody reads meanwhile, and keeps the log from being copied into the database. */
  readonly isRead?: boolean;
  /** The file that the reason names. */
  readonly lost: string;
  /** Where the events are afterwards that were acknowledged before. */
  readonly kept: string;
}

const DAMAGES: readonly Damage[] = [
  { name: "log removed", harm: (tail) => Deno.removeSync(`${tail}-wal`), lost: "tail.db-wal", kept: "tail.db" },
  {
    name: "log removed while somebody reads",
    harm: (tail) => Deno.removeSync(`${tail}-wal`),
    isRead: true,
    lost: "tail.db-wal",
    kept: "tail.db",
  },
  {
    name: "log replaced",
    harm: (tail) => {
      Deno.writeTextFileSync(`${tail}.new`, "");
      Deno.renameSync(`${tail}.new`, `${tail}-wal`);
    },
    lost: "tail.db-wal",
    kept: "tail.db",
  },
  {
    name: "database moved",
    harm: (tail) => Deno.renameSync(tail, `${tail}.away`),
    lost: "tail.db",
    kept: "tail.db.away",
  },
  {
    name: "database replaced by a copy",
    harm: (tail) => {
      Deno.linkSync(tail, `${tail}.away`);
      Deno.renameSync(`${tail}.copy`, tail);
    },
    lost: "tail.db",
    kept: "tail.db.away",
  },
  {
    name: "database replaced by a copy as a restore does it",
    harm: (tail) => {
      Deno.linkSync(tail, `${tail}.away`);
      Deno.removeSync(`${tail}-wal`);
      Deno.removeSync(`${tail}-shm`);
      Deno.renameSync(`${tail}.copy`, tail);
    },
    lost: "tail.db",
    kept: "tail.db.away",
  },
];

for (const { name, harm, isRead, lost, kept } of DAMAGES) {
  Deno.test(`createSinkCalls() acknowledges nothing that is lost with its files: ${name}`, () =>
    withDirectory(async (directory) => {
      const folder = `${directory}/events`;
      const tail = `${folder}/tail.db`;
      const sink = await openWithHistory(folder);
      const other = new DatabaseSync(tail, { timeout: 10_000 });
      if (isRead) other.exec("BEGIN");
      other.prepare("SELECT count(*) FROM batch").get();
      storeEvent(sink, "earlier");

      harm(tail);
      const reason = `"${folder}/${lost}" was removed or replaced`;
      assertThrows(() => storeEvent(sink, "later"), Error, reason);
      other.close();
      await assertRejects(() => sink.fileCheck(), Error, reason);
      assertThrows(() => storeEvent(sink, "later"), Error, reason);
      sink.fileClose();

      const again = createSinkCalls();
      again.fileOpen(folder);
      storeEvent(again, "again");
      again.fileClose();
      assertEquals(readFile(tail).integrity, "ok");
      assertEquals(readFile(tail).texts.includes('"again"'), true);
      assertEquals(readFile(`${folder}/${kept}`).texts.includes('"earlier"'), true);
      assertEquals(readFile(`${folder}/${kept}`).texts.includes('"later"'), false);
    }));
}

/** Events of a file. */
const FILE_EVENTS = 3;

/** What changes sealed files. */
const FILE_CHANGES: Readonly<Record<string, (store: FolderStore) => unknown>> = {
  "createUpkeep()": (store) => createUpkeep(store, FILE_EVENTS).run(),
  "sealTail()": (store) => sealTail(store, { isAged: true, fileEvents: FILE_EVENTS }),
  "sweepFolder()": (store) => sweepFolder(store),
  "removeEvents()": (store) => removeEvents(store, { isGone: ({ seq }) => seq === FILE_EVENTS + 1, onGone: () => {} }),
  "dropOlder()": (store) => dropOlder(store, Infinity),
};

Deno.test("nothing that goes on with a folder's database changes the files of the folder that took its place", async () => {
  for (const [name, change] of Object.entries(FILE_CHANGES)) {
    await withDirectory(async (directory) => {
      const folder = `${directory}/events`;
      const sink = createSinkCalls();
      sink.fileOpen(folder);
      const store = openFolder(folder);
      await sealMany(sink, store, "a");
      await sealMany(sink, store, "b");
      await backUp(folder, `${directory}/copy`);
      store.database.exec("DELETE FROM file WHERE number = 1");
      storeEvent(sink, "in the tail");
      Deno.renameSync(folder, `${directory}/away`);
      Deno.renameSync(`${directory}/copy`, folder);
      const restored = createSinkCalls();
      restored.fileOpen(folder);
      const other = openFolder(folder);
      await sealMany(restored, other, "c");
      const before = readSealedFiles(folder);

      await assertRejects(async () => await change(store), Error, `"${folder}/tail.db" was removed or replaced`);
      assertEquals(readSealedFiles(folder), before, name);
      assertEquals(before.map(([file]) => file), ["00000001.parquet", "00000002.parquet", "00000003.parquet"]);
      for (const { database } of [store, other]) database.close();
      for (const { fileClose } of [sink, restored]) fileClose();
    });
  }
});

/** Stores as many events as a file has, and seals them. */
async function sealMany(sink: SinkCalls, store: FolderStore, name: string): Promise<void> {
  for (let index = 0; index < FILE_EVENTS; index++) storeEvent(sink, `${name}-${index}`);
  await sealTail(store, { isAged: true, fileEvents: FILE_EVENTS });
}

/** Opens a folder that has some events in its tail; with a copy of the database beside it, of when there were fewer. */
async function openWithHistory(folder: string): Promise<SinkCalls> {
  const sink = createSinkCalls();
  sink.fileOpen(folder);
  storeEvent(sink, "first");
  sink.fileClose();
  await Deno.copyFile(`${folder}/tail.db`, `${folder}/tail.db.copy`);
  sink.fileOpen(folder);
  storeEvent(sink, "second");
  sink.fileClose();
  sink.fileOpen(folder);
  return sink;
}

function storeEvent(sink: SinkCalls, id: string): void {
  const [receivedAtMs, earliestMs] = [Date.now(), Date.now()];
  const texts = JSON.stringify(anEvent(id, {}));
  sink.fileCommit([{ apiKey: KEY, texts, pageviews: [], receivedAtMs, earliestMs }]);
}

/** Returns names and bytes of the sealed files. */
function readSealedFiles(folder: string): readonly (readonly [string, Uint8Array])[] {
  return listSealed(folder).map((name) => [name, Deno.readFileSync(`${folder}/${name}`)]);
}

function readFile(path: string): { readonly texts: string; readonly integrity: unknown } {
  using database = new DatabaseSync(path);
  const texts = database.prepare("SELECT texts FROM batch").all().map(({ texts }) => String(texts)).join("\n");
  return { texts, integrity: database.prepare("PRAGMA integrity_check").get()?.integrity_check };
}
