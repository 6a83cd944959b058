import { assertEquals, assertRejects } from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { packAnswer } from "../../../../src/ingest/stores/file/pack_answer.ts";
import { queryFolder } from "../../../../src/ingest/stores/file/query_folder.ts";
import { writeAnswer } from "../../../../src/ingest/server/cli/sql_answer.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { at } from "../../reports/visit_fixtures.ts";
import { withFileStore } from "./file_store.ts";

Deno.test("queryFolder() lets a statement read the events, and nothing else", () =>
  withFileStore(async ({ folder, sink, seal }) => {
    // One file, and a tail.
    await storeEvents(sink, Array.from({ length: 40 }, (_, index) => at("10:00", { session: `s-${index}` })));
    await seal();
    await storeEvents(sink, [at("10:01", { session: "late" })]);
    await Deno.writeTextFile(`${folder}/secret.csv`, "a,b\n1,2\n");
    const count = async (sql: string): Promise<unknown> => (await queryFolder({ folder, sql })).rows[0]?.[0];

    assertEquals(await count("SELECT count() FROM events"), 41n);
    assertEquals(await count("WITH x AS (SELECT * FROM e) SELECT count() FROM x;"), 41n);
    assertEquals(await count(`SELECT count(*) FROM read_parquet('${folder}/00000001.parquet')`), 40n);
    for (
      const [sql, message] of [
        ["SELECT 1; SELECT 2", "it takes one statement"],
        ["", "it takes one statement"],
        ["DROP VIEW events", "it takes a statement that reads"],
        ["DELETE FROM tail", "it takes a statement that reads"],
        [`COPY (SELECT 1) TO '${folder}/00000001.parquet' (FORMAT parquet)`, "it takes a statement that reads"],
        ["SET memory_limit = '1TB'", "it takes a statement that reads"],
        ["ATTACH 'other.db'", "it takes a statement that reads"],
        ["INSTALL httpfs", "it takes a statement that reads"],
        [`SELECT * FROM read_csv('${folder}/secret.csv')`, "Permission Error"],
        [`SELECT * FROM read_text('${folder}/tail.db')`, "Permission Error"],
        [`SELECT * FROM glob('/etc/*')`, "Permission Error"],
        ["SELECT nonsense FROM e", "Binder Error"],
        ["SELECT * FROM range(1000001)", "the answer has more than 1000000 rows"],
      ] as const
    ) {
      await assertRejects(() => queryFolder({ folder, sql }), Error, message);
    }
  }));

Deno.test("queryFolder() names a file that is damaged where the statement reads it, and reads the rest", () =>
  withFileStore(async ({ folder, sink, seal }) => {
    await storeEvents(sink, Array.from({ length: 40 }, (_, index) => at("10:00", { session: `s-${index}` })));
    await seal();
    await storeEvents(sink, [at("10:01", { session: "late" })]);
    const path = `${folder}/00000001.parquet`;
    const whole = await Deno.readFile(path);
    for (const bytes of [whole.slice().fill(0xff, 300, 900), whole.slice(0, 900)]) {
      await Deno.writeFile(path, bytes);

      const { rows, damaged } = await queryFolder({ folder, sql: "SELECT * FROM events" });

      assertEquals([rows.length, damaged.map(({ file, events }) => [file, events])], [1, [["00000001.parquet", 40]]]);
      assertEquals(damaged[0]?.message.startsWith(`the file of events "${path}" can't be read:`), true);
    }
  }));

Deno.test("queryFolder() answers in every form", () =>
  withFileStore(async ({ folder }) => {
    const sql = `SELECT 1::BIGINT AS whole, -2.5::DOUBLE AS half, 'a "b", =c' AS text, NULL AS nothing, true AS yes,
      DATE '2026-01-31' AS day, TIMESTAMP '2026-01-31 10:00:00' AS at, [1, 2] AS list, 12345678901234567890::HUGEINT AS huge`;
    const answer = await queryFolder({ folder, sql });

    assertEquals(
      writeAnswer(answer, "csv"),
      `"whole","half","text","nothing","yes","day","at","list","huge"\r\n` +
        `1,-2.5,"a ""b"", =c",,"true","2026-01-31","2026-01-31T10:00:00.000Z","[1,2]","12345678901234567890"\r\n`,
    );
    assertEquals(JSON.parse(writeAnswer(answer, "json")), [{
      ...{ whole: 1, half: -2.5, text: 'a "b", =c', nothing: null, yes: true, day: "2026-01-31" },
      ...{ at: "2026-01-31T10:00:00.000Z", list: [1, 2], huge: "12345678901234567890" },
    }]);
    assertEquals(
      writeAnswer({ columns: ["path", "views"], rows: [["/a", 12n], ["/longer", 3n]] }, "table"),
      "path     views\n-------  -----\n/a       12\n/longer  3\n",
    );
    const packed = await packAnswer(answer);
    assertEquals(await parquetReadObjects({ file: packed.slice().buffer }), [{
      ...{ whole: 1n, half: -2.5, text: 'a "b", =c', nothing: null, yes: true, day: "2026-01-31" },
      ...{ at: new Date("2026-01-31T10:00:00Z"), list: "[1,2]", huge: "12345678901234567890" },
    }]);
  }));
