import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { parseSqlCommand, runSqlCommand, type SqlCommand } from "../../../../src/ingest/server/cli/sql_command.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { at } from "../../reports/visit_fixtures.ts";
import { withFileStore } from "../../stores/file/file_store.ts";

function parse(...args: readonly string[]): SqlCommand {
  const command = parseSqlCommand(args, {});
  if (command === "help") throw new Error("help was asked for");
  return command;
}

/** Asks, and resolves to what stands on the output. */
async function ask(...args: readonly string[]): Promise<string> {
  const output = new PassThrough();
  const written = text(output);
  await runSqlCommand(parse(...args), { output, signal: new AbortController().signal }).finally(() => output.end());
  return await written;
}

Deno.test("vendor-ingest sql answers on the output or in a new file, of all keys or of one", () =>
  withFileStore(async ({ folder, sink }) => {
    await storeEvents(sink, [at("10:00", {}), at("10:01", {})]);
    const [sql, ...args] = ["SELECT count() AS n FROM e", "--sink", `file:${folder}`];
    const out = `${folder}/answer.json`;

    assertEquals(await ask(sql, ...args), "n\n-\n2\n");
    assertEquals(await ask(sql, ...args, "--key", KEY, "--format", "csv"), '"n"\r\n2\r\n');
    assertEquals(await ask(sql, ...args, "--key", "pk_other", "--format=csv"), '"n"\r\n0\r\n');
    assertEquals(await ask(sql, ...args, "--format", "json", "--out", out), "");
    assertEquals(JSON.parse(await Deno.readTextFile(out)), [{ n: 2 }]);
    const fault = await assertRejects(() => ask(sql, ...args, "--out", out), ServerFault);
    assertStringIncludes(fault.message, "there is no whole answer: ");
  }));

Deno.test("vendor-ingest sql answers without a file that is damaged, and then fails with its name", () =>
  withFileStore(async ({ folder, sink, seal }) => {
    await storeEvents(sink, Array.from({ length: 40 }, () => at("10:00", {})));
    await seal();
    await storeEvents(sink, [at("10:01", {})]);
    await Deno.truncate(`${folder}/00000001.parquet`, 100);
    const out = `${folder}/answer.csv`;

    const { message } = await assertRejects(
      () => ask("SELECT count() AS n FROM events", "--sink", `file:${folder}`, "--format", "csv", "--out", out),
      ServerFault,
    );

    assertEquals(await Deno.readTextFile(out), '"n"\r\n1\r\n');
    assertStringIncludes(message, "00000001.parquet");
  }));

Deno.test("parseSqlCommand() says what is wrong", () => {
  const fault = (...args: readonly string[]): string => assertThrows(() => parse(...args), ServerFault).message;

  assertEquals(parse("SELECT 1"), { folder: "events", sql: "SELECT 1", format: "table" });
  assertStringIncludes(fault("SELECT 1", "--sink", "clickhouse:http://ch"), "must be file:FOLDER");
  assertStringIncludes(fault("SELECT 1", "--format", "xml"), "table, csv, json");
  assertStringIncludes(fault(), "SELECT");
});
