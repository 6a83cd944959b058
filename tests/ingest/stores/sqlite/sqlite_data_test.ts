import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { DatabaseSync } from "node:sqlite";
import type { DataStore } from "../../../../src/ingest/mod.ts";
import { createSqliteData as createSqliteDataInThread } from "../../../../src/ingest/stores/sqlite/sqlite_data.ts";
import { createSqliteData, createSqliteSink, withDirectory } from "./in_thread.ts";
import { KEY } from "../../fixtures.ts";
import { buildQuery, countEvents } from "../../reports/fixtures.ts";
import { createSqliteReader } from "./in_thread.ts";
import { batchOf } from "../sink_contract.ts";
import { SHARED, testData, type WithHeld } from "../data_contract.ts";
import { testErasures } from "../data_property.ts";
import { anEvent, bytesOf, damageEvents, until } from "../data_fixtures.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const withHeld: WithHeld = (use) =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const sink = await createSqliteSink({ path });
    const [reader, data] = [await createSqliteReader({ path }), createSqliteData({ path })];
    const listIds = async () => (await sink.events()).map(({ id }) => id).toSorted();
    try {
      await use({ sink, data, reader, listIds });
    } finally {
      await Promise.all([sink.close(), data.close(), reader.close()]);
    }
  });

testData("createSqliteData():", withHeld);

testErasures("createSqliteData():", withHeld, { numRuns: 25, knowsIds: true });

Deno.test("a sink deletes what a restored backup brings back", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const first = await createSqliteSink({ path });
    await first.store(batchOf(SHARED));
    await first.close();
    await Deno.copyFile(path, `${directory}/backup.db`);
    const data = createSqliteData({ path });
    await data.erase({ apiKey: KEY, userId: "ada", withVisitors: true });

    await Deno.rename(`${directory}/backup.db`, path);
    const foundAtOnce = await data.find({ apiKey: KEY, userId: "ada" });
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    await until(async () => (await sink.events()).length === 3);
    const late = await sink.store(batchOf([anEvent("as-ada", { userId: "ada" })]));
    const events = await countEvents(reader, buildQuery({ apiKey: KEY }));
    await Promise.all([sink.close(), data.close(), reader.close()]);

    assertEquals(foundAtOnce.events, 0);
    assertEquals([late.accepted, late.erased], [0, 1]);
    assertEquals(events, 3);
  }));

Deno.test("a sink finishes what somebody who died has begun to erase, and nothing that is under way", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [first, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await data.erase({ apiKey: KEY, anonymousId: "a-3" });
    await data.erase({ apiKey: KEY, userId: "bob" });
    await Promise.all([first.close(), data.close()]);
    // As it was before the events were deleted: one erasure two hours ago, one just now.
    const database = new DatabaseSync(path);
    const insert = database.prepare("INSERT INTO events (api_key, id, event) VALUES (?, ?, ?)");
    for (const event of SHARED) insert.run(KEY, event.id, JSON.stringify(event));
    database.exec("UPDATE erasures SET state = 'erasing'");
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000).toISOString();
    database.prepare("UPDATE erasures SET erased_at = ? WHERE kind = 'anonymous'").run(twoHoursAgo);
    database.close();
    await Deno.remove(`${path}-erasures`);

    const sink = await createSqliteSink({ path });
    await until(async () => (await sink.events()).length < SHARED.length);
    await sink.store(batchOf([anEvent("next", {})]));
    const left = (await sink.events()).map(({ id }) => id);
    await sink.close();

    assertEquals(left, ["before", "as-ada", "as-bob", "elsewhere", "counted", "next"]);
  }));

Deno.test("a sink refuses a file of erasures that it can't read", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    await Deno.writeTextFile(`${path}-erasures`, "{}\n");

    await assertRejects(() => createSqliteSink({ path }), Error, "its line 1 is no record of an erasure");
  }));

Deno.test("prune() deletes what the records of another machine name", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [first, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await first.store(batchOf(SHARED));
    await data.erase({ apiKey: KEY, anonymousId: "a-3" });
    await first.close();
    // The records are on another machine, the events as well.
    const other = `${directory}/other.db`;
    await Deno.copyFile(`${path}-erasures`, `${other}-erasures`);
    const sink = await createSqliteSink({ path: `${directory}/new.db` });
    await sink.store(batchOf(SHARED));
    await sink.close();
    await Deno.rename(`${directory}/new.db`, other);

    const here = createSqliteData({ path: other });
    const tried = await here.prune({ dryRun: true });
    const pruned = await here.prune({});
    const again = await here.prune({});
    await Promise.all([data.close(), here.close()]);

    assertEquals(tried, { events: 0, corrected: 1, erasures: 0 });
    assertEquals(pruned, { events: 0, corrected: 1, erasures: 0, remains: "fragments" });
    assertEquals(again.corrected, 0);
  }));

Deno.test("prune() counts once on a dry run what is old and erased as well", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    const aged = (id: string, anonymousId: string, days: number) =>
      anEvent(id, { anonymousId, timestamp: ago(days), receivedAt: ago(days) });
    const events = [aged("1", "a-1", 20), aged("2", "a-2", 20), aged("3", "a-1", 2), aged("4", "a-2", 2)];
    const [first, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await first.store(batchOf(events));
    await first.close();
    await Deno.copyFile(path, `${directory}/backup.db`);
    await data.erase({ apiKey: KEY, anonymousId: "a-1" });

    await Deno.rename(`${directory}/backup.db`, path);
    const tried = await data.prune({ keepDays: 10, dryRun: true });
    const pruned = await data.prune({ keepDays: 10 });
    await data.close();

    assertEquals(tried, { events: 1, corrected: 2, erasures: 0 });
    assertEquals(pruned, { ...tried, remains: "fragments" });
  }));

Deno.test("prune() forgets no record, and deletes what records name, where the newest event would go", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [first, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await first.store(batchOf(SHARED));
    await first.close();
    await Deno.copyFile(path, `${directory}/backup.db`);
    await data.erase({ apiKey: KEY, anonymousId: "a-1" });
    await Deno.rename(`${directory}/backup.db`, path);
    const records = await Deno.readTextFile(`${path}-erasures`);
    using time = new FakeTime(Date.now() + 800 * DAY_MS);

    for (const ages of [{ keepDays: 395 }, { keepErasuresDays: 395 }]) {
      const pruning = data.prune(ages);
      const refused = assertRejects(() => pruning, Error, "no event is younger than 395 days by the clock");
      await time.tickAsync(1000);
      await refused;
    }
    await data.close();
    time.restore();
    const sink = await createSqliteSink({ path });
    const left = (await sink.events()).map(({ id }) => id);
    await sink.close();

    assertEquals(left, ["elsewhere", "stranger", "counted"]);
    assertEquals(await Deno.readTextFile(`${path}-erasures`), records);
  }));

Deno.test("prune() keeps the allowance", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [sink, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    const old = ago(20);
    await sink.store(batchOf([anEvent("old", { name: "$pageview", receivedAt: old })]));
    await sink.store(batchOf([anEvent("young", { timestamp: ago(19), receivedAt: ago(19) })]));

    const pruned = await data.prune({ keepDays: 19.5 });
    const pageviews = await sink.pageviews(KEY, old.slice(0, "2026-01".length));
    await Promise.all([sink.close(), data.close()]);

    assertEquals(pruned, { events: 1, corrected: 0, erasures: 0, remains: "fragments" });
    assertEquals(pageviews, 1);
  }));

Deno.test("prune() forgets old records, in the file as well", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    await Deno.writeTextFile(
      `${path}-erasures`,
      JSON.stringify({ key: "0".repeat(32), kind: "user", id: "1".repeat(32), erasedAt: "2026-01-01T00:00:00.000Z" }),
    );
    const [sink, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await data.erase({ apiKey: KEY, userId: "ada" });
    await data.prune({});

    const tried = await data.prune({ keepErasuresDays: 8, dryRun: true });
    const { erasures } = await data.prune({ keepErasuresDays: 8 });
    const lines = (await Deno.readTextFile(`${path}-erasures`)).trim().split("\n");
    await Promise.all([sink.close(), data.close()]);

    assertEquals([tried.erasures, erasures, lines.length], [1, 1, 1]);
    assertEquals(JSON.parse(lines[0] ?? "").kind, "user");
    assertEquals(lines[0]?.includes("ada"), false);
  }));

Deno.test("erase() with vacuum leaves nothing in the files", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [sink, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    const secret = (index: number): string => `secret-${index % 7}`;
    for (let batch = 0; batch < 40; batch++) {
      const events = Array.from({ length: 50 }, (_, index) =>
        anEvent(crypto.randomUUID(), {
          userId: secret(index),
          sessionId: `of-${secret(index)}-${batch}`,
          properties: { text: "x".repeat((index * 37) % 900) },
        }));
      await sink.store(batchOf(events));
    }
    const wasThere = (await bytesOf(path)).includes("secret-3");

    const { remains } = await data.erase({ apiKey: KEY, userId: secret(3) }, { vacuum: true });
    const bytes = await bytesOf(path);
    const afterwards = await sink.store(batchOf([anEvent("still", { userId: "bob" })]));
    await Promise.all([sink.close(), data.close()]);

    assertEquals([wasThere, remains], [true, "none"]);
    assertEquals([bytes.includes("secret-3"), bytes.includes("secret-2")], [false, true]);
    assertEquals(afterwards.accepted, 1);
  }));

Deno.test("createSqliteData() makes no database", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/none.db`;
    const data = createSqliteData({ path });

    await assertRejects(() => data.find({ apiKey: KEY, userId: "ada" }), Error, "there is no SQLite database");
    await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
    await data.close();
  }));

Deno.test("erase() keeps its records in a file that nobody else can read", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [sink, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await sink.store(batchOf(SHARED));
    await data.erase({ apiKey: KEY, userId: "ada" });

    const mode = (Deno.statSync(`${path}-erasures`).mode ?? 0) & 0o777;
    await Promise.all([sink.close(), data.close()]);

    assertEquals(mode, 0o600);
  }));

Deno.test({
  name: "erase() as root leaves its records to the owner of the database",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  fn: () =>
    withDirectory(async (directory) => {
      const path = `${directory}/events.db`;
      const [sink, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
      await sink.store(batchOf(SHARED));
      await Deno.chown(path, 1234, 1235);
      await Deno.chmod(path, 0o640);

      await data.erase({ apiKey: KEY, userId: "ada" });
      const { uid, gid, mode } = await Deno.stat(`${path}-erasures`);
      await Promise.all([sink.close(), data.close()]);

      assertEquals([uid, gid, (mode ?? 0) & 0o777], [1234, 1235, 0o640]);
    }),
});

Deno.test("a sink makes the file of erasures anew when it is missing or lacks one", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [first, data] = [await createSqliteSink({ path }), createSqliteData({ path })];
    await first.store(batchOf(SHARED));
    await data.erase({ apiKey: KEY, userId: "ada" });
    await data.erase({ apiKey: KEY, userId: "bob" });
    await Promise.all([first.close(), data.close()]);
    const whole = await Deno.readTextFile(`${path}-erasures`);
    const reopen = async (): Promise<string> => {
      await (await createSqliteSink({ path })).close();
      return await Deno.readTextFile(`${path}-erasures`);
    };

    await Deno.remove(`${path}-erasures`);
    const afterLoss = await reopen();
    await Deno.writeTextFile(`${path}-erasures`, `${whole.split("\n")[0]}\n`);
    const afterCut = await reopen();

    assertEquals([afterLoss, afterCut], [whole, whole]);
  }));

Deno.test("prune() lets batches in while somebody reads for long", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const [sink, data] = [await createSqliteSink({ path }), createSqliteDataInThread({ path })];
    await sink.store(batchOf([anEvent("1", {})]));
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM events").get();
    await sink.store(batchOf([anEvent("2", {})]));

    const pruning = data.prune({ keepDays: 9999 });
    for (let index = 0; index < 20; index++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      await sink.store(batchOf([anEvent(`during-${index}`, {})])); // rejects where the lock is kept
    }
    reader.close();
    const { remains } = await pruning;
    await Promise.all([sink.close(), data.close()]);

    assertEquals(remains, "fragments");
  }));

Deno.test("createSqliteData() says that it can't read all, wherever a page is damaged", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const events = Array.from({ length: 2000 }, (_, index) => anEvent(`e-${index}`, { userId: "ada" }));
    await sink.store(batchOf(events));
    await sink.close();
    const whole = Deno.readFileSync(path);
    const ada = { apiKey: KEY, userId: "ada" } as const;
    const isTold = async (work: (data: DataStore) => Promise<unknown>): Promise<boolean> => {
      const data = createSqliteData({ path });
      return await work(data).then(() => false, () => true).finally(() => data.close());
    };

    for (const share of [0.2, 0.5, 0.8]) {
      damageEvents(path, share);
      assertEquals(
        [
          await isTold((data) => data.find(ada)),
          await isTold((data) => Array.fromAsync(data.export(ada))),
          await isTold((data) => Array.fromAsync(data.exportAll())),
          await isTold((data) => data.erase(ada)),
        ],
        [true, true, true, true],
        `${share}`,
      );
      await Deno.writeFile(path, whole);
      await Deno.remove(`${path}-erasures`, { recursive: true }).catch(() => {}); // none was made
    }
  }));
