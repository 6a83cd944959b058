import { assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parquetWriteBuffer } from "hyparquet-writer";
import { openDuckDb } from "../../../../src/ingest/stores/file/duckdb.ts";
import { openLiveEvents } from "../../../../src/ingest/stores/file/live_events.ts";
import { queryFolder } from "../../../../src/ingest/stores/file/query_folder.ts";
import { toSealedPath } from "../../../../src/ingest/stores/file/follow_folder.ts";
import { testReader } from "../reader_contract.ts";
import { testReportStore } from "../report_store_contract.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, at } from "../../reports/visit_fixtures.ts";
import { buildErasure, formatErasures } from "../../../../src/ingest/events/erasures.ts";
import { KEY } from "../../reports/report_store.ts";
import { createReaderHere, type FileStore, withFileStore } from "./file_store.ts";
import { createFileSink, withDirectory } from "./in_thread.ts";

// A history takes many queries. REPORT_RUNS asks for more of them.
testReportStore(
  "createFileReader()",
  (use) => withFileStore(async ({ reader, ...store }) => await use({ ...store, store: reader })),
  { numRuns: 1, endOnFailure: true, knowsBackends: true },
);

testReader("createFileReader()", withFileStore);

/** Stores enough for a sealed file. */
async function storeMany({ sink, seal }: FileStore): Promise<void> {
  await storeEvents(sink, Array.from({ length: 40 }, (_, index) => at("10:00", { session: `s-${index}` })));
  await seal();
}

Deno.test("createFileReader() names a file that is damaged, and one that is something else", async () => {
  for (
    const [write, message] of [
      [(whole: Uint8Array) => whole.slice(0, whole.length / 2), "can't be read:"],
      // The end of a file, which is whole here, says where its columns are.
      [(whole: Uint8Array) => whole.slice().fill(0xff, 4, 2000), "can't be read:"],
      [() => new TextEncoder().encode("no table"), "can't be read:"],
      [
        () => new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "id", data: ["a"] }] })),
        "can't be read: it lacks key_hash, name,",
      ],
    ] as const
  ) {
    await withFileStore(async (store) => {
      await storeMany(store);
      const path = toSealedPath(store.folder, 1);
      const whole = await Deno.readFile(path);
      await Deno.writeFile(path, write(whole));

      const error = await assertRejects(() => store.reader.overview(ask(), []), Error, message);
      assertEquals(error.message.includes(path), true, error.message);

      // And is there again once the file is.
      await Deno.writeFile(path, whole);
      assertEquals((await store.reader.overview(ask(), [])).total.sessions, 40);
    });
  }
});

Deno.test("createFileReader() counts the rest once its folder was told to forget a damaged file", async () => {
  await withFileStore(async (store) => {
    await storeMany(store);
    await storeEvents(store.sink, [at("10:00", { session: "late" })]);
    assertEquals((await store.reader.overview(ask(), [])).total.sessions, 41);
    await Deno.truncate(toSealedPath(store.folder, 1), 100);
    await assertRejects(() => store.reader.overview(ask(), []), Error, "00000001.parquet");
    {
      using database = new DatabaseSync(`${store.folder}/tail.db`);
      // As docs/sinks.md advises.
      database.exec("DELETE FROM file WHERE number = 1");
    }

    assertEquals((await store.reader.overview(ask(), [])).total.sessions, 1);
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
