import { assertEquals, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import { parquetWriteBuffer } from "hyparquet-writer";
import { openEventFiles } from "../../../../src/ingest/stores/file/event_files.ts";
import { sealEvents } from "../../../../src/ingest/stores/file/seal_events.ts";
import { testReader } from "../reader_contract.ts";
import { testReportStore } from "../report_store_contract.ts";
import { STORED } from "../sink_contract.ts";
import { withFileStore } from "./file_store.ts";

// A history takes many queries. REPORT_RUNS asks for more of them.
testReportStore(
  "openEventFiles()",
  (use) => withFileStore(async ({ reader, ...store }) => await use({ ...store, store: reader })),
  { numRuns: 1, endOnFailure: true, knowsBackends: true },
);

testReader("openEventFiles()", withFileStore);

Deno.test("openEventFiles() names a file that is damaged, and one that is something else", async () => {
  const folder = await Deno.makeTempDir();
  const open = (name: string): Promise<unknown> =>
    openEventFiles({ files: [`${folder}/whole.parquet`, `${folder}/${name}`], temporaryFolder: folder });
  const whole = await sealEvents([{ ...STORED, keyHash: "0".repeat(32) }]);
  await Deno.writeFile(`${folder}/whole.parquet`, whole);
  await Deno.writeFile(`${folder}/damaged.parquet`, whole.slice(0, whole.length / 2));
  await Deno.writeTextFile(`${folder}/text.parquet`, "no table");
  const foreign = parquetWriteBuffer({ columnData: [{ name: "id", data: ["a"] }] });
  await Deno.writeFile(`${folder}/foreign.parquet`, new Uint8Array(foreign));

  for (const name of ["damaged", "text", "missing"]) {
    await assertRejects(
      () => open(`${name}.parquet`),
      Error,
      `The file of events ${folder}/${name}.parquet can't be read:`,
    );
  }
  await assertRejects(
    () => open("foreign.parquet"),
    Error,
    `The file ${folder}/foreign.parquet is no file of events: it lacks key_hash, name,`,
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("openEventFiles() says what is missing where DuckDB isn't installed", async () => {
  const load = (): Promise<never> => Promise.reject(new Error("Cannot find package"));

  await assertRejects(
    () => openEventFiles({ files: [], temporaryFolder: ".", load }),
    Error,
    "Reports on files need the package @duckdb/node-api, which can't be loaded: Cannot find package",
  );
});

Deno.test("openEventFiles() says what Deno lacks that may load no native code", async () => {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const run = async (...permissions: string[]): Promise<string> => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-prompt", "--no-check", "--import-map", `${root}tests/offline/import_map.json`],
        ...["--allow-read", "--allow-env", ...permissions],
        `${root}tests/ingest/stores/file/open_program.ts`,
      ],
    }).output();
    return new TextDecoder().decode(stdout).trim();
  };

  assertEquals(await run(), "Reports on files need native code, which Deno loads with --allow-ffi");
  assertEquals(await run("--allow-ffi"), "opened");
});
