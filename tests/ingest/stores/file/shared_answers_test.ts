import { assertEquals, assertRejects } from "@std/assert";
import { type DuckDbConnection, openDuckDb } from "../../../../src/ingest/stores/file/duckdb.ts";
import { createSharedAnswers } from "../../../../src/ingest/stores/file/shared_answers.ts";
import { withDirectory } from "./in_thread.ts";

const VERSION = "SELECT 1 AS version";

/** Opens a connection, and closes it after the test. */
const withConnection = (use: (connection: DuckDbConnection) => Promise<void>): Promise<void> =>
  withDirectory(async (temporaryFolder) => {
    const duckDb = await openDuckDb({ temporaryFolder });
    try {
      await use(await duckDb.connect());
    } finally {
      await duckDb.close();
    }
  });

Deno.test("createSharedAnswers() asks anew for what went with a report that was broken off", () =>
  withConnection(async (connection) => {
    const { within, share } = createSharedAnswers(connection);
    const read = () =>
      within(VERSION, async () => await connection.select(`SELECT * FROM ${await share("SELECT 7 AS n")}`));
    const breakOff = () =>
      within(VERSION, async () => {
        await share("SELECT 7 AS n");
        throw new Error("the report takes longer than 20 s");
      });

    await assertRejects(breakOff, Error, "longer than 20 s");

    assertEquals([await read(), await read()], [[{ n: 7 }], [{ n: 7 }]]);
  }));

Deno.test("createSharedAnswers() keeps no more answers than some views need", () =>
  withConnection(async (connection) => {
    const { within, share } = createSharedAnswers(connection);
    const answers: unknown[] = [];

    for (let n = 0; n < 100; n++) {
      answers.push(
        ...await within(VERSION, async () => await connection.select(`FROM ${await share(`SELECT ${n} AS n`)}`)),
      );
    }
    const [tables] = await connection.select("SELECT count(*)::INT AS count FROM duckdb_tables() WHERE temporary");

    assertEquals(answers, Array.from({ length: 100 }, (_, n) => ({ n })));
    assertEquals(tables, { count: 33 });
  }));
