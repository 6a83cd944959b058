/**
 * Commands that write a file or a folder, killed or ended at any moment: nothing looks whole that isn't, and the next one works.
 * `KILL_ROUNDS` says how often, 20 times by default.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { StoredEvent } from "../../src/ingest/mod.ts";
import { readKeysFile } from "../../src/ingest/server/cli/keys_file.ts";
import { anEvent } from "../ingest/stores/data_fixtures.ts";
import { KEY } from "../ingest/fixtures.ts";
import { fillFolder, readFolder, readIds } from "./folder_events.ts";
import { command, type IngestProcessOptions, runIngest } from "./ingest_process.ts";
import { DIRECTORY, newFolder, testBothWithFolder } from "./program.ts";

const KILLS = Number(Deno.env.get("KILL_ROUNDS") ?? 20);

const EVENTS = 10_000;

let storing: Promise<string> | undefined;

/** Stores events of a user, once, half of them in a file; returns the path of the folder. */
function storeOnce(): Promise<string> {
  storing ??= (async () => {
    const path = `${DIRECTORY}/events`;
    const text = "x".repeat(500);
    const now = new Date().toISOString();
    const events = Array.from({ length: EVENTS }, (_, number) => {
      const when = number < EVENTS / 2 ? {} : { receivedAt: now };
      return anEvent(`e-${number}`, { ...when, userId: "ada", properties: { text } });
    });
    await fillFolder(path, { sealed: events.slice(0, EVENTS / 2), waiting: events.slice(EVENTS / 2) });
    return path;
  })();
  return storing;
}

/** A command that writes a file or a folder. */
interface Writer {
  readonly args: readonly string[];
  /** Whether that, if it's there, is whole. */
  isWhole(): Promise<boolean>;
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

async function remove(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch(() => {}); // it isn't there
}

function listFiles(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
}

async function createBackup(folder: string): Promise<Writer> {
  const copy = `${folder}/out`;
  return {
    args: ["backup", await storeOnce(), copy],
    isWhole: async () => (await readIds(copy)).length === EVENTS,
  };
}

async function createExport(folder: string): Promise<Writer> {
  const out = `${folder}/out`;
  const sink = `file:${await storeOnce()}`;
  return {
    args: ["data", "export", "--key", KEY, "--user-id", "ada", "--sink", sink, "--out", out],
    isWhole: async () => {
      const lines = (await Deno.readTextFile(out)).split("\n");
      return lines.length === EVENTS + 1 && lines.slice(0, -1).every((line) => line.endsWith("}"));
    },
  };
}

for (const [name, create] of [["backup", createBackup], ["data export", createExport]] as const) {
  Deno.test(`ingest ${name}, killed ${KILLS} times, leaves nothing that looks whole, and the next one works`, async () => {
    const folder = await Deno.makeTempDir({ dir: DIRECTORY });
    const writer = await create(folder);
    await measure(writer, {}); // the first one reads the program
    await remove(`${folder}/out`);
    const tookMs = await measure(writer, {});
    let [killed, drafts] = [0, 0];
    for (let kill = 0; kill < KILLS; kill++) {
      await remove(`${folder}/out`);
      const code = await endAtRandom(writer, { tookMs, signal: "SIGKILL", options: {} });
      killed += Number(code !== 0);
      const files = listFiles(folder);
      drafts += Number(files.some((file) => file !== "out"));
      assertEquals(files.includes("out") && !await writer.isWhole(), false);
      assert(code !== 0 || files.includes("out"));
    }
    await remove(`${folder}/out`);
    await measure(writer, {});

    console.log(`${killed} of ${KILLS} killed, ${drafts} left a draft`);
    assertEquals([listFiles(folder), await writer.isWhole()], [["out"], true]);
  });

  testBothWithFolder(`${name} that a signal ends says so by its code, and leaves nothing`, async (options) => {
    const folder = await Deno.makeTempDir({ dir: DIRECTORY });
    const writer = await create(folder);
    const tookMs = await measure(writer, options);
    for (const signal of ["SIGTERM", "SIGINT", "SIGTERM", "SIGINT"] as const) {
      await remove(`${folder}/out`);
      const code = await endAtRandom(writer, { tookMs, signal, options });
      const files = listFiles(folder);
      const isDone = files.includes("out");
      assertEquals(files, isDone ? ["out"] : []);
      assert(isDone ? await writer.isWhole() : code !== 0);
    }
  });
}

Deno.test(`ingest keys, killed ${KILLS} times, leaves a whole file, and the next one works`, async () => {
  const folder = await Deno.makeTempDir({ dir: DIRECTORY });
  const path = `${folder}/keys.json`;
  const createNew = (name: string): Writer => ({
    args: ["keys", "new", name, "any", "--keys-file", path],
    isWhole: () => Promise.resolve(readKeysFile(path).length > 0),
  });
  const tookMs = await measure(createNew("first"), {});
  for (let kill = 0; kill < KILLS; kill++) {
    await endAtRandom(createNew(`killed-${kill}`), { tookMs, signal: "SIGKILL", options: {} });
    assert(await createNew("").isWhole());
  }
  const before = readKeysFile(path).length;
  await Promise.all(["a", "b", "c"].map((name) => measure(createNew(name), {})));

  assertEquals([listFiles(folder), readKeysFile(path).length], [["keys.json"], before + 3]);
});

Deno.test(`ingest data erase, killed ${KILLS} times, says that nobody is erased who isn't, and the next one works`, async () => {
  const path = newFolder();
  const users = Array.from({ length: KILLS + 1 }, (_, user) => `user-${user}`);
  const now = new Date().toISOString();
  const build = (when: { readonly receivedAt?: string }): readonly StoredEvent[] =>
    users.flatMap((userId) =>
      Array.from({ length: EVENTS / KILLS / 2 }, (_, index) => {
        const id = `${userId}-${index}-${when.receivedAt ?? "sealed"}`;
        return anEvent(id, { ...when, userId, properties: { text: "x".repeat(500) } });
      })
    );
  await fillFolder(path, { sealed: build({}), waiting: build({ receivedAt: now }) });
  const createErase = (userId: string): Writer => ({
    args: ["data", "erase", "--key", KEY, "--user-id", userId, "--sink", `file:${path}`],
    isWhole: async () => !(await readFolder(path)).some((event) => event.userId === userId),
  });
  const [first = "", ...others] = users;
  const tookMs = await measure(createErase(first), {});
  let killed = 0;
  for (const userId of others) {
    const eraser = createErase(userId);
    const code = await endAtRandom(eraser, { tookMs, signal: "SIGKILL", options: {} });
    killed += Number(code !== 0);
    assert(code !== 0 || await eraser.isWhole());
  }
  const there = new Set((await readFolder(path)).map(({ userId }) => userId));
  const left = others.filter((userId) => there.has(userId));
  for (const userId of left) await measure(createErase(userId), {});

  console.log(`${killed} of ${KILLS} killed, ${left.length} left events`);
  const records = (await Deno.readTextFile(`${path}/erasures`)).trimEnd().split("\n");
  assertEquals([await readIds(path), records.length], [[], users.length]);
});
