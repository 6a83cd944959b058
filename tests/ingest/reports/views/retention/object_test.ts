import { assertEquals } from "@std/assert";
import { createTestReports } from "../../reports_fixtures.ts";

Deno.test("createReports() has no cohorts of periods to come", async () => {
  const reports = await createTestReports([]);

  const { cohorts, isRunning } = await reports.retention({ from: "2026-03-16", to: "2026-05-31", unit: "week" });

  assertEquals([cohorts.map(({ from }) => from), isRunning], [["2026-03-16", "2026-03-23", "2026-03-30"], true]);
});
