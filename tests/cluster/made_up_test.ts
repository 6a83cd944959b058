import { assert, assertEquals } from "@std/assert";
import { measureMadeUp } from "../../scripts/bench/report_data/measure_made_up.ts";
import { SHOP_ORIGIN } from "../../scripts/bench/report_data/shop.ts";
import { createReports } from "../../src/ingest/mod.ts";
import { createSqliteReader } from "../../src/ingest/stores/sqlite/sqlite_reader.ts";
import { KEY } from "../ingest/fixtures.ts";
import { DIRECTORY } from "./program.ts";

const LAST_DAY = "2026-11-20";

Deno.test("texts that no two events share take at most twice the bytes and three times the time, and lists sum them", async () => {
  const directory = await Deno.makeTempDir({ dir: DIRECTORY });
  const options = { apiKey: KEY, lastDay: LAST_DAY, events: 50_000, batchSize: 1000 };
  const { madeUp, isWithin } = await measureMadeUp(directory, options);
  const reader = await createSqliteReader({ path: madeUp });
  const reports = createReports({
    keys: [{ apiKey: KEY, secretKey: "sk_test_0123456789", origins: [SHOP_ORIGIN] }],
    reader,
    now: () => Date.parse(LAST_DAY) + 24 * 60 * 60 * 1000,
  });
  const year = { from: "2025-11-21", to: LAST_DAY };
  const [{ current }, pages] = [await reports.overview(year), await reports.pages(year)];
  await reader.close();
  await Deno.remove(directory, { recursive: true });

  assert(isWithin, "see above");
  assertEquals(pages.rows.length, 10_000);
  assertEquals(pages.rows.every(({ views }) => views.full + views.aggregate === 1), true);
  const listed = pages.rows.filter(({ views }) => views.full === 1).length;
  assertEquals(listed + (pages.other?.views.full ?? 0), current.pageviews.full);
});
