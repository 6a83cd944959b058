import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type * as duckdb from "@duckdb/node-api";
import { parquetWriteBuffer } from "hyparquet-writer";
import { ReaderFault, type ReportReader } from "../../../../src/ingest/ports/reader.ts";
import { createThreadReader, type FileReaderCalls } from "../../../../src/ingest/stores/file/file_reader.ts";
import type { Thread } from "../../../../src/ingest/threads/thread.ts";
import { openDuckDb } from "../../../../src/ingest/stores/file/duckdb.ts";
import { FILE_EVENTS } from "../../../../src/ingest/stores/file/file_events.ts";
import { openLiveEvents } from "../../../../src/ingest/stores/file/live_events.ts";
import { queryFolder } from "../../../../src/ingest/stores/file/query_folder.ts";
import { toSealedPath } from "../../../../src/ingest/stores/file/follow_folder.ts";
import { testReader } from "../reader_contract.ts";
import { testReportStore } from "../report_store_contract.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at } from "../../reports/visit_fixtures.ts";
import { buildErasure, formatErasures } from "../../../../src/ingest/events/erasures.ts";
import { KEY } from "../../reports/report_store.ts";
import { createReaderHere, type FileStore, withFileStore } from "./file_store.ts";
import { createFileSink, withDirectory } from "./in_thread.ts";

/** Seals every other time that something was stored: then some of it lies in a small file, and what comes next in the tail. */
function sealEveryOther({ sink, seal }: Pick<FileStore, "sink" | "seal">): FileStore["sink"] {
  let stored = 0;
  return {
    ...sink,
    async store(batch) {
      const result = await sink.store(batch);
      if (++stored % 2 === 0) await seal();
      return result;
    },
  };
}

// A history takes many queries. REPORT_RUNS asks for more of them.
testReportStore(
  "createFileReader()",
  (use) =>
    withFileStore(async ({ reader, ...store }) => await use({ ...store, sink: sealEveryOther(store), store: reader }), {
      fileEvents: 7,
    }),
  { numRuns: 3, maxQuestions: 1, endOnFailure: true, knowsBackends: true },
);

testReader("createFileReader()", withFileStore);

Deno.test("the views count the events of a session that began days before, as a sender may send them", () =>
  withFileStore(async ({ sink, reader }) => {
    await storeEvents(sink, [
      at("2026-02-20T10:00:00Z", { session: "s-1", visitor: "ada", name: "ordered" }),
      at("10:00", { session: "s-1", visitor: "ada", name: "delivered" }),
    ]);

    const { total } = await reader.overview(ask(), []);
    const filtered = await reader.overview(askFor({ name: "channel", values: ["Joined midway"] }), []);

    assertEquals([total.visitors, filtered.total.visitors], [1, 1]);
  }));

/** Stores enough for a sealed file. */
async function storeMany({ sink, seal }: Pick<FileStore, "sink" | "seal">): Promise<void> {
  await storeEvents(sink, Array.from({ length: 40 }, (_, index) => at("10:00", { session: `s-${index}` })));
  await seal();
}

/** Makes a file into one that can't be read. */
const DAMAGES = {
  half: (whole: Uint8Array) => whole.slice(0, whole.length / 2),
  // The end of a file, which is whole here, says where its columns are.
  pages: (whole: Uint8Array) => whole.slice().fill(0xff, 4, 2000),
  text: () => new TextEncoder().encode("no table"),
  foreign: () => new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "id", data: ["a"] }] })),
  missing: () => undefined,
};

/** The time of a file, which is the same when it's damaged and when it's whole again. */
const CHANGED = 1_700_000_000;

Deno.test("createFileReader() names a file that is damaged, or something else, and counts the rest", async () => {
  for (const damage of Object.values(DAMAGES)) {
    await withFileStore(async ({ folder, sink, seal }) => {
      await storeMany({ sink, seal });
      // One of its sessions goes on in the next file.
      await storeEvents(sink, Array.from({ length: 40 }, (_, index) => at("10:01", { session: `s-${39 + index}` })));
      await seal();
      await storeEvents(sink, [at("10:02", { session: "tail" })]);
      const path = toSealedPath(folder, 1);
      const whole = await Deno.readFile(path);
      const told: string[] = [];
      const open = (): ReportReader => createReaderHere(folder, ({ message }) => told.push(message));
      const look = async (reader: ReportReader): Promise<unknown> => {
        const { total: { sessions, pageviews } } = await reader.overview(ask(), []);
        return [sessions, pageviews.full, (await reader.damaged?.())?.map(({ file, events }) => [file, events])];
      };
      const before = open();
      assertEquals(await look(before), [80, 81, []]);
      await before.close();

      const bytes = damage(whole);
      if (bytes === undefined) await Deno.remove(path);
      else await Deno.writeFile(path, bytes).then(() => Deno.utime(path, CHANGED, CHANGED));
      await storeEvents(sink, [at("10:03", { session: "later" })]);
      const after = open();
      const left = [42, 42, [["00000001.parquet", 40]]];
      assertEquals(await look(after), left);
      assertEquals(await look(after), left);
      assertEquals(
        [told.length, told[0]?.startsWith(`the file of events "${path}" can't be read: `)],
        [1, true],
        told[0],
      );

      // And it is there again once the file is, though nothing tells it from the damaged one but the second of the change.
      if (bytes?.length === whole.length) await new Promise((resolve) => setTimeout(resolve, 1000));
      await Deno.writeFile(path, whole);
      if (bytes !== undefined) await Deno.utime(path, CHANGED, CHANGED);
      assertEquals(await look(after), [81, 82, []]);
      await after.close();
    });
  }
});

Deno.test("createFileReader() leaves out a file that was counted before it was damaged", async () => {
  await withFileStore(async (store) => {
    await storeMany(store);
    await storeEvents(store.sink, [at("10:00", { session: "late" })]);
    assertEquals((await store.reader.overview(ask(), [])).total.sessions, 41);
    await Deno.truncate(toSealedPath(store.folder, 1), 100);

    assertEquals((await store.reader.overview(ask(), [])).total.sessions, 1);
    assertEquals((await store.reader.damaged?.())?.length, 1);
    {
      using database = new DatabaseSync(`${store.folder}/tail.db`);
      // As docs/sinks.md advises.
      database.exec("DELETE FROM file WHERE number = 1");
    }
    assertEquals((await store.reader.overview(ask(), [])).total.sessions, 1);
    assertEquals(await store.reader.damaged?.(), []);
  });
});

Deno.test("createFileReader() counts what was stored before it was asked, and since", async () => {
  await withFileStore(async (store) => {
    await storeMany(store);
    await storeEvents(store.sink, [at("10:00", { session: "late" })]);
    assertEquals((await store.reader.overview(ask(), [])).total.sessions, 41);
    await storeEvents(store.sink, [at("10:00", { session: "later" })]);
    assertEquals((await store.reader.overview(ask(), [])).total.sessions, 42);
  });
});

Deno.test("createFileReader() counts more files than it takes at once, with sessions and people in several of them", () =>
  withFileStore(async ({ sink, seal, data, folder, reader }) => {
    for (let index = 0; index < 90; index++) {
      await storeEvents(sink, [at("10:00", { session: `s-${index % 50}`, visitor: `v-${index % 50}`, user: "" })]);
    }
    await seal();
    await data.erase({ apiKey: KEY, anonymousId: "v-10" });
    await Deno.truncate(toSealedPath(folder, 17), 50);

    const { total } = await reader.overview(ask(), []);
    const files = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".parquet")).length;

    // The file that is damaged has five views, of sessions that others have as well.
    assertEquals([files, total.sessions, total.visitors, total.pageviews.full], [18, 49, 49, 83]);
  }, { fileEvents: 5 }));

Deno.test("createFileReader() hides whom records name that no writer has taken over, wherever they are in a long tail", () =>
  withDirectory(async (directory) => {
    const folder = `${directory}/events`;
    const sink = await createFileSink({ path: folder });
    const erased = new Map([[0, "eve"], [1, ""], [2, "it's"], [3, "a\0b"], [599, "ada"]]);
    // More batches than are taken at once, of today: of an earlier day, they would be sealed.
    const receivedAt = new Date().toISOString();
    for (let index = 0; index < 600; index++) {
      const user = erased.get(index) ?? `user-${index}`;
      await storeEvents(sink, [{ ...at("10:00", { session: `s-${index}`, user }), receivedAt }]);
    }
    await sink.close();
    const records = [...erased.values()].map((id) => buildErasure({ apiKey: KEY, kind: "user", id }, receivedAt));
    await Deno.writeTextFile(`${folder}/erasures`, formatErasures(await Promise.all(records)));

    const reader = createReaderHere(folder);
    const { total } = await reader.overview(ask(), []);
    const { rows } = await reader.pages(ask(), 10);
    await reader.close();

    assertEquals([total.sessions, rows.map(({ views }) => views.full)], [595, [595]]);
  }));

Deno.test("createFileReader() has a folder for what memory doesn't hold, though others sweep while it rests", async () => {
  await withFileStore(async ({ folder, reader }) => {
    const list = (): readonly string[] => [...Deno.readDirSync(`${folder}/spilled`)].map(({ name }) => name);
    const age = (): void => {
      const hourAgo = new Date(Date.now() - 60 * 60 * 1000);
      for (const name of list()) Deno.utimeSync(`${folder}/spilled/${name}`, hourAgo, hourAgo);
    };
    const sweep = async () => await queryFolder({ folder, sql: "SELECT 1" });

    await reader.overview(ask(), []);
    const own = list();
    age();
    await reader.overview(ask(), []);
    await sweep();
    const inUse = list();
    age();
    await sweep();
    const resting = list();
    await reader.overview(ask(), []);
    const again = list();
    await reader.close();

    assertEquals([own.length, inUse, resting, again, list()], [1, own, [], own, []]);
  });
});

Deno.test("createThreadReader() gives a report so much time, however many calls it takes", async () => {
  const stopped: string[] = [];
  const running = new Map<number, () => void>();
  /** A folder each of whose calls takes 100 ms. */
  const thread: Thread<FileReaderCalls> = {
    call: async (name, ...args: readonly unknown[]) => {
      if (name === "readFolder") {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 100);
          running.set(Number(args[0]), () => (clearTimeout(timer), resolve()));
        });
      }
      if (name === "stopRead") {
        stopped.push(String(args[1]));
        running.get(Number(args[0]))?.();
      }
      return undefined as never;
    },
    end: () => Promise.resolve(),
  };
  const reader = createThreadReader("events", () => thread, { reportLimitMs: 350 });
  const report = reader.until?.(new AbortController().signal) ?? reader;

  let calls = 0;
  const read = async (): Promise<void> => {
    for (;; calls++) await report.lastTime({ apiKey: KEY, site: "" });
  };
  await assertRejects(read, ReaderFault, "the report takes longer than 0.35 s");
  await assertRejects(() => report.sites(KEY), ReaderFault, "the report takes longer than");
  await reader.sites(KEY);
  await reader.close();

  assertEquals([calls > 0 && calls < 4, new Set(stopped)], [true, new Set(["the report takes longer than 0.35 s"])]);
});

Deno.test("createThreadReader() waits for the first count where somebody hears how far it is", async () => {
  const opening = Promise.withResolvers<void>();
  const thread: Thread<FileReaderCalls> = {
    call: async (name, ..._) => {
      if (name === "openFolder") await opening.promise;
      return (name === "folderProgress" ? 0.345 : []) as never;
    },
    end: () => Promise.resolve(),
  };
  const words = "what is stored is being counted, 34 % so far";
  const told: string[] = [];
  const onWait = (message: string): void => {
    told.push(message);
    if (told.length === 2) opening.resolve();
  };

  const hasty = createThreadReader("events", () => thread, { openingLimitMs: 20 });
  await assertRejects(() => hasty.sites(KEY), ReaderFault, words);
  const patient = createThreadReader("events", () => thread, { openingLimitMs: 20, onWait });
  const sites = await patient.sites(KEY);
  await hasty.close();
  await patient.close();

  assertEquals([sites, told], [[], [words, words]]);
});

Deno.test("openDuckDb() ends what runs when it's closed, and begins nothing more", () =>
  withDirectory(async (temporaryFolder) => {
    const duckDb = await openDuckDb({ temporaryFolder });
    const connection = await duckDb.connect();
    const ends: string[] = [];
    const endless = "SELECT count(*) FROM range(10000000000) a, range(1000) b WHERE hash(a.range + b.range) % 7 = 1";
    const asked = connection.select(endless).catch(() => connection.select("SELECT 1")).catch(({ message }) =>
      ends.push(message)
    );
    const changed = duckDb.change(({ run }) => run(`CREATE TABLE t AS ${endless}`)).catch(() => ends.push("changed"));

    await new Promise((resolve) => setTimeout(resolve, 100));
    await duckDb.close().then(() => ends.push("closed"));
    await Promise.all([asked, changed]);

    assertEquals(ends.toSorted(), ["DuckDB is closed", "changed", "closed"]);
    await assertRejects(() => connection.select("SELECT 1"), Error, "DuckDB is closed");
  }));

Deno.test("openDuckDb() compresses what changes have left, while somebody reads", () =>
  withDirectory(async (temporaryFolder) => {
    const duckDb = await openDuckDb({ temporaryFolder });
    const connection = await duckDb.connect();
    const ask = async (sql: string): Promise<number> => Number((await connection.select(sql))[0]?.answer);
    const measure = (): Promise<number> => ask("SELECT sum(memory_usage_bytes) AS answer FROM duckdb_memory()");
    const add = (): Promise<void> =>
      duckDb.change(({ run }) => run("INSERT INTO t SELECT 'number ' || range % 10 FROM range(20000)"));
    await duckDb.change(({ run }) => run("CREATE TABLE t (text VARCHAR)"));
    for (let time = 0; time < 5; time++) await add();

    const before = await measure();
    const counts = await connection.atOneMoment(async () => {
      const first = await ask("SELECT count(*) AS answer FROM t");
      await add();
      await duckDb.compress();
      return [first, await ask("SELECT count(*) AS answer FROM t")];
    });
    const after = await measure();
    const all = await ask("SELECT count(*) AS answer FROM t");
    await duckDb.close();

    assertEquals([counts, all, after < before / 2], [[100_000, 100_000], 120_000, true], `${before}, then ${after}`);
  }));

/** Loads DuckDB as it is, but for what happens after each of its statements. */
async function watchDuckDb(onStatement: (sql: string) => Promise<void> | void): Promise<typeof duckdb> {
  const real = await import("@duckdb/node-api");
  return {
    ...real,
    DuckDBInstance: new Proxy(real.DuckDBInstance, {
      get: (target, name) =>
        name !== "create" ? Reflect.get(target, name) : async (...args: Parameters<typeof target.create>) => {
          const instance = await target.create(...args);
          const connect = instance.connect.bind(instance);
          instance.connect = async () => {
            const connection = await connect();
            const run = connection.run.bind(connection);
            connection.run = async (...given) => {
              const result = await run(...given);
              await onStatement(given[0]);
              return result;
            };
            return connection;
          };
          return instance;
        },
    }),
  };
}

Deno.test("openLiveEvents() compresses what it keeps once as many events as a file has were counted, and not before", () =>
  withFileStore(async ({ sink, folder }) => {
    let checkpoints = 0;
    const live = await openLiveEvents({
      folder,
      load: () => watchDuckDb((sql) => void (checkpoints += Number(sql.startsWith("CHECKPOINT")))),
    });
    const counts: number[] = [];
    for (const events of [FILE_EVENTS / 2, FILE_EVENTS / 2, 1]) {
      await storeEvents(sink, Array.from({ length: events }, () => at("10:00")));
      await live.refresh();
      counts.push(checkpoints);
    }
    await live.close();

    assertEquals(counts, [0, 1, 1]);
  }));

Deno.test("openLiveEvents() counts nobody who was erased while it counted", () =>
  withFileStore(async ({ sink, seal, data, folder }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", user: "ada" }),
      at("10:00", { session: "s-2", visitor: "v-2" }),
    ]);
    await seal();
    let isErased = false;
    const eraseBetween = async (sql: string): Promise<void> => {
      if (isErased || !sql.startsWith("DROP TABLE stale")) return;
      isErased = true;
      await data.erase({ apiKey: KEY, userId: "ada" });
    };
    const live = await openLiveEvents({ folder, load: () => watchDuckDb(eraseBetween) });
    await live.refresh();
    await live.refresh();
    const connection = await live.connect();
    const [counts] = await connection.select(
      "SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM kept_visitors) AS visitors",
    );
    await live.close();

    assertEquals([isErased, Number(counts?.events), Number(counts?.visitors)], [true, 1, 1]);
  }));

Deno.test("openLiveEvents() says what is missing where DuckDB isn't installed", async () => {
  await withFileStore(async ({ folder }) => {
    // Node's message has the whole program, in which the letters of `--allow-ffi` stand.
    const message = `Failed to resolve "@duckdb/node-api" from "data:text/javascript,--allow-ffi"`;
    const load = (): Promise<never> => Promise.reject(new Error(message));

    await assertRejects(
      () => openLiveEvents({ folder, load }),
      Error,
      `Reports on files need the package @duckdb/node-api, which can't be loaded: ${message}`,
    );
  });
});

Deno.test("createFileReader() says what Deno lacks that may load no native code, and of a folder that is none", async () => {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const run = async (folder: string, ...permissions: string[]): Promise<string> => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt", "--no-check", "--import-map", `${root}tests/offline/import_map.json`],
        ...["--allow-read", "--allow-env", "--allow-write", ...permissions],
        ...[`${root}tests/ingest/stores/file/open_program.ts`, folder],
      ],
    }).output();
    return new TextDecoder().decode(stdout).trim();
  };

  await withFileStore(async ({ folder }) => {
    assertEquals(await run(folder), "Reports on files need native code, which Deno loads with --allow-ffi");
    assertEquals(await run(folder, "--allow-ffi"), "opened");
    assertEquals(
      await run(`${folder}/none`, "--allow-ffi"),
      `the folder of events "${folder}/none" can't be used: there is no tail.db`,
    );
    await assertRejects(() => Deno.stat(`${folder}/none`), Deno.errors.NotFound);
  });
});
