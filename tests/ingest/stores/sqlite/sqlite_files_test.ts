/**
 * What becomes of acknowledged events when the files of a database are moved while it is in use: what the threads of a
 * sink and of a reader do, within the thread of the test.
 *
 * @module
 */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createReaderCalls } from "../../../../src/ingest/stores/sqlite/worker/reader_calls.ts";
import { createSinkCalls } from "../../../../src/ingest/stores/sqlite/worker/sink_calls.ts";
import type { SinkCalls } from "../../../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { KEY } from "../../fixtures.ts";
import { withDirectory } from "./in_thread.ts";
import { STORED } from "../sink_contract.ts";

interface Damage {
  readonly name: string;
  /** Moves the files of the database. A copy of the file, of before the first event, is beside it. */
  readonly harm: (path: string) => void;
  /** Whether somebody reads meanwhile, and keeps the log from being copied into the file. */
  readonly isRead?: boolean;
  /** Whether the path is a link to the file, beside which SQLite keeps the log. */
  readonly isLinked?: boolean;
  /** The file that the reason names. */
  readonly lost: string;
  /** Where the events are afterwards that were acknowledged before. */
  readonly kept: string;
}

const DAMAGES: readonly Damage[] = [
  {
    name: "log removed",
    harm: (path) => Deno.removeSync(`${path}-wal`),
    lost: "events.db-wal",
    kept: "events.db",
  },
  {
    name: "log removed while somebody reads",
    harm: (path) => Deno.removeSync(`${path}-wal`),
    isRead: true,
    lost: "events.db-wal",
    kept: "events.db",
  },
  {
    name: "log removed of a file behind a link",
    harm: (path) => Deno.removeSync(path.replace("events.db", "data.db-wal")),
    isLinked: true,
    lost: "data.db-wal",
    kept: "data.db",
  },
  {
    name: "log replaced",
    harm: (path) => {
      Deno.writeTextFileSync(`${path}.new`, "");
      Deno.renameSync(`${path}.new`, `${path}-wal`);
    },
    lost: "events.db-wal",
    kept: "events.db",
  },
  {
    name: "file moved",
    harm: (path) => Deno.renameSync(path, `${path}.away`),
    lost: "events.db",
    kept: "events.db.away",
  },
  {
    name: "file replaced by a copy",
    harm: (path) => {
      Deno.linkSync(path, `${path}.away`);
      Deno.renameSync(`${path}.copy`, path);
    },
    lost: "events.db",
    kept: "events.db.away",
  },
  {
    name: "file replaced by a copy as a restore does it",
    harm: (path) => {
      Deno.linkSync(path, `${path}.away`);
      Deno.removeSync(`${path}-wal`);
      Deno.removeSync(`${path}-shm`);
      Deno.renameSync(`${path}.copy`, path);
    },
    lost: "events.db",
    kept: "events.db.away",
  },
];

for (const { name, harm, isRead, isLinked, lost, kept } of DAMAGES) {
  Deno.test(`createSinkCalls() acknowledges nothing that is lost with its files: ${name}`, () =>
    withDirectory(async (directory) => {
      const path = `${directory}/events.db`;
      if (isLinked) await Deno.symlink("data.db", path);
      const sink = await openWithHistory(path);
      const reader = createReaderCalls();
      const other = new DatabaseSync(path, { timeout: 10_000 });
      if (isRead) other.exec("BEGIN");
      other.prepare("SELECT count(*) FROM events").get();
      store(sink, "earlier");
      reader.sites(path, KEY);

      harm(path);
      const reason = `"${directory}/${lost}" was removed or replaced`;
      assertThrows(() => store(sink, "later"), Error, reason);
      other.close();
      await assertRejects(() => sink.check(), Error, reason);
      assertThrows(() => store(sink, "later"), Error, reason);
      sink.close();

      const again = createSinkCalls();
      again.open(path);
      store(again, "again");
      again.close();
      assertEquals(readFile(path).integrity, "ok");
      assertEquals(readFile(path).ids.includes("again"), true);
      assertEquals(readFile(`${directory}/${kept}`).ids.includes("earlier"), true);
      assertEquals(readFile(`${directory}/${kept}`).ids.includes("later"), false);
    }));
}

/** Opens a database that has some events in its file; with a copy of the file beside it, of when there were fewer. */
async function openWithHistory(path: string): Promise<SinkCalls> {
  const sink = createSinkCalls();
  sink.open(path);
  store(sink, "first");
  sink.close();
  await Deno.copyFile(path, `${path}.copy`);
  sink.open(path);
  store(sink, "second");
  sink.close();
  sink.open(path);
  return sink;
}

function store(sink: SinkCalls, id: string): void {
  sink.commit([{ apiKey: KEY, texts: [JSON.stringify({ ...STORED, id })] }]);
}

function readFile(path: string): { readonly ids: readonly string[]; readonly integrity: unknown } {
  using database = new DatabaseSync(path);
  const ids = database.prepare("SELECT id FROM events").all().map(({ id }) => String(id));
  return { ids, integrity: database.prepare("PRAGMA integrity_check").get()?.integrity_check };
}
