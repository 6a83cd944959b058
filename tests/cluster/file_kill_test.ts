/**
 * A sink of files, killed while it seals, again and again. `KILL_ROUNDS` says how often, 20 by default.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createFileData } from "../../src/ingest/stores/file/file_data.ts";
import { createFileSink } from "../../src/ingest/stores/file/file_sink.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 20);

const BATCH_EVENTS = 50;

/** A round is killed so long after its first answer, at most: several files are sealed in that time. */
const MAX_ROUND_MS = 1500;

const PROGRAM = new URL("./fill_folder.ts", import.meta.url).pathname;

const IMPORT_MAP = new URL("../offline/import_map.json", import.meta.url).pathname;

Deno.test(`kill -9 while events are sealed, ${ROUNDS} rounds: what was acknowledged is in the folder, once`, async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/events`;
  const acknowledged = new Set<number>();
  let [next, orphans, drafts] = [0, 0, 0];

  for (let round = 0; round < ROUNDS; round++) {
    for (const number of await fillAndKill(path, next)) acknowledged.add(number);
    next = Math.max(next, ...acknowledged) + 100;
    const left = countLeftovers(path);
    orphans += left.orphans;
    drafts += left.drafts;
    // Before anything else is written: the next sink sweeps, and may seal.
    if (round % 5 === 4) await checkFolder(path, acknowledged);
  }
  // A younger one may be of another process.
  const hourAgo = new Date(Date.now() - 60 * 60 * 1000);
  for (const { name } of Deno.readDirSync(path)) {
    if (name.endsWith(".new")) Deno.utimeSync(`${path}/${name}`, hourAgo, hourAgo);
  }
  const sink = await createFileSink({ path });
  await sink.check?.();
  await sink.close();
  const stored = await checkFolder(path, acknowledged);
  const { sealed, ...left } = countLeftovers(path);
  await Deno.remove(directory, { recursive: true });

  console.log(
    `${ROUNDS} kills, ${sealed} files sealed: ${
      acknowledged.size * BATCH_EVENTS
    } events acknowledged, ${stored} stored; ` +
      `${drafts} files without a name were left, and ${orphans} that weren't registered`,
  );
  assert(sealed >= ROUNDS, `only ${sealed} files were sealed`);
  assertEquals([left.drafts, left.orphans], [0, 0]);
});

/** Fills the folder for a while; returns the numbers of the batches that were acknowledged. */
async function fillAndKill(path: string, first: number): Promise<readonly number[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-lock", "--import-map", IMPORT_MAP, PROGRAM, path, String(first)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    timer ??= setTimeout(() => child.kill("SIGKILL"), Math.random() * MAX_ROUND_MS);
  }
  clearTimeout(timer);
  const { signal } = await child.status;
  assertEquals(signal, "SIGKILL");
  // The last line may have been cut.
  return text.split("\n").slice(0, -1).map(Number);
}

/** Checks that all that was acknowledged is there, and nothing twice; returns how many events there are. */
async function checkFolder(path: string, acknowledged: ReadonlySet<number>): Promise<number> {
  const data = createFileData({ path });
  const ids = (await Array.fromAsync(data.exportAll())).map(({ event: { id } }) => id);
  await data.close();
  const stored = new Set(ids);
  const missing = [...acknowledged].filter((number) => !stored.has(`${number}-0`) || !stored.has(`${number}-49`));
  assertEquals([missing, ids.length - stored.size], [[], 0]);
  return ids.length;
}

/** Counts the files of a folder that are registered, and what a kill has left. */
function countLeftovers(
  path: string,
): { readonly sealed: number; readonly orphans: number; readonly drafts: number } {
  using database = new DatabaseSync(`${path}/tail.db`);
  const known = new Set(database.prepare("SELECT number FROM file").all().map(({ number }) => Number(number)));
  const names = [...Deno.readDirSync(path)].map(({ name }) => name);
  return {
    sealed: known.size,
    orphans: names.filter((name) => name.endsWith(".parquet") && !known.has(Number.parseInt(name))).length,
    drafts: names.filter((name) => name.endsWith(".new")).length,
  };
}
