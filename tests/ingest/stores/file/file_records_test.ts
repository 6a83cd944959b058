import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { DatabaseSync } from "node:sqlite";
import { createFileData as createFileDataInThread } from "../../../../src/ingest/mod.ts";
import { KEY } from "../../fixtures.ts";
import { SHARED } from "../data_contract.ts";
import { anEvent } from "../data_fixtures.ts";
import { batchOf } from "../sink_contract.ts";
import { createFileData, createFileSink, withDirectory } from "./in_thread.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

const aged = (id: string, anonymousId: string, days: number) =>
  anEvent(id, { anonymousId, timestamp: ago(days), receivedAt: ago(days) });

Deno.test("a sink refuses a file of erasures that it can't read", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    await (await createFileSink({ path })).close();
    await Deno.writeTextFile(`${path}/erasures`, "{}\n");

    await assertRejects(() => createFileSink({ path }), Error, "its line 1 is no record of an erasure");
  }));

Deno.test("prune() deletes what the records of another machine name", () =>
  withDirectory(async (directory) => {
    const [path, other] = [`${directory}/events`, `${directory}/other`];
    const [first, data] = [await createFileSink({ path }), createFileData({ path })];
    await first.store(batchOf(SHARED));
    await data.erase({ apiKey: KEY, anonymousId: "a-3" });
    await first.close();
    const sink = await createFileSink({ path: other });
    await sink.store(batchOf(SHARED));
    await sink.close();
    await Deno.copyFile(`${path}/erasures`, `${other}/erasures`);

    const here = createFileData({ path: other });
    const tried = await here.prune({ dryRun: true });
    const pruned = await here.prune({});
    const again = await here.prune({});
    await Promise.all([data.close(), here.close()]);

    assertEquals([tried.events, tried.corrected, tried.erasures], [0, 1, 0]);
    assertEquals([pruned.events, pruned.corrected, pruned.erasures], [0, 1, 0]);
    assertEquals(again.corrected, 0);
  }));

Deno.test("prune() counts once on a dry run what is old and erased as well", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const events = [aged("1", "a-1", 20), aged("2", "a-2", 20), aged("3", "a-1", 2), aged("4", "a-2", 2)];
    const [first, data] = [await createFileSink({ path }), createFileData({ path })];
    await first.store(batchOf(events));
    await first.close();
    const backup = listFiles(path).map((name) => [name, Deno.readFileSync(`${path}/${name}`)] as const);
    await data.erase({ apiKey: KEY, anonymousId: "a-1" });

    for (const [name, bytes] of backup) Deno.writeFileSync(`${path}/${name}`, bytes);
    const tried = await data.prune({ keepDays: 10, dryRun: true });
    const pruned = await data.prune({ keepDays: 10 });
    await data.close();

    assertEquals([tried.events, tried.corrected, tried.erasures], [1, 2, 0]);
    assertEquals([pruned.events, pruned.corrected, pruned.erasures], [1, 2, 0]);
  }));

Deno.test("prune() forgets no record, and deletes what records name, where the newest event would go", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [first, data] = [await createFileSink({ path }), createFileData({ path })];
    await first.store(batchOf(SHARED));
    await first.close();
    const backup = listFiles(path).map((name) => [name, Deno.readFileSync(`${path}/${name}`)] as const);
    await data.erase({ apiKey: KEY, anonymousId: "a-1" });
    const records = await Deno.readTextFile(`${path}/erasures`);
    for (const [name, bytes] of backup) Deno.writeFileSync(`${path}/${name}`, bytes);
    {
      using time = new FakeTime(Date.now() + 800 * DAY_MS);
      for (const ages of [{ keepDays: 395 }, { keepErasuresDays: 395 }]) {
        const pruning = data.prune(ages);
        const refused = assertRejects(() => pruning, Error, "no event is younger than 395 days by the clock");
        await time.tickAsync(1000);
        await refused;
      }
    }
    const left = (await Array.fromAsync(data.exportAll())).map(({ event: { id } }) => id);
    await data.close();

    assertEquals(left, ["elsewhere", "stranger", "counted"]);
    assertEquals(await Deno.readTextFile(`${path}/erasures`), records);
  }));

Deno.test("prune() keeps the allowance", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path }), createFileData({ path })];
    const old = ago(20);
    await sink.store(batchOf([anEvent("old", { name: "$pageview", receivedAt: old })]));
    await sink.store(batchOf([anEvent("young", { timestamp: ago(19), receivedAt: ago(19) })]));

    const pruned = await data.prune({ keepDays: 19.5 });
    const pageviews = await sink.pageviews(KEY, old.slice(0, "2026-01".length));
    await Promise.all([sink.close(), data.close()]);

    assertEquals([pruned.events, pruned.corrected, pruned.erasures], [1, 0, 0]);
    assertEquals(pageviews, 1);
  }));

Deno.test("prune() forgets old records, in the file as well", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    await (await createFileSink({ path })).close();
    await Deno.writeTextFile(
      `${path}/erasures`,
      JSON.stringify({ key: "0".repeat(32), kind: "user", id: "1".repeat(32), erasedAt: "2026-01-01T00:00:00.000Z" }),
    );
    const [sink, data] = [await createFileSink({ path }), createFileData({ path })];
    await data.erase({ apiKey: KEY, userId: "ada" });
    await data.prune({});

    const tried = await data.prune({ keepErasuresDays: 8, dryRun: true });
    const { erasures } = await data.prune({ keepErasuresDays: 8 });
    const lines = (await Deno.readTextFile(`${path}/erasures`)).trim().split("\n");
    await Promise.all([sink.close(), data.close()]);

    assertEquals([tried.erasures, erasures, lines.length], [1, 1, 1]);
    assertEquals(JSON.parse(lines[0] ?? "").kind, "user");
    assertEquals(lines[0]?.includes("ada"), false);
  }));

Deno.test("erase() keeps its records in a file that nobody else can read", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path }), createFileData({ path })];
    await sink.store(batchOf(SHARED));
    await data.erase({ apiKey: KEY, userId: "ada" });

    const mode = (Deno.statSync(`${path}/erasures`).mode ?? 0) & 0o777;
    await Promise.all([sink.close(), data.close()]);

    assertEquals(mode, 0o600);
  }));

Deno.test({
  name: "erase() as root leaves its records to the owner of the database",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  fn: () =>
    withDirectory(async (directory) => {
      const path = `${directory}/events`;
      const [sink, data] = [await createFileSink({ path }), createFileData({ path })];
      await sink.store(batchOf(SHARED));
      await Deno.chown(`${path}/tail.db`, 1234, 1235);
      await Deno.chmod(`${path}/tail.db`, 0o640);

      await data.erase({ apiKey: KEY, userId: "ada" });
      const { uid, gid, mode } = await Deno.stat(`${path}/erasures`);
      await Promise.all([sink.close(), data.close()]);

      assertEquals([uid, gid, (mode ?? 0) & 0o777], [1234, 1235, 0o640]);
    }),
});

Deno.test("a sink makes the file of erasures anew when it is missing or lacks one", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [first, data] = [await createFileSink({ path }), createFileData({ path })];
    await first.store(batchOf(SHARED));
    await data.erase({ apiKey: KEY, userId: "ada" });
    await data.erase({ apiKey: KEY, userId: "bob" });
    await Promise.all([first.close(), data.close()]);
    const whole = await Deno.readTextFile(`${path}/erasures`);
    const reopen = async (): Promise<string> => {
      await (await createFileSink({ path })).close();
      return await Deno.readTextFile(`${path}/erasures`);
    };

    await Deno.remove(`${path}/erasures`);
    const afterLoss = await reopen();
    await Deno.writeTextFile(`${path}/erasures`, `${whole.split("\n")[0]}\n`);
    const afterCut = await reopen();

    assertEquals([afterLoss, afterCut], [whole, whole]);
  }));

Deno.test("prune() lets batches in while somebody reads for long", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path }), createFileDataInThread({ path })];
    const now = ago(0);
    const store = (id: string): Promise<unknown> =>
      sink.store(batchOf([anEvent(id, { timestamp: now, receivedAt: now })])); // rejects where the lock is kept
    await store("1");
    const reader = new DatabaseSync(`${path}/tail.db`, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM batch").get();
    await store("2");

    const pruning = data.prune({ keepDays: 9999 });
    for (let index = 0; index < 20; index++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      await store(`during-${index}`);
    }
    reader.close();
    const { events } = await pruning;
    await Promise.all([sink.close(), data.close()]);

    assertEquals(events, 0);
  }));

/** Returns the names of the events' files of a folder. */
function listFiles(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /\.(db|parquet)$/.test(name));
}
