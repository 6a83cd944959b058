/**
 * Commands that write a file, killed or ended at any moment: nothing looks whole that isn't, and the next one works.
 * `KILL_ROUNDS` says how often, 20 times by default.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createSqliteSink } from "../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { readKeysFile } from "../../src/ingest/server/cli/keys_file.ts";
import { anEvent } from "../ingest/stores/data_fixtures.ts";
import { KEY } from "../ingest/fixtures.ts";
import { batchOf } from "../ingest/stores/sink_contract.ts";
import { command, type IngestProcessOptions, runIngest } from "./ingest_process.ts";
import { DIRECTORY, testBothWithSqlite } from "./program.ts";

const KILLS = Number(Deno.env.get("KILL_ROUNDS") ?? 20);

const EVENTS = 10_000;

let storing: Promise<string> | undefined;

/** Stores events of a user, once; returns the path of the database. */
function storeOnce(): Promise<string> {
  storing ??= (async () => {
    const path = `${DIRECTORY}/events.db`;
    const sink = await createSqliteSink({ path });
    for (let first = 0; first < EVENTS; first += 5000) {
      const text = "x".repeat(500);
      const events = Array.from(
        { length: 5000 },
        (_, index) => anEvent(`e-${first + index}`, { userId: "ada", properties: { text } }),
      );
      await sink.store(batchOf(events));
    }
    await sink.close();
    return path;
  })();
  return storing;
}

/** A command that writes a file. */
interface Writer {
  readonly args: readonly string[];
  /** Whether the file, if it's there, is whole. */
  isWhole(): boolean;
}

/** Ends a command after a random share of the time that it takes; returns its exit code. */
async function endAtRandom(
  { args }: Writer,
  { tookMs, signal, options }: { tookMs: number; signal: Deno.Signal; options: IngestProcessOptions },
): Promise<number> {
  const child = command(args, options).spawn();
  const output = Promise.all([child.stdout.cancel(), child.stderr.cancel()]);
  const timer = setTimeout(() => {
    try {
      child.kill(signal);
    } catch {
      // It has ended.
    }
  }, Math.random() * tookMs * 1.1);
  const { code } = await child.status;
  clearTimeout(timer);
  await output;
  return code;
}

/** Runs a command to its end; returns how long it took, in milliseconds. */
async function measure({ args }: Writer, options: IngestProcessOptions): Promise<number> {
  const startedMs = performance.now();
  const { code, stderr } = await runIngest(args, options);
  assertEquals(code, 0, stderr);
  return performance.now() - startedMs;
}

function listFiles(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
}

async function createBackup(folder: string): Promise<Writer> {
  const copy = `${folder}/out`;
  return {
    args: ["backup", await storeOnce(), copy],
    isWhole: () => {
      using database = new DatabaseSync(copy, { readOnly: true });
      const rows = database.prepare("SELECT count(*) AS count FROM events").get();
      const check = database.prepare("PRAGMA quick_check").get();
      return rows?.count === EVENTS && check?.quick_check === "ok";
    },
  };
}

async function createExport(folder: string): Promise<Writer> {
  const out = `${folder}/out`;
  const sink = `sqlite:${await storeOnce()}`;
  return {
    args: ["data", "export", "--key", KEY, "--user-id", "ada", "--sink", sink, "--out", out],
    isWhole: () => {
      const lines = Deno.readTextFileSync(out).split("\n");
      return lines.length === EVENTS + 1 && lines.slice(0, -1).every((line) => line.endsWith("}"));
    },
  };
}

for (const [name, create] of [["backup", createBackup], ["data export", createExport]] as const) {
  Deno.test(`ingest ${name}, killed ${KILLS} times, leaves nothing that looks whole, and the next one works`, async () => {
    const folder = await Deno.makeTempDir({ dir: DIRECTORY });
    const writer = await create(folder);
    await measure(writer, {}); // the first one reads the program
    await Deno.remove(`${folder}/out`);
    const tookMs = await measure(writer, {});
    let [killed, drafts] = [0, 0];
    for (let kill = 0; kill < KILLS; kill++) {
      await Deno.remove(`${folder}/out`).catch(() => {});
      const code = await endAtRandom(writer, { tookMs, signal: "SIGKILL", options: {} });
      killed += Number(code !== 0);
      const files = listFiles(folder);
      drafts += Number(files.some((file) => file !== "out"));
      assertEquals(files.includes("out") && !writer.isWhole(), false);
      assert(code !== 0 || files.includes("out"));
    }
    await Deno.remove(`${folder}/out`).catch(() => {});
    await measure(writer, {});

    console.log(`${killed} of ${KILLS} killed, ${drafts} left a draft`);
    assertEquals([listFiles(folder), writer.isWhole()], [["out"], true]);
  });

  testBothWithSqlite(`${name} that a signal ends says so by its code, and leaves nothing`, async (options) => {
    const folder = await Deno.makeTempDir({ dir: DIRECTORY });
    const writer = await create(folder);
    const tookMs = await measure(writer, options);
    for (const signal of ["SIGTERM", "SIGINT", "SIGTERM", "SIGINT"] as const) {
      await Deno.remove(`${folder}/out`).catch(() => {});
      const code = await endAtRandom(writer, { tookMs, signal, options });
      const files = listFiles(folder);
      const isDone = files.includes("out");
      assertEquals(files, isDone ? ["out"] : []);
      assert(isDone ? writer.isWhole() : code !== 0);
    }
  });
}

Deno.test(`ingest keys, killed ${KILLS} times, leaves a whole file, and the next one works`, async () => {
  const folder = await Deno.makeTempDir({ dir: DIRECTORY });
  const path = `${folder}/keys.json`;
  const createNew = (name: string): Writer => ({
    args: ["keys", "new", name, "any", "--keys-file", path],
    isWhole: () => readKeysFile(path).length > 0,
  });
  const tookMs = await measure(createNew("first"), {});
  for (let kill = 0; kill < KILLS; kill++) {
    await endAtRandom(createNew(`killed-${kill}`), { tookMs, signal: "SIGKILL", options: {} });
    assert(createNew("").isWhole());
  }
  const before = readKeysFile(path).length;
  await Promise.all(["a", "b", "c"].map((name) => measure(createNew(name), {})));

  assertEquals([listFiles(folder), readKeysFile(path).length], [["keys.json"], before + 3]);
});

Deno.test(`ingest data erase, killed ${KILLS} times, says that nobody is erased who isn't, and the next one works`, async () => {
  const path = `${DIRECTORY}/${crypto.randomUUID()}.db`;
  const users = Array.from({ length: KILLS + 1 }, (_, user) => `user-${user}`);
  const sink = await createSqliteSink({ path });
  for (const userId of users) {
    const properties = { text: "x".repeat(500) };
    const ids = Array.from({ length: EVENTS / KILLS }, (_, index) => `${userId}-${index}`);
    await sink.store(batchOf(ids.map((id) => anEvent(id, { userId, properties }))));
  }
  await sink.close();
  const countOf = (userId: string): unknown => {
    using database = new DatabaseSync(path, { readOnly: true });
    const { count } = database.prepare("SELECT count(*) AS count FROM events WHERE id LIKE ?").get(`${userId}-%`) ?? {};
    return count;
  };
  const createErase = (userId: string): Writer => ({
    args: ["data", "erase", "--key", KEY, "--user-id", userId, "--sink", `sqlite:${path}`],
    isWhole: () => countOf(userId) === 0,
  });
  const [first = "", ...others] = users;
  const tookMs = await measure(createErase(first), {});
  let killed = 0;
  for (const userId of others) {
    const eraser = createErase(userId);
    const code = await endAtRandom(eraser, { tookMs, signal: "SIGKILL", options: {} });
    killed += Number(code !== 0);
    assert(code !== 0 || eraser.isWhole());
  }
  const left = others.filter((userId) => !createErase(userId).isWhole());
  for (const userId of left) await measure(createErase(userId), {});

  console.log(`${killed} of ${KILLS} killed, ${left.length} left events`);
  using database = new DatabaseSync(path, { readOnly: true });
  const check = database.prepare("PRAGMA quick_check").get();
  const { count } = database.prepare("SELECT count(*) AS count FROM events").get() ?? {};
  const records = (await Deno.readTextFile(`${path}-erasures`)).trimEnd().split("\n");
  assertEquals([check?.quick_check, count, records.length], ["ok", 0, users.length]);
});
