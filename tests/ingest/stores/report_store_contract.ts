/**
 * What every store of reports has to keep to, run against each of them: examples whose numbers are counted by hand, and any
 * history, counted by the reference.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { createReports, type Reports } from "../../../src/ingest/mod.ts";
import { VIEW_NAMES } from "../../../src/ingest/reports/views/view_query.ts";
import { buildEvent, buildPageview, SITE } from "../reports/fixtures.ts";
import { storeEvents } from "../reports/report_store.ts";
import { ask as askReports, createTestReports, NOW_MS, SECRET, TEST_KEY } from "../reports/reports_fixtures.ts";
import type { RegisterTest, ReportStoreParts } from "./report_store/fixtures.ts";
import { testArrival } from "./report_store/arrival.ts";
import { testBackendSteps } from "./report_store/backends.ts";
import { testFilters } from "./report_store/filters.ts";
import { testFunnels } from "./report_store/funnels.ts";
import { type ReportStoreTestOptions, testHistories } from "./report_store/histories.ts";
import { testPages } from "./report_store/pages.ts";
import { testSources } from "./report_store/sources.ts";
import { testSteps } from "./report_store/steps.ts";
import { testVisitors } from "./report_store/visitors.ts";
import { testVisits } from "./report_store/visits.ts";

/** Opens a store that holds nothing, and closes it after the test. */
export type WithReportStore = (use: (parts: ReportStoreParts) => Promise<void>) => Promise<void>;

/** Reads a view as a program does. */
async function callTool(reports: Reports, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  const answer = await reports(
    new Request("https://ingest.shop.example/mcp", {
      method: "POST",
      headers: { "Authorization": `Bearer ${SECRET}`, "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    }),
  );
  return (await answer?.json()).result.content[0].text;
}

/** Registers the tests of a store. */
export function testReportStore(
  name: string,
  withStore: WithReportStore,
  options: ReportStoreTestOptions = {},
): void {
  const test: RegisterTest = (what, use) => Deno.test(`${name} ${what}`, () => withStore(use));

  test("answers with every view as the reference does: as a page, JSON and CSV", async ({ sink, store }) => {
    const ada = { pageUrl: `${SITE}/teas`, sessionId: "s-1", anonymousId: "v-1" } as const;
    const events = [
      buildEvent({ ...ada, name: "a", timestamp: "2026-03-30T10:00:00.000Z" }),
      buildEvent({ ...ada, name: "b", timestamp: "2026-03-30T10:01:00.000Z" }),
      // In the last minutes.
      buildEvent({ ...ada, name: "c", timestamp: "2026-03-31T11:45:00.000Z" }),
      buildPageview({ timestamp: "2026-03-31T11:59:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
      buildPageview({
        timestamp: "2026-03-31T11:00:00.000Z",
        pageUrl: "https://blog.example/",
        sessionId: "s-2",
        anonymousId: "v-2",
      }),
    ];
    await storeEvents(sink, events);
    const errors: unknown[] = [];
    const options = { now: () => NOW_MS, onError: (error: unknown) => void errors.push(error) };
    const reports = createReports({ ...options, keys: [TEST_KEY], reader: store });
    const expected = await createTestReports(events, options);
    const ofPerson = {
      method: "POST",
      headers: { Authorization: `Bearer ${SECRET}` },
      body: new URLSearchParams({ anonymousId: "v-1" }),
    };

    for (const view of VIEW_NAMES) {
      for (const format of ["json", "csv", "html"]) {
        const search = `?view=${view}&format=${format}&stage=step:a&stage=step:b`;
        const [answer, wanted] = await Promise.all([reports, expected].map(async (one) => {
          const { status, text } = await askReports(one, search, view === "person" ? ofPerson : {})
            .then(async (response) => ({ status: response.status, text: await response.text() }));
          return [search, status, format === "json" ? JSON.parse(text) : text];
        }));
        assertEquals(answer, wanted);
        assertEquals(answer?.[1], 200);
      }
      if (view === "person") continue;
      const stages = view === "funnel" ? ["step:a", "step:b"] : [];
      const call = { name: view, arguments: stages.length > 0 ? { stage: stages } : {} };
      const search = `?view=${view}&format=json${stages.map((stage) => `&stage=${stage}`).join("")}`;
      assertEquals(await callTool(reports, call), await (await askReports(reports, search)).text());
    }
    assertEquals(errors, []);
  });

  testVisits(test);
  testPages(test);
  testSources(test);
  testSteps(test);
  testFilters(test);
  testFunnels(test);
  testVisitors(test);
  testArrival(test);
  if (options.knowsBackends) testBackendSteps(test);
  testHistories(test, options);
}
