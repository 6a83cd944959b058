import { assertEquals } from "@std/assert";
import { buildViewBars } from "../../../../../src/ingest/reports/views/overview/bars.ts";
import { buildPageview, SITE } from "../../fixtures.ts";
import { createTestReports } from "../../reports_fixtures.ts";

Deno.test("hours stand beside those of the same clock where clocks changed", async () => {
  // In Berlin clocks went from 2:00 to 3:00 on 29 March 2026, and from 3:00 to 2:00 on 25 October.
  const reports = await createTestReports(
    ["2026-03-28T08:30:00.000Z", "2026-10-24T07:30:00.000Z"].map((timestamp) =>
      buildPageview({ timestamp, pageUrl: `${SITE}/` })
    ),
    { now: () => Date.parse("2026-11-01T00:00:00.000Z") },
  );
  const readBefore = async (day: string): Promise<readonly (string | undefined)[]> => {
    const view = await reports.overview({ from: day, to: day, zone: "Europe/Berlin" });
    const bars = buildViewBars(view, { today: "2026-11-01" });
    return bars.filter(({ before }) => before !== 0).map(({ figures }) => figures.join(" "));
  };

  assertEquals(await readBefore("2026-03-29"), [
    "Sun 29 Mar 2026, 09:00: 0 (0 with consent, 0 before consent); in the period before: 1",
  ]);
  assertEquals(await readBefore("2026-10-25"), [
    "Sun 25 Oct 2026, 09:00: 0 (0 with consent, 0 before consent); in the period before: 1",
  ]);
});

Deno.test("what isn't over, and a week or a month that is cut, are partial", async () => {
  const reports = await createTestReports([], { now: () => Date.parse("2026-03-31T12:30:00.000Z") });
  const readPartial = async (from: string, to: string): Promise<readonly string[]> => {
    const bars = buildViewBars(await reports.overview({ from, to }), { today: "2026-03-31", clock: "12:30" });
    return bars.filter(({ isPartial }) => isPartial).map(({ figures: [first = ""] }) => first);
  };

  assertEquals(await readPartial("2026-03-31", "2026-03-31"), ["Tue 31 Mar 2026, 12:00: 0 so far"]);
  assertEquals(await readPartial("2026-03-01", "2026-03-31"), ["Tue 31 Mar 2026: 0 so far"]);
  // From a Saturday to a Tuesday.
  assertEquals(await readPartial("2025-11-01", "2026-03-31"), [
    "1 Nov – 2 Nov 2025: 0",
    "30 Mar – 31 Mar 2026: 0 so far",
  ]);
  assertEquals(await readPartial("2024-11-15", "2026-03-31"), [
    "15 Nov – 30 Nov 2024: 0",
    "1 Mar – 31 Mar 2026: 0 so far",
  ]);
});
