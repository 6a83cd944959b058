import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openFolder } from "../../../../src/ingest/stores/file/folder_store.ts";
import { openKnownIds } from "../../../../src/ingest/stores/file/known_ids.ts";
import { KEY } from "../../fixtures.ts";
import { anEvent } from "../data_fixtures.ts";
import { batchOf } from "../sink_contract.ts";
import { createFileSink, withDirectory } from "./in_thread.ts";

Deno.test("openKnownIds() loads the ids of a folder while another process has the lock, and takes over the rest", () =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder, fileEvents: 2 });
    await sink.store(batchOf(["a", "b", "c"].map((id) => anEvent(id, {}))));
    const { database, ...store } = openFolder(folder);
    const ids = openKnownIds({ database });
    const other = new DatabaseSync(`${store.folder}/tail.db`);

    other.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
    ids.load();
    const loaded = ids.size();
    other.exec("ROLLBACK");
    await sink.store(batchOf(["c", "d"].map((id) => anEvent(id, {}))));
    ids.follow();
    const fresh = ids.add(store.erasures.hashes.key(KEY).slice(0, 32), ["a", "d", "e"]);

    assertEquals([loaded, ids.size(), fresh], [3, 5, [2]]);
    other.close();
    database.close();
    await sink.close();
  }));
