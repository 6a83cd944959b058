import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { createSqliteSink } from "../../../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { createFileSink } from "../../../../src/ingest/stores/file/file_sink.ts";
import {
  type BackupCommand,
  parseBackupCommand,
  runBackupCommand,
} from "../../../../src/ingest/server/cli/backup_command.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { until } from "../../stores/data_fixtures.ts";
import { STORED } from "../../stores/sink_contract.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";

/** Behind the last process that Linux gives an id. */
const GONE_PID = 2 ** 22 + 1;

function listFiles(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
}

Deno.test("backup says what is wrong, and leaves an older copy as it was", () =>
  withDirectory(async (folder) => {
    const faultOf = async (path: string, copyPath: string): Promise<string> =>
      (await assertRejects(() => runBackupCommand({ path, copyPath }), ServerFault)).message;
    const [other, copy] = [`${folder}/other.txt`, `${folder}/copy.db`];
    Deno.writeTextFileSync(other, "no database");
    Deno.writeTextFileSync(copy, "of before");

    assertThrows(() => parseBackupCommand(["events.db"]), ServerFault, "backup takes FOLDER COPY: see backup --help");
    assertEquals(parseBackupCommand(["sqlite:events.db", "copy.db"]), { path: "events.db", copyPath: "copy.db" });
    assertThrows(() => parseBackupCommand(["events.db", "-"]), ServerFault, "backup takes FOLDER COPY");
    assertMatch(
      await faultOf(`${folder}/nowhere.db`, copy),
      /nowhere\.db can't be copied to .*copy\.db: unable to open/,
    );
    assertMatch(await faultOf(other, copy), /file is not a database/);
    assertMatch(
      await faultOf(copy, `${folder}/../${folder.split("/").at(-1)}/copy.db`),
      /copy\.db is one of the files of the store/,
    );
    assertEquals(Deno.readTextFileSync(copy), "of before");
    assertEquals(listFiles(folder), ["copy.db", "other.txt"]);
  }));

Deno.test("backup follows a link to a copy, and writes over nothing else than a copy", () =>
  withDirectory(async (folder) => {
    const path = `${folder}/events.db`;
    const sink = await createSqliteSink({ path });
    await sink.store({ apiKey: "pk_1", events: [] });
    Deno.linkSync(path, `${folder}/hard.db`);
    Deno.symlinkSync("events.db", `${folder}/link.db`);
    Deno.symlinkSync("link.db", `${folder}/chain.db`);
    Deno.symlinkSync("events.db-journal", `${folder}/journal.db`);
    Deno.symlinkSync("loop.db", `${folder}/loop.db`);
    Deno.mkdirSync(`${folder}/inner`);
    Deno.symlinkSync("../events.db-erasures", `${folder}/inner/erasures.db`);
    Deno.symlinkSync("inner", `${folder}/folder`);
    new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
    Deno.writeTextFileSync(`${folder}/used.db`, "of another");
    Deno.writeTextFileSync(`${folder}/used.db-wal`, "of another");
    const before = listFiles(folder);
    const faultOf = async (copy: string, from = path): Promise<string> =>
      (await assertRejects(() => runBackupCommand({ path: from, copyPath: `${folder}/${copy}` }), ServerFault)).message;

    for (
      const name of [
        ...["events.db", "hard.db", "link.db", "chain.db", "journal.db", "inner/erasures.db", "folder/erasures.db"],
        ...["events.db-wal", "events.db-shm", "events.db-journal", "events.db-erasures", "events.db-report-secret"],
      ]
    ) assertMatch(await faultOf(name), /is one of the files of the store$/, name);
    assertMatch(await faultOf("events.db", `${folder}/link.db`), /is one of the files of the store$/);
    for (const name of ["pipe", "inner", "folder/"]) assertMatch(await faultOf(name), /is no regular file$/, name);
    assertMatch(await faultOf("loop.db"), /ELOOP|too many/i);
    assertMatch(await faultOf("used.db"), /used\.db-wal is there: a process has .*used\.db open, or left it so$/);
    assertEquals(listFiles(folder), before);
    await sink.check?.();

    Deno.writeTextFileSync(`${folder}/inner/copy.db`, "of before");
    Deno.symlinkSync("inner/copy.db", `${folder}/copy.db`);
    Deno.symlinkSync("inner/new.db", `${folder}/new.db`);
    for (const name of ["copy.db", "new.db"]) {
      await runBackupCommand({ path, copyPath: `${folder}/${name}` });
      assertEquals(Deno.lstatSync(`${folder}/${name}`).isSymlink, true);
      assertEquals(Deno.readTextFileSync(`${folder}/inner/${name}`).startsWith("SQLite format 3"), true);
    }
    await sink.close();
  }));

Deno.test("backup replaces an older copy, and removes what a process left that is gone", () =>
  withDirectory(async (folder) => {
    const [path, copy] = [`${folder}/events.db`, `${folder}/copy.db`];
    const sink = await createSqliteSink({ path });
    Deno.writeTextFileSync(copy, "of before");
    for (const left of [`.${Deno.pid}.new`, `.${GONE_PID}.new`, ".1.new", ".old.new"]) {
      Deno.mkdirSync(`${copy}${left}`);
      for (const name of ["file", "file-journal"]) {
        Deno.writeTextFileSync(`${copy}${left}/${name}`, "of one that was killed");
      }
    }

    await runBackupCommand({ path, copyPath: copy });
    await sink.close();
    const copied = await createSqliteSink({ path: copy });
    const events = await copied.events();
    await copied.close();

    assertEquals(events, []);
    // Process 1 is there, and the last is none of ours.
    assertEquals(listFiles(folder), ["copy.db", "copy.db.1.new", "copy.db.old.new", "events.db"]);
  }));

Deno.test("backup that is broken off leaves an older copy as it was, and nothing of its own", () =>
  withDirectory(async (folder) => {
    const [path, copy] = [`${folder}/events.db`, `${folder}/copy.db`];
    const sink = await createSqliteSink({ path });
    Deno.writeTextFileSync(copy, "of before");
    const controller = new AbortController();

    const running = runBackupCommand({ path, copyPath: copy }, controller.signal);
    const meanwhile = listFiles(folder).filter((name) => name.startsWith("copy"));
    controller.abort();
    const files = listFiles(folder).filter((name) => name.startsWith("copy"));
    await assertRejects(() => running, ServerFault);
    await sink.close();

    assertEquals([meanwhile, files], [["copy.db", `copy.db.${Deno.pid}.new`], ["copy.db"]]);
    assertEquals(Deno.readTextFileSync(copy), "of before");
  }));

Deno.test("backup copies a folder, with the keys if asked, and puts the copy of before away", () =>
  withDirectory(async (directory) => {
    const [path, copyPath, keysPath] = [`${directory}/events`, `${directory}/copy`, `${directory}/its-keys.json`];
    Deno.writeTextFileSync(keysPath, "{}");
    const sink = await createFileSink({ path });
    // It arrived on an earlier day, and is sealed.
    await sink.store({ apiKey: "pk_1", events: [STORED] });
    await until(() => Promise.resolve(listFiles(path).includes("00000001.parquet")));

    const command = parseBackupCommand([`file:${path}`, copyPath, "--keys-file", keysPath]) as BackupCommand;
    const said = [await runBackupCommand(command), await runBackupCommand({ path, copyPath })];
    await sink.close();
    const restored = await createFileSink({ path: copyPath });
    const events = await restored.events();
    await restored.close();

    assertEquals(said, [`${copyPath} is a copy of ${path}`, `${copyPath} is a copy of ${path}`]);
    assertEquals(events, [STORED]);
    assertEquals(listFiles(directory), ["copy", "events", "its-keys.json"]);
  }));

Deno.test("backup of a folder removes what a process left that is gone, and what gave way last", () =>
  withDirectory(async (directory) => {
    const [path, copyPath] = [`${directory}/events`, `${directory}/copy`];
    await (await createFileSink({ path })).close();
    for (const left of [`.${Deno.pid}.new`, `.${GONE_PID}.new`, `.${GONE_PID}.old`, ".1.new", ".new"]) {
      Deno.mkdirSync(`${copyPath}${left}`);
      Deno.writeTextFileSync(`${copyPath}${left}/00000001.parquet`, "of one that was killed");
    }
    const faulty = { path: `${directory}/none`, copyPath, isFolder: true };

    await assertRejects(() => runBackupCommand(faulty), ServerFault);
    const afterFault = listFiles(directory);
    await runBackupCommand({ path, copyPath });

    // Who was killed between two names left no other copy.
    assertEquals(afterFault, ["copy.1.new", `copy.${GONE_PID}.old`, "copy.new", "events"]);
    // Process 1 is there, and the last is none of ours.
    assertEquals(listFiles(directory), ["copy", "copy.1.new", "copy.new", "events"]);
  }));

Deno.test("backup of a folder writes over nothing else than a copy, and leaves nothing of one that is broken off", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    await (await createFileSink({ path })).close();
    Deno.mkdirSync(`${directory}/theirs`);
    Deno.writeTextFileSync(`${directory}/theirs/text`, "of another");
    Deno.symlinkSync("events", `${directory}/link`);
    const before = listFiles(directory);
    const faultOf = async (copy: string, signal?: AbortSignal): Promise<string> =>
      (await assertRejects(() => runBackupCommand({ path, copyPath: `${directory}/${copy}` }, signal), ServerFault))
        .message;

    for (const copy of ["events", "link", "events/copy", "."]) {
      assertMatch(await faultOf(copy), /is the folder of events, or in it/);
    }
    assertMatch(await faultOf("theirs"), /holds something else/);
    assertMatch(await faultOf("none/copy"), /ENOENT|No such file/);
    await faultOf("broken-off", AbortSignal.abort());

    assertEquals(listFiles(directory), before);
  }));
