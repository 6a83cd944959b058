import { assertEquals, assertThrows } from "@std/assert";
import { openRows } from "../../../../src/ingest/stores/file/folder_rows.ts";
import { followFolder, openReadOnly } from "../../../../src/ingest/stores/file/follow_folder.ts";
import { anEvent } from "../data_fixtures.ts";
import { batchOf } from "../sink_contract.ts";
import { createFileSink, withDirectory } from "./in_thread.ts";

/** Keeps SQLite from its file of locks, as a mount does that can't be written. */
async function mountReadOnly(folder: string): Promise<void> {
  await Deno.symlink(`${folder}/missing/shm`, `${folder}/tail.db-shm`);
}

Deno.test("openReadOnly() reads a folder that can't be written, unless its log has events", () =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder });
    await sink.store(batchOf([anEvent("a", {}), anEvent("b", {})]));
    await sink.close();
    await mountReadOnly(folder);

    assertThrows(() => openReadOnly(folder, () => true), Error, "unable to open database file");
    const database = openReadOnly(folder, () => false);
    const unit = await openRows({ database, folder })({ after: 0, isWhole: true });
    const ids = [...unit?.rows ?? []].map((row) => row.event().id);
    database.close();
    await Deno.writeTextFile(`${folder}/tail.db-wal`, "log");

    assertEquals(ids, ["a", "b"]);
    assertThrows(
      () => openReadOnly(folder, () => false),
      Error,
      "its tail.db-wal has events, which can be read where the folder can be written: copy it there",
    );
  }));

Deno.test("followFolder() sees who begins to write to a folder that couldn't be written when it was opened", () =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder });
    await sink.store(batchOf([anEvent("a", {})]));
    await sink.close();
    await mountReadOnly(folder);
    const followed = followFolder(folder, () => false);
    const count = (): number => followed.read((view) => view.batches(0).flatMap(({ texts }) => texts).length);
    const before = [followed.changed(), count(), followed.changed()];

    await Deno.writeTextFile(`${folder}/tail.db-wal`, "log");
    assertThrows(count, Error, "its tail.db-wal has events");
    assertThrows(() => followed.changed(), Error, "its tail.db-wal has events");
    for (const name of ["tail.db-wal", "tail.db-shm"]) await Deno.remove(`${folder}/${name}`);
    const again = await createFileSink({ path: folder });
    await again.store(batchOf([anEvent("b", {}), anEvent("c", {})]));
    const during = [followed.changed(), count(), followed.changed()];
    await again.close();
    followed.close();

    assertEquals([before, during], [[true, 1, false], [true, 3, false]]);
  }));

Deno.test("followFolder() reads again what somebody wrote to meanwhile, and gives up where that goes on", () =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder });
    await sink.store(batchOf([anEvent("a", {})]));
    await sink.close();
    await mountReadOnly(folder);
    const followed = followFolder(folder, () => false);
    let writes = 0;
    const write = (): void => Deno.utimeSync(`${folder}/tail.db`, writes, writes += 1);
    const isHalf = new Error("half of it is new");

    const again = followed.read(() => writes < 1 ? write() : "whole");
    const afterFault = followed.read(() => {
      if (writes >= 2) return "whole";
      write();
      throw isHalf;
    });
    assertThrows(() => followed.read(write), Error, "somebody writes to it all the time");
    assertThrows(
      () =>
        followed.read(() => {
          throw isHalf;
        }),
      Error,
      isHalf.message,
    );
    followed.close();

    assertEquals([again, afterFault, writes], ["whole", "whole", 5]);
  }));
