/**
 * The commands `data`, beside the program that takes events.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { createFileSink } from "../../src/ingest/mod.ts";
import { EVENT, FULL, KEY } from "../ingest/fixtures.ts";
import { anEvent, damageEvents } from "../ingest/stores/data_fixtures.ts";
import { batchOf } from "../ingest/stores/sink_contract.ts";
import { fillFolder, type FolderEvent, listSealed, readFolder, readTexts } from "./folder_events.ts";
import { type IngestProcessOptions, runIngest, startIngest } from "./ingest_process.ts";
import { startLoad, until } from "./traffic.ts";
import { DIRECTORY, KEY_ARGS, newFolder, send, testBothWithFolder, testOnce } from "./program.ts";

const EVENTS = 100_000;

/** Events where it doesn't matter how long something takes. */
const FEW_EVENTS = 10_000;

/** Every tenth event is of the user who goes, and every fifth is in no file. */
const [SHARE, WAITING_SHARE] = [10, 5] as const;

const DAY_MS = 24 * 60 * 60 * 1000;

const storing = new Map<number, Promise<string>>();

/** Stores the events of a user and of many visitors, once; returns the path of the folder. */
function storeOnce(count: number): Promise<string> {
  const stored = storing.get(count) ?? store(count);
  storing.set(count, stored);
  return stored;
}

async function store(count: number): Promise<string> {
  const path = `${DIRECTORY}/people-${count}`;
  const now = new Date().toISOString();
  const sealed = count - count / WAITING_SHARE;
  const events = Array.from({ length: count }, (_, number) => {
    const session = `s-${Math.floor(number / 7)}`;
    const who = number % SHARE === 0 ? { userId: "gone" } : {};
    const when = number < sealed ? {} : { receivedAt: now };
    return anEvent(`e-${number}`, { ...who, ...when, anonymousId: `a-${number % 5000}`, sessionId: session });
  });
  await fillFolder(path, { sealed: events.slice(0, sealed), waiting: events.slice(sealed) });
  return path;
}

/** Copies a folder, or what is in it into another that is there. */
async function copyFolder(path: string, copy: string): Promise<void> {
  await Deno.mkdir(copy, { recursive: true });
  for (const { name } of Deno.readDirSync(path)) await Deno.copyFile(`${path}/${name}`, `${copy}/${name}`);
}

async function copyOfPeople(count = FEW_EVENTS): Promise<string> {
  const path = newFolder();
  await copyFolder(await storeOnce(count), path);
  return path;
}

/** Runs a command of `data` on a folder; returns what it says. */
async function runData(path: string, args: readonly string[], options: IngestProcessOptions): Promise<string> {
  const { code, stdout, stderr } = await runIngest(["data", ...args, "--sink", `file:${path}`], options);
  assertEquals(code, 0, stderr);
  return stdout;
}

async function count(path: string, isMeant: (event: FolderEvent) => boolean = () => true): Promise<number> {
  return (await readFolder(path)).filter(isMeant).length;
}

const isOfGone = ({ userId }: FolderEvent): boolean => userId === "gone";

const SUBJECT = ["--key", KEY, "--user-id", "gone"] as const;

testOnce(`takes batches while ${EVENTS / SHARE} of ${EVENTS} events are erased`, async (options) => {
  const path = await copyOfPeople(EVENTS);
  await using ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`], options);
  await using load = startLoad({
    endpoint: () => ingest.endpoint,
    prefix: crypto.randomUUID(),
    senders: 2,
    batchSize: 20,
  });

  const startedMs = performance.now();
  const erased = JSON.parse(await runData(path, ["erase", ...SUBJECT], options));
  const tookMs = performance.now() - startedMs;
  await load.stop();
  await ingest.end();

  console.log(`${Math.round(tookMs)} ms, beside ${load.acknowledged.size} events`);
  assertEquals([...load.statuses.keys()], [202]);
  assert(load.acknowledged.size > 0, "no batch came in between");
  assertEquals(erased.events, EVENTS / SHARE);
  const counts = [await count(path, isOfGone), await count(path)];
  assertEquals(counts, [0, EVENTS - EVENTS / SHARE + load.acknowledged.size]);
});

testOnce("writes its folder anew under a server that takes events", async (options) => {
  const path = await copyOfPeople();
  await using ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`], options);
  await using load = startLoad({
    endpoint: () => ingest.endpoint,
    prefix: crypto.randomUUID(),
    senders: 2,
    batchSize: 20,
  });

  const erased = JSON.parse(await runData(path, ["erase", ...SUBJECT, "--vacuum"], options));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await load.stop();
  const readiness = await fetch(`${ingest.origin}/readyz`);
  await readiness.text();
  await ingest.end();

  const texts = await readTexts(path);

  assertEquals([erased.events, erased.remains, readiness.status], [FEW_EVENTS / SHARE, "none", 200]);
  assertEquals(await count(path), FEW_EVENTS - FEW_EVENTS / SHARE + load.acknowledged.size);
  assertEquals([/\bgone\b/.test(texts), /\ba-1\b/.test(texts)], [false, true]);
});

testOnce("keeps away whom it erased: of a late page, and of a backup", async (options) => {
  const path = await copyOfPeople();
  const backup = await copyOfPeople();
  const args = [...KEY_ARGS, "--sink", `file:${path}`];
  await using ingest = await startIngest(args, options);
  const identity = { userId: "gone", anonymousId: "a-elsewhere" };
  const late = JSON.stringify({ ...FULL, identity, events: [{ ...EVENT, id: "late", identity }] });

  await runData(path, ["erase", ...SUBJECT], options);
  const answer = await send(ingest, late);
  const metrics = await (await fetch(`${ingest.origin}/metrics`)).text();
  // The records stay where they are.
  for (const { name } of Deno.readDirSync(path)) if (name !== "erasures") await Deno.remove(`${path}/${name}`);
  await copyFolder(backup, path);
  await ingest.end();
  await using again = await startIngest(args, options);
  const restored = await send(again, late);
  await restored.text();
  await until("nobody is back", async () => await count(path, isOfGone) === 0);
  const found = JSON.parse(await runData(path, ["find", ...SUBJECT], options));
  await again.end();

  assertEquals(restored.status, 202);
  assertEquals([answer.status, await answer.json()], [202, { accepted: 0, duplicates: 0 }]);
  assertStringIncludes(metrics, 'vendor_ingest_events_erased_total{key="key-1"} 1');
  assertEquals([found.events, await count(path)], [0, FEW_EVENTS - FEW_EVENTS / SHARE]);
});

testOnce("exports somebody's events into a file that nobody else can read", async (options) => {
  const path = await copyOfPeople();
  const out = `${path}.csv`;

  const lines = (await runData(path, ["export", ...SUBJECT], options)).trimEnd().split("\n");
  await runData(path, ["export", ...SUBJECT, "--format", "csv", "--out", out], options);
  await runData(path, ["export", ...SUBJECT, "--format", "parquet", "--out", `${path}.parquet`], options);
  const table = await parquetReadObjects({ file: (await Deno.readFile(`${path}.parquet`)).buffer });
  const rows = (await Deno.readTextFile(out)).trimEnd().split("\r\n");
  const mode = ((await Deno.stat(out)).mode ?? 0) & 0o777;

  assertEquals([lines.length, rows.length, mode], [FEW_EVENTS / SHARE, 1 + FEW_EVENTS / SHARE, 0o600]);
  assertEquals([table.length, table[1]?.user_id], [FEW_EVENTS / SHARE, "gone"]);
  assertEquals(JSON.parse(lines[1] ?? "").identity.userId, "gone");
  assertStringIncludes(rows[2] ?? "", '"gone"');
});

testBothWithFolder("says with exit code 1 that it can't read all of a damaged folder", async (options) => {
  const damageTail = (path: string): void => damageEvents(`${path}/tail.db`, 0);
  const damageFile = (path: string): void => Deno.truncateSync(`${path}/${listSealed(path)[0]}`, 1000);
  for (
    const { args, damage, message } of [
      { args: ["find", ...SUBJECT], damage: damageFile, message: "00000001.parquet" },
      { args: ["export", "--all"], damage: damageTail, message: "malformed" },
      { args: ["export", ...SUBJECT], damage: damageFile, message: "00000001.parquet" },
      { args: ["erase", ...SUBJECT], damage: damageTail, message: "malformed" },
    ]
  ) {
    const path = await copyOfPeople();
    damage(path);

    const { code, stderr } = await runIngest(["data", ...args, "--sink", `file:${path}`], options);

    assertEquals(code, 1, args.join(" "));
    assertStringIncludes(stderr, message);
  }
});

testOnce("deletes what is older than it keeps when it starts", async (options) => {
  const path = newFolder();
  const sink = await createFileSink({ path });
  const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
  await sink.store(batchOf([anEvent("old", { receivedAt: ago(31) })]));
  await sink.store(batchOf([anEvent("young", { timestamp: ago(29), receivedAt: ago(29) })]));
  await sink.close();

  await using ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`, "--keep", "30d"], options);
  const output = await ingest.until('"pruned"');
  await ingest.end();

  assertStringIncludes(output, '"message":"pruned","events":1,');
  assertEquals((await readFolder(path)).map(({ id }) => id), ["young"]);
});

testOnce("deletes nothing by age where a wrong clock would have everything deleted", async (options) => {
  const path = newFolder();
  const sink = await createFileSink({ path });
  const at = new Date(Date.now() - 800 * DAY_MS).toISOString();
  await sink.store(batchOf([anEvent("1", { timestamp: at, receivedAt: at })]));
  await sink.close();

  await using ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`, "--keep", "395d"], options);
  const output = await ingest.until('"nothing could be pruned"');
  await ingest.end();
  const args = ["data", "prune", "--keep", "395d", "--sink", `file:${path}`];
  const [pruned, tried] = [await runIngest(args, options), await runIngest([...args, "--dry-run"], options)];

  const reason =
    "nothing is deleted by age: no event is younger than 395 days by the clock of this machine, which says ";
  assertStringIncludes(output, `"level":"error","message":"nothing could be pruned","reason":"${reason}`);
  for (const { code, stderr } of [pruned, tried]) {
    assertEquals(code, 1);
    assertStringIncludes(stderr, reason);
  }
  assertEquals(await count(path), 1);
});
