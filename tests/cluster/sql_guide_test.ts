/**
 * The queries of docs/sql.md, asked of a ClickHouse.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { createClickHouseTarget } from "../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import { OTHER_KEY } from "../ingest/fixtures.ts";
import { ANSWERS, GUIDE_EVENTS, GUIDE_KEY, readQueries, toCells } from "../ingest/sql_guide.ts";
import { readMarkdown } from "../../scripts/docs/markdown.ts";
import { startClickHouse } from "./clickhouse.ts";

Deno.test("each query of the guide to SQL has its answer from ClickHouse, though events came twice", async () => {
  const server = await startClickHouse();
  try {
    const database = await server.createDatabase();
    const target = await createClickHouseTarget({ url: server.url, database });
    await server.run(database, "SYSTEM STOP MERGES events");
    for (const apiKey of [GUIDE_KEY, OTHER_KEY]) {
      const keyHash = await hashKey(apiKey);
      await target.store(GUIDE_EVENTS.map((event) => ({ keyHash, event })));
      await target.store(GUIDE_EVENTS.slice(1).map((event) => ({ keyHash, event })));
    }
    await target.close();

    const answers = [];
    const { view, queries } = await readQueries();
    await server.run(database, view);
    for (const query of queries) {
      answers.push((await server.select(database, query)).map(toCells));
    }

    assertEquals(answers, ANSWERS);
    // The column of a property, of steps that have a number beside it which no integer of 64 bits is.
    const guide = readMarkdown(await Deno.readTextFile(new URL("../../docs/clickhouse.md", import.meta.url)));
    const column = guide.blocks.find(({ code }) => code.startsWith("ALTER TABLE events ADD COLUMN plan"))?.code ?? "";
    await server.run(database, column.trim().replace(/;$/, ""));
    const plans = "SELECT DISTINCT plan FROM events WHERE name = 'signup' ORDER BY plan";
    assertEquals((await server.select(database, plans)).map(({ plan }) => plan), ["free", "pro"]);
  } finally {
    await server.stop();
  }
});
