import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { createFileSink } from "../../../../src/ingest/stores/file/file_sink.ts";
import { parseBackupCommand, runBackupCommand } from "../../../../src/ingest/server/cli/backup_command.ts";
import type { FolderBackup } from "../../../../src/ingest/server/cli/backup_folder.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { until } from "../../stores/data_fixtures.ts";
import { STORED } from "../../stores/sink_contract.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";

/** Behind the last process that Linux gives an id. */
const GONE_PID = 2 ** 22 + 1;

function listFiles(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
}

Deno.test("backup reads a folder as --sink names it, and says what is wrong", () => {
  assertThrows(() => parseBackupCommand(["events"]), ServerFault, "backup takes FOLDER COPY: see backup --help");
  assertThrows(() => parseBackupCommand(["events", "-"]), ServerFault, "backup takes FOLDER COPY");
  assertEquals(parseBackupCommand(["file:events", "copy"]), { path: "events", copyPath: "copy" });
});

Deno.test("backup copies a folder, with the keys if asked, and puts the copy of before away", () =>
  withDirectory(async (directory) => {
    const [path, copyPath, keysPath] = [`${directory}/events`, `${directory}/copy`, `${directory}/its-keys.json`];
    Deno.writeTextFileSync(keysPath, "{}");
    const sink = await createFileSink({ path });
    // It arrived on an earlier day, and is sealed.
    await sink.store({ apiKey: "pk_1", events: [STORED] });
    await until(() => Promise.resolve(listFiles(path).includes("00000001.parquet")));

    const command = parseBackupCommand([`file:${path}`, copyPath, "--keys-file", keysPath]) as FolderBackup;
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
    const faulty = { path: `${directory}/none`, copyPath };

    await assertRejects(() => runBackupCommand(faulty), ServerFault);
    const afterFault = listFiles(directory);
    await runBackupCommand({ path, copyPath });

    // Who was killed between two names left no other copy.
    assertEquals(afterFault, ["copy.1.new", `copy.${GONE_PID}.old`, "copy.new", "events"]);
    // Process 1 is there, and the last is none of ours.
    assertEquals(listFiles(directory), ["copy", "copy.1.new", "copy.new", "events"]);

    // In a container, one with the same id may have been killed before it had removed what gave way.
    Deno.mkdirSync(`${copyPath}.${Deno.pid}.old`);
    Deno.writeTextFileSync(`${copyPath}.${Deno.pid}.old/00000001.parquet`, "of one that was killed");
    await runBackupCommand({ path, copyPath });
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
    assertMatch(await faultOf("theirs/text"), /is no folder/);
    assertMatch(await faultOf("none/copy"), /ENOENT|No such file/);
    await faultOf("broken-off", AbortSignal.abort());

    assertEquals(listFiles(directory), before);
  }));
