import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ANSWERS, GUIDE_EVENTS, GUIDE_KEY, readQueries, toCells } from "./sql_guide.ts";
import { OTHER_KEY } from "./fixtures.ts";
import { batchOf } from "./stores/sink_contract.ts";
import { createSqliteSink, withDirectory } from "./stores/sqlite/in_thread.ts";

Deno.test("each query of the guide to SQL has its answer from SQLite, read-only", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const sink = await createSqliteSink({ path });
    await sink.store(batchOf(GUIDE_EVENTS, GUIDE_KEY));
    await sink.store(batchOf(GUIDE_EVENTS, OTHER_KEY));
    const [view = "", ...queries] = await readQueries("SQLite");
    using database = new DatabaseSync(path, { readOnly: true });

    database.exec(view);
    const answers = queries.map((query) => database.prepare(query).all().map(toCells));
    await sink.close();

    assertEquals(answers, ANSWERS);
  }));
