import { assertEquals, assertRejects } from "@std/assert";
import type { Engine } from "../../../../src/ingest/reports/sql/engine.ts";
import { buildTables } from "../../../../src/ingest/reports/sql/tables.ts";
import { askFor } from "../visit_fixtures.ts";

Deno.test("buildTables() leaves no query of shared rows running where another fails", async () => {
  const shared: string[] = [];
  const engine: Engine = {
    dialect: { quote: (text) => `'${text}'`, quantile: () => "0" },
    events: "events",
    kept: { sessions: "kept_sessions", visitors: "kept_visitors", owners: "kept_owners" },
    async share(sql) {
      shared.push(sql);
      await Promise.resolve();
      if (sql.includes("'broken'")) throw new Error("given up");
      return "shared";
    },
    select: () => Promise.resolve([]),
    selectColumns: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };

  await assertRejects(
    () => buildTables(engine, askFor({ name: "step", values: ["broken"] }, { name: "step", values: ["whole"] })),
    Error,
    "given up",
  );

  assertEquals(shared.filter((sql) => sql.includes("'whole'")), []);
});
