import { assertThrows } from "@std/assert";
import { loadSqlite } from "../../../src/ingest/platform/sqlite_module.ts";

Deno.test("loadSqlite() says what is needed where there is no node:sqlite", () => {
  const message = "a folder of events needs SQLite, which Node has since 22.13 and Deno since 2.2";

  assertThrows(() => loadSqlite({}), Error, message);
  assertThrows(() => loadSqlite({ process: {} }), Error, message);
  assertThrows(() => loadSqlite({ process: { getBuiltinModule: () => undefined } }), Error, message);
});
