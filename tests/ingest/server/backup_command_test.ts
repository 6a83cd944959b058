import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { createSqliteSink } from "../../../src/ingest/mod.ts";
import { parseBackupCommand, runBackupCommand } from "../../../src/ingest/server/backup_command.ts";
import { ServerFault } from "../../../src/ingest/server/server_fault.ts";

const folder = Deno.makeTempDirSync();
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

Deno.test("backup says what is wrong, and leaves an older copy as it was", () => {
  const faultOf = (path: string, copyPath: string): string =>
    assertThrows(() => runBackupCommand({ path, copyPath }), ServerFault).message;
  const [other, copy] = [`${folder}/other.txt`, `${folder}/copy.db`];
  Deno.writeTextFileSync(other, "no database");
  Deno.writeTextFileSync(copy, "of before");

  assertThrows(() => parseBackupCommand(["events.db"]), ServerFault, "backup takes DATABASE COPY: see backup --help");
  assertMatch(faultOf(`${folder}/nowhere.db`, copy), /nowhere\.db can't be copied to .*copy\.db: unable to open/);
  assertMatch(faultOf(other, copy), /file is not a database/);
  assertEquals(Deno.readTextFileSync(copy), "of before");
  assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).toSorted(), ["copy.db", "other.txt"]);
});

Deno.test("backup replaces an older copy", async () => {
  const [path, copy] = [`${folder}/events.db`, `${folder}/copy.db`];
  const sink = await createSqliteSink({ path });
  Deno.writeTextFileSync(copy, "of before");

  Deno.writeTextFileSync(`${copy}.new`, "of one that was killed");
  assertThrows(
    () => runBackupCommand({ path, copyPath: copy }),
    ServerFault,
    "copy.db.new exists: another backup is under way; remove it if that has ended",
  );
  Deno.removeSync(`${copy}.new`);
  runBackupCommand({ path, copyPath: copy });
  await sink.close();
  const copied = await createSqliteSink({ path: copy });

  assertEquals(await copied.events(), []);
  await copied.close();
});
