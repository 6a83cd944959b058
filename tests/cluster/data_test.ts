/**
 * The commands `data`, beside the program that takes events.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { DatabaseSync } from "node:sqlite";
import { createSqliteSink } from "../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { EVENT, FULL, KEY } from "../ingest/fixtures.ts";
import { anEvent, bytesOf, damageEvents } from "../ingest/stores/data_fixtures.ts";
import { batchOf } from "../ingest/stores/sink_contract.ts";
import { type IngestProcessOptions, runIngest, startIngest } from "./ingest_process.ts";
import { startLoad, until } from "./traffic.ts";
import { DIRECTORY, KEY_ARGS, send, testBothWithSqlite } from "./program.ts";

const EVENTS = 100_000;

/** Every tenth event is of the user who goes. */
const SHARE = 10;

const BATCH = 5_000;

const DAY_MS = 24 * 60 * 60 * 1000;

let storing: Promise<string> | undefined;

/** Stores the events of a user and of many visitors, once; returns the path of the database. */
function storeOnce(): Promise<string> {
  storing ??= (async () => {
    const path = `${DIRECTORY}/people.db`;
    const sink = await createSqliteSink({ path });
    for (let first = 0; first < EVENTS; first += BATCH) {
      const events = Array.from({ length: BATCH }, (_, index) => {
        const number = first + index;
        const session = `s-${Math.floor(number / 7)}`;
        const who = number % SHARE === 0 ? { userId: "gone" } : {};
        return anEvent(`e-${number}`, { ...who, anonymousId: `a-${number % 5000}`, sessionId: session });
      });
      await sink.store(batchOf(events));
    }
    await sink.close();
    return path;
  })();
  return storing;
}

async function copyOfPeople(): Promise<string> {
  const path = `${DIRECTORY}/${crypto.randomUUID()}.db`;
  await Deno.copyFile(await storeOnce(), path);
  return path;
}

/** Runs a command of `data` on a database; returns what it says. */
async function runData(path: string, args: readonly string[], options: IngestProcessOptions): Promise<string> {
  const { code, stdout, stderr } = await runIngest(["data", ...args, "--sink", `sqlite:${path}`], options);
  assertEquals(code, 0, stderr);
  return stdout;
}

function count(path: string, condition = "true"): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare(`SELECT count(*) AS count FROM events WHERE ${condition}`).get();
  database.close();
  return Number(row?.count);
}

const OF_GONE = "event ->> '$.identity.userId' = 'gone'";

const SUBJECT = ["--key", KEY, "--user-id", "gone"] as const;

testBothWithSqlite(`takes batches while ${EVENTS / SHARE} of ${EVENTS} events are erased`, async (options) => {
  const path = await copyOfPeople();
  await using ingest = await startIngest([...KEY_ARGS, "--sink", `sqlite:${path}`], options);
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
  assertEquals([count(path, OF_GONE), count(path)], [0, EVENTS - EVENTS / SHARE + load.acknowledged.size]);
});

testBothWithSqlite("writes its file anew under a server that takes events", async (options) => {
  const path = await copyOfPeople();
  await using ingest = await startIngest([...KEY_ARGS, "--sink", `sqlite:${path}`], options);
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

  const bytes = await bytesOf(path);

  assertEquals([erased.events, erased.remains, readiness.status], [EVENTS / SHARE, "none", 200]);
  assertEquals(count(path), EVENTS - EVENTS / SHARE + load.acknowledged.size);
  assertEquals([bytes.includes('"gone"'), bytes.includes('"a-1"')], [false, true]);
});

testBothWithSqlite("keeps away whom it erased: of a late page, and of a backup", async (options) => {
  const path = await copyOfPeople();
  const backup = `${path}.backup`;
  await Deno.copyFile(path, backup);
  const args = [...KEY_ARGS, "--sink", `sqlite:${path}`];
  await using ingest = await startIngest(args, options);
  const identity = { userId: "gone", anonymousId: "a-elsewhere" };
  const late = JSON.stringify({ ...FULL, identity, events: [{ ...EVENT, id: "late", identity }] });

  await runData(path, ["erase", ...SUBJECT], options);
  const answer = await send(ingest, late);
  const metrics = await (await fetch(`${ingest.origin}/metrics`)).text();
  await Deno.rename(backup, path);
  for (const suffix of ["-wal", "-shm"]) await Deno.remove(`${path}${suffix}`).catch(() => {});
  await ingest.end();
  await using again = await startIngest(args, options);
  const restored = await send(again, late);
  await restored.text();
  await until("nobody is back", () => count(path, OF_GONE) === 0);
  const found = JSON.parse(await runData(path, ["find", ...SUBJECT], options));
  await again.end();

  assertEquals(restored.status, 202);
  assertEquals([answer.status, await answer.json()], [202, { accepted: 0, duplicates: 0 }]);
  assertStringIncludes(metrics, 'vendor_ingest_events_erased_total{key="key-1"} 1');
  assertEquals([found.events, count(path)], [0, EVENTS - EVENTS / SHARE]);
});

testBothWithSqlite("exports somebody's events into a file that nobody else can read", async (options) => {
  const path = await copyOfPeople();
  const out = `${path}.csv`;

  const lines = (await runData(path, ["export", ...SUBJECT], options)).trimEnd().split("\n");
  await runData(path, ["export", ...SUBJECT, "--format", "csv", "--out", out], options);
  await runData(path, ["export", ...SUBJECT, "--format", "parquet", "--out", `${path}.parquet`], options);
  const table = await parquetReadObjects({ file: (await Deno.readFile(`${path}.parquet`)).buffer });
  const rows = (await Deno.readTextFile(out)).trimEnd().split("\r\n");
  const mode = ((await Deno.stat(out)).mode ?? 0) & 0o777;

  assertEquals([lines.length, rows.length, mode], [EVENTS / SHARE, 1 + EVENTS / SHARE, 0o600]);
  assertEquals([table.length, table[1]?.user_id], [EVENTS / SHARE, "gone"]);
  assertEquals(JSON.parse(lines[1] ?? "").identity.userId, "gone");
  assertStringIncludes(rows[2] ?? "", '"gone"');
});

testBothWithSqlite("says with exit code 1 that it can't read all of a damaged file", async (options) => {
  for (
    const [index, args] of [["find", ...SUBJECT], ["export", "--all"], ["export", ...SUBJECT], ["erase", ...SUBJECT]]
      .entries()
  ) {
    const path = await copyOfPeople();
    damageEvents(path, 0.2 + 0.2 * index);

    const { code, stderr } = await runIngest(["data", ...args, "--sink", `sqlite:${path}`], options);

    assertEquals(code, 1, args.join(" "));
    assertStringIncludes(stderr, "malformed");
  }
});

testBothWithSqlite("deletes what is older than it keeps when it starts", async (options) => {
  const path = `${DIRECTORY}/${crypto.randomUUID()}.db`;
  const sink = await createSqliteSink({ path });
  const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
  await sink.store(batchOf([anEvent("old", { receivedAt: ago(31) })]));
  await sink.store(batchOf([anEvent("young", { timestamp: ago(29), receivedAt: ago(29) })]));
  await sink.close();

  await using ingest = await startIngest([...KEY_ARGS, "--sink", `sqlite:${path}`, "--keep", "30d"], options);
  const output = await ingest.until('"pruned"');
  await ingest.end();

  assertStringIncludes(output, '"message":"pruned","events":1,');
  assertEquals([count(path), count(path, "id = 'young'")], [1, 1]);
});

testBothWithSqlite("deletes nothing by age where a wrong clock would have everything deleted", async (options) => {
  const path = `${DIRECTORY}/${crypto.randomUUID()}.db`;
  const sink = await createSqliteSink({ path });
  const at = new Date(Date.now() - 800 * DAY_MS).toISOString();
  await sink.store(batchOf([anEvent("1", { timestamp: at, receivedAt: at })]));
  await sink.close();

  await using ingest = await startIngest([...KEY_ARGS, "--sink", `sqlite:${path}`, "--keep", "395d"], options);
  const output = await ingest.until('"nothing could be pruned"');
  await ingest.end();
  const args = ["data", "prune", "--keep", "395d", "--sink", `sqlite:${path}`];
  const [pruned, tried] = [await runIngest(args, options), await runIngest([...args, "--dry-run"], options)];

  const reason =
    "nothing is deleted by age: no event is younger than 395 days by the clock of this machine, which says ";
  assertStringIncludes(output, `"level":"error","message":"nothing could be pruned","reason":"${reason}`);
  for (const { code, stderr } of [pruned, tried]) {
    assertEquals(code, 1);
    assertStringIncludes(stderr, reason);
  }
  assertEquals(count(path), 1);
});
