import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { KEY } from "../../fixtures.ts";
import { SHARED, testData, type WithHeld } from "../data_contract.ts";
import { anEvent, until } from "../data_fixtures.ts";
import { testErasures } from "../data_property.ts";
import { batchOf } from "../sink_contract.ts";
import { backUp, createFileData, createFileRecount, createFileSink, listSealed, withDirectory } from "./in_thread.ts";

const ADA = { apiKey: KEY, userId: "ada" } as const;

/** Reads all that lies in a folder. */
function bytesOf(folder: string): string {
  return [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile)
    .map(({ name }) => new TextDecoder("latin1").decode(Deno.readFileSync(`${folder}/${name}`)))
    .join("\n");
}

// Some of the events of a test lie in files, and some in the tail.

const withHeld = (fileEvents: number): WithHeld => (use) =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path: folder, fileEvents }), createFileData({ path: folder })];
    const listIds = async () => (await sink.events()).map(({ id }) => id).toSorted();
    try {
      await use({ sink, data, reader: createFileRecount(folder), listIds });
    } finally {
      await Promise.all([sink.close(), data.close()]);
    }
  });

testData("createFileData():", withHeld(7));

testErasures("createFileData():", withHeld(100), { numRuns: 10, knowsIds: true, forgetsErased: false });

Deno.test("an erased person stays hidden in a backup that is restored, and is deleted there", () =>
  withDirectory(async (directory) => {
    const [path, copy] = [`${directory}/events`, `${directory}/copy`];
    const [first, data] = [await createFileSink({ path, fileEvents: 4 }), createFileData({ path })];
    await first.store(batchOf(SHARED));
    await until(() => Promise.resolve(listSealed(path).length > 0));
    await first.store(batchOf([anEvent("in-tail", { userId: "ada", receivedAt: new Date().toISOString() })]));
    await backUp(path, copy);
    const links = Deno.statSync(`${copy}/00000001.parquet`).nlink;
    await data.erase({ ...ADA, withVisitors: true });
    await first.close();
    const before = (await Array.fromAsync(createFileData({ path: copy }).export(ADA))).map(({ id }) => id);

    // The records stay where they are.
    await Deno.rename(`${path}/erasures`, `${copy}/erasures`);
    await Deno.remove(path, { recursive: true });
    await Deno.rename(copy, path);
    const foundAtOnce = await data.find({ ...ADA, withVisitors: true });
    const sink = await createFileSink({ path, fileEvents: 4 });
    await until(async () => (await sink.events()).length === 3);
    const late = await sink.store(batchOf([anEvent("as-ada", { userId: "ada" })]));
    await Promise.all([sink.close(), data.close()]);

    assertEquals([links, before], [2, ["as-ada", "elsewhere", "in-tail"]]);
    assertEquals(foundAtOnce.events, 0);
    assertEquals([late.accepted, late.erased], [0, 1]);
  }));

Deno.test("an event captured before an erasure is kept away also beside a batch that came later", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path }), createFileData({ path })];
    await data.erase(ADA);
    const now = new Date(Date.now() + 1000).toISOString();
    const before = anEvent("before", { userId: "ada", receivedAt: now });
    const after = anEvent("after", { userId: "ada", timestamp: now, receivedAt: now });

    const results = await Promise.all([before, after].map((event) => sink.store(batchOf([event]))));
    await Promise.all([sink.close(), data.close()]);

    assertEquals(results.map(({ accepted, erased = 0 }) => [accepted, erased]), [[0, 1], [1, 0]]);
  }));

/** Opens a folder whose events are all sealed, into one file, with the bytes of that. */
const withSealed = (use: (path: string, file: string, whole: Uint8Array) => Promise<void>): Promise<void> =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path, fileEvents: 4 });
    await sink.store(batchOf(SHARED));
    await until(() => Promise.resolve(listSealed(path).length > 0));
    await sink.close();
    const file = `${path}/00000001.parquet`;
    await use(path, file, Deno.readFileSync(file));
  });

Deno.test("an erased person is deleted again who is in a file that is restored alone", () =>
  withSealed(async (path, file, whole) => {
    const data = createFileData({ path });
    await data.erase(ADA);
    const erased = Deno.readFileSync(file);

    Deno.writeFileSync(file, whole);
    const sink = await createFileSink({ path, fileEvents: 4 });
    await until(() => Promise.resolve(Deno.readFileSync(file).length === erased.length));
    await Promise.all([sink.close(), data.close()]);

    assertEquals(Deno.readFileSync(file), erased);
    using database = new DatabaseSync(`${path}/tail.db`);
    assertEquals(database.prepare("SELECT state FROM erasure").all().map(({ state }) => state), ["applied"]);
  }));

Deno.test("a sink finishes what somebody who died has begun to erase", () =>
  withSealed(async (path, file, whole) => {
    const data = createFileData({ path });
    await data.erase({ apiKey: KEY, anonymousId: "a-3" });
    // As it was once the file was in its place, and before that was registered; and once more as before the file was there.
    for (const isReplaced of [true, false]) {
      if (!isReplaced) Deno.writeFileSync(file, whole);
      {
        using database = new DatabaseSync(`${path}/tail.db`);
        database.exec("UPDATE erasure SET state = 'open'; UPDATE file SET events = 6");
      }

      const sink = await createFileSink({ path, fileEvents: 4 });
      await until(() => {
        using database = new DatabaseSync(`${path}/tail.db`);
        return Promise.resolve(database.prepare("SELECT 1 FROM erasure WHERE state = 'applied'").get() !== undefined);
      });
      const left = (await sink.events()).map(({ id }) => id);
      await sink.close();

      using database = new DatabaseSync(`${path}/tail.db`);
      assertEquals(left, ["before", "as-ada", "as-bob", "elsewhere", "counted"]);
      assertEquals(database.prepare("SELECT sum(events) AS events FROM file").get()?.events, 5);
    }
    await data.close();
  }));

Deno.test("a sink finishes what is being erased for an hour, and leaves what began later to who does it", () =>
  withSealed(async (path, file, whole) => {
    const data = createFileData({ path });
    await data.erase({ apiKey: KEY, anonymousId: "a-3" });
    await data.erase({ apiKey: KEY, userId: "bob" });
    await data.close();
    // As before the events were deleted.
    Deno.writeFileSync(file, whole);
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000).toISOString();
    using database = new DatabaseSync(`${path}/tail.db`);
    database.exec(`
      UPDATE erasure SET state = 'erasing';
      UPDATE erasure SET erased_at = '${twoHoursAgo}' WHERE kind = 'anonymous';
    `);
    await Deno.remove(`${path}/erasures`);

    const sink = await createFileSink({ path, fileEvents: 4 });
    const listStates = () =>
      database.prepare("SELECT state FROM erasure ORDER BY kind").all().map(({ state }) => state);
    await until(() => Promise.resolve(listStates().includes("applied")));
    const left = (await sink.events()).map(({ id }) => id);
    await sink.close();

    assertEquals(listStates(), ["applied", "erasing"]);
    assertEquals(left, ["before", "as-ada", "as-bob", "elsewhere", "counted"]);
  }));

Deno.test("erase() with vacuum leaves nothing in the folder, sealed or not", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path, fileEvents: 500 }), createFileData({ path })];
    const now = new Date().toISOString();
    for (let batch = 0; batch < 30; batch++) {
      await sink.store(batchOf(Array.from({ length: 50 }, (_, index) =>
        anEvent(crypto.randomUUID(), {
          ...{
            userId: `secret-${index % 7}`,
            sessionId: `of-secret-${index % 7}-${batch}`,
            timestamp: now,
            receivedAt: now,
          },
          properties: { text: `secret-${index % 7}`, more: "x".repeat((index * 37) % 900) },
        }))));
    }
    await until(() => Promise.resolve(listSealed(path).length >= 2));
    await sink.store(batchOf([anEvent("in-tail", { userId: "secret-3", timestamp: now, receivedAt: now })]));

    const { events, remains } = await data.erase({ apiKey: KEY, userId: "secret-3" }, { vacuum: true });
    const bytes = bytesOf(path);
    using database = new DatabaseSync(`${path}/tail.db`, { readOnly: true });
    const inTail = database.prepare("SELECT count(*) AS batches FROM batch").get()?.batches;
    const texts = (await sink.events()).map((event) => JSON.stringify(event)).join();
    const afterwards = await sink.store(batchOf([anEvent("still", { userId: "bob" })]));
    await Promise.all([sink.close(), data.close()]);

    assertEquals([events, remains], [30 * 7 + 1, "none"]);
    // Batches wait while the database is written anew, so it is to be small by then.
    assertEquals(inTail, 0);
    assertEquals([bytes.includes("secret-3"), texts.includes("secret-3"), texts.includes("secret-2")], [
      false,
      false,
      true,
    ]);
    assertEquals(afterwards.accepted, 1);
  }));

Deno.test("erase() ends, and lets batches in, while somebody goes on to send", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path, fileEvents: 100 }), createFileData({ path })];
    const send = async (id: string): Promise<number> => {
      const at = new Date().toISOString();
      return (await sink.store(batchOf([anEvent(id, { userId: "ada", timestamp: at, receivedAt: at })]))).accepted;
    };
    for (let index = 0; index < 250; index++) await send(`before-${index}`);

    let isErased = false;
    const erasing = data.erase(ADA).finally(() => isErased = true);
    let sent = 0;
    while (!isErased) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await send(`during-${sent++}`); // rejects where the lock is kept
    }
    const { events } = await erasing;
    const left = (await sink.events()).map(({ id }) => id);
    await Promise.all([sink.close(), data.close()]);

    assertEquals(events >= 250, true);
    assertEquals(left.filter((id) => id.startsWith("before")), []);
  }));

Deno.test("exportAll() hands out nobody who is erased while it reads a file", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path, fileEvents: 9000 }), createFileData({ path })];
    const at = new Date().toISOString();
    const list = (begin: number): readonly StoredEvent[] =>
      Array.from({ length: 100 }, (_, index) => {
        const userId = begin + index < 8000 ? "bob" : "ada";
        return anEvent(`e-${begin + index}`, { userId, timestamp: at, receivedAt: at });
      });
    for (let begin = 0; begin < 9000; begin += 100) await sink.store(batchOf(list(begin)));
    await until(() => Promise.resolve(listSealed(path).length === 1));

    const users: unknown[] = [];
    for await (const { event: { identity } } of data.exportAll()) {
      if (users.length === 0) await createFileData({ path }).erase(ADA);
      users.push(identity?.userId);
    }
    await Promise.all([sink.close(), data.close()]);

    assertEquals([users.length, new Set(users)], [8000, new Set(["bob"])]);
  }));

Deno.test("find(), export() and erase() name a file that is damaged, and skip none", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path, fileEvents: 4 });
    await sink.store(batchOf(SHARED));
    await until(() => Promise.resolve(listSealed(path).length === 1));
    await sink.close();
    const file = `${path}/00000001.parquet`;
    const whole = Deno.readFileSync(file);
    const data = createFileData({ path });
    const works: readonly (() => Promise<unknown>)[] = [
      () => data.find(ADA),
      () => Array.fromAsync(data.export(ADA)),
      () => Array.fromAsync(data.exportAll()),
      () => data.erase(ADA),
    ];
    const damages: readonly (() => void)[] = [
      () => Deno.truncateSync(file, whole.length / 2),
      () => Deno.writeFileSync(file, whole.fill(0xff, 4, 2000)),
      () => Deno.removeSync(file),
    ];

    for (const damage of damages) {
      damage();
      for (const work of works) await assertRejects(work, Error, "00000001.parquet");
    }
    await data.close();
  }));

Deno.test("a damaged file keeps nobody from being deleted elsewhere, nor the tail from being sealed", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const ofToday = (id: string): StoredEvent => {
      const now = new Date().toISOString();
      return anEvent(id, { userId: "ada", timestamp: now, receivedAt: now });
    };
    const [first, data] = [await createFileSink({ path, fileEvents: 1 }), createFileData({ path })];
    await first.store(batchOf([ofToday("damaged")]));
    await first.store(batchOf([ofToday("sealed")]));
    await until(() => Promise.resolve(listSealed(path).length === 2));
    await first.close();
    Deno.truncateSync(`${path}/00000001.parquet`, 100);
    const second = await createFileSink({ path, fileEvents: 3 });
    await second.store(batchOf([ofToday("in-tail")]));

    const exported: string[] = [];
    await assertRejects(
      async () => {
        for await (const { id } of data.export(ADA)) exported.push(id);
      },
      Error,
      "00000001.parquet",
    );
    await assertRejects(() => data.erase({ ...ADA, withVisitors: true }), Error, "00000001.parquet");
    await second.close();
    const tail = bytesOf(path);
    {
      using database = new DatabaseSync(`${path}/tail.db`);
      database.exec("UPDATE erasure SET state = 'open'");
    }
    const faults: string[] = [];
    const third = await createFileSink({ path, fileEvents: 3, onError: (error) => faults.push(String(error)) });
    await third.store(batchOf(["a", "b", "c"].map(ofToday)));
    await until(() => Promise.resolve(listSealed(path).length === 2));
    await until(async () => {
      await third.check?.();
      return faults.length > 0;
    });
    await Promise.all([third.close(), data.close()]);

    assertEquals(exported, ["sealed", "in-tail"]);
    assertEquals([tail.includes("in-tail"), listSealed(path)], [false, ["00000001.parquet", "00000003.parquet"]]);
    assertEquals(faults.map((fault) => fault.includes("00000001.parquet")), [true]);
  }));

Deno.test("prune() drops whole files by age, and rewrites the one at the edge alone", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path, fileEvents: 4 }), createFileData({ path })];
    const ago = (days: number): string => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    for (const [days, next] of [[40, 39], [20, 2], [1, 1]] as const) {
      const events = [days, days, next, next].map((age, index) =>
        anEvent(`${days}-${index}`, { timestamp: ago(age), receivedAt: ago(age) })
      );
      await sink.store(batchOf(events));
    }
    await until(() => Promise.resolve(listSealed(path).length === 3));
    const untouched = Deno.statSync(`${path}/00000003.parquet`).ino;

    const { events } = await data.prune({ keepDays: 10 });
    const left = (await sink.events()).map(({ id }) => id);
    await Promise.all([sink.close(), data.close()]);

    assertEquals([events, left], [6, ["20-2", "20-3", "1-0", "1-1", "1-2", "1-3"]]);
    assertEquals(listSealed(path), ["00000002.parquet", "00000003.parquet"]);
    assertEquals(Deno.statSync(`${path}/00000003.parquet`).ino, untouched);
  }));

Deno.test("prune() deletes what it can where a file is damaged, which goes by its age as well", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const [sink, data] = [await createFileSink({ path, fileEvents: 2 }), createFileData({ path })];
    const ago = (days: number): string => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    for (const [first, last] of [[50, 40], [39, 30], [28, 5], [20, 4], [1, 1]] as const) {
      await sink.store(
        batchOf(
          [first, last].map((days, index) =>
            anEvent(`${days}-${index}`, { timestamp: ago(days), receivedAt: ago(days) })
          ),
        ),
      );
    }
    await until(() => Promise.resolve(listSealed(path).length === 5));
    await sink.close();
    // Of one that is old as a whole, its age is known.
    for (const number of [2, 3]) Deno.truncateSync(`${path}/0000000${number}.parquet`, 100);

    const { message } = await assertRejects(() => data.prune({ keepDays: 10, dryRun: true }), Error);
    assertEquals([message.includes("00000003"), listSealed(path).length], [true, 5]);
    await assertRejects(() => data.prune({ keepDays: 10, keepErasuresDays: 10 }), Error, "00000003.parquet");

    assertEquals(listSealed(path), ["00000003.parquet", "00000004.parquet", "00000005.parquet"]);
    Deno.removeSync(`${path}/00000003.parquet`);
    {
      using database = new DatabaseSync(`${path}/tail.db`);
      database.exec("DELETE FROM file WHERE number = 3");
    }
    const left = (await Array.fromAsync(data.exportAll())).map(({ event }) => event.id);
    await data.close();
    assertEquals(left, ["4-1", "1-0", "1-1"]);
  }));

Deno.test("createFileData() makes no folder", () =>
  withDirectory(async (directory) => {
    const data = createFileData({ path: `${directory}/none` });

    await assertRejects(() => data.find(ADA), Error, "there is no tail.db");
    await assertRejects(() => Deno.stat(`${directory}/none`), Deno.errors.NotFound);
    await data.close();
  }));
