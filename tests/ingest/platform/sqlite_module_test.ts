import { assertThrows } from "@std/assert";
import { loadSqlite } from "../../../src/ingest/platform/sqlite_module.ts";

Deno.test("loadSqlite() says what is needed where there is no node:sqlite", () => {
  const message = "SQLite needs node:sqlite, which Deno has since 2.2 and Node since 22.13";

  assertThrows(() => loadSqlite({}), Error, message);
  assertThrows(() => loadSqlite({ process: {} }), Error, message);
  assertThrows(() => loadSqlite({ process: { getBuiltinModule: () => undefined } }), Error, message);
});
