import { assertEquals, assertStringIncludes } from "@std/assert";
import { createReports, type StoredEvent } from "../../../src/ingest/mod.ts";
import { VIEWS } from "../../../src/ingest/reports/view_query.ts";
import { createSqliteReader, createSqliteSink, withDirectory } from "../stores/sqlite/in_thread.ts";
import { buildEvent, buildPageview, SITE } from "./fixtures.ts";
import { createReferenceStore } from "./reference_store.ts";
import { storeEvents } from "./report_store.ts";
import { ask, createTestReports, NOW_MS, SECRET, TEST_KEY } from "./reports_fixtures.ts";

const buildStep = (name: string, timestamp: string): StoredEvent =>
  buildEvent({ name, timestamp, pageUrl: `${SITE}/`, sessionId: "s-1", anonymousId: "v-1" });

const STEPS = [buildStep("a", "2026-03-30T10:00:00.000Z"), buildStep("b", "2026-03-30T10:01:00.000Z")];

/** The last ones are of the last minutes. */
const EVENTS = [
  ...STEPS,
  buildStep("c", "2026-03-31T11:45:00.000Z"),
  buildPageview({ timestamp: "2026-03-31T11:59:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
];

const OF_PERSON = {
  method: "POST",
  headers: { Authorization: `Bearer ${SECRET}`, "Content-Type": "application/x-www-form-urlencoded" },
  body: "anonymousId=v-1",
};

Deno.test("createReports() answers with every view of a SQLite file, as a page, JSON and CSV, as the reference does", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.db`;
    const sink = await createSqliteSink({ path });
    await storeEvents(sink, EVENTS);
    const errors: unknown[] = [];
    const options = { keys: [TEST_KEY], now: () => NOW_MS, onError: (error: unknown) => void errors.push(error) };
    const reports = createReports({ ...options, reader: await createSqliteReader({ path }) });
    const expected = await createTestReports(EVENTS, options);

    for (const view of VIEWS) {
      for (const format of ["json", "csv", "html"]) {
        const search = `?view=${view}&format=${format}&stage=step:a&stage=step:b`;
        const answers = await Promise.all([reports, expected].map(async (one) => {
          const answer = await ask(one, search, view === "person" ? OF_PERSON : {});
          return [answer.status, await answer.text()] as const;
        }));
        assertEquals([search, ...answers[0] ?? []], [search, ...answers[1] ?? []]);
        assertEquals(answers[0]?.[0], 200);
      }
    }
    await sink.close();
    assertEquals(errors, []);
  }));

Deno.test("the page shows a funnel of a site without pageviews", async () => {
  const reports = await createTestReports(STEPS);

  const text = await (await ask(reports, "?view=funnel&stage=step:a&stage=step:b")).text();

  assertStringIncludes(text, "1 min 0 s");
  assertEquals(text.includes("There are no events"), false);
});

Deno.test("the page says how much is counted while that isn't all, and JSON does", async () => {
  const reader = { ...createReferenceStore(() => STEPS), progress: () => Promise.resolve(0.437) };
  const reports = await createTestReports([], { reader });

  const page = await (await ask(reports, "")).text();
  const { counted } = await (await ask(reports, "?format=json")).json();
  const whole = await (await ask(await createTestReports(STEPS), "")).text();

  assertStringIncludes(page, "Counted so far: 43% of what is stored.");
  assertEquals([counted, whole.includes("Counted so far")], [0.437, false]);
});
