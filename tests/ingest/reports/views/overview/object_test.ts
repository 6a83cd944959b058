import { assertEquals, assertRejects } from "@std/assert";
import { EVENTS, RANGE, readJson } from "../../answer_fixtures.ts";
import { buildPageview, SITE } from "../../fixtures.ts";
import { searchOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";

/** Keeps of an object the fields that another one has. */
function keepFields(whole: unknown, part: unknown): unknown {
  if (typeof whole !== "object" || whole === null || typeof part !== "object" || part === null) return whole;
  const fields = new Map(Object.entries(whole));
  return Object.fromEntries(Object.entries(part).map(([name, of]) => [name, keepFields(fields.get(name), of)]));
}

Deno.test("createReports() answers with the overview, beside the days before until the same hour", async () => {
  const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, pageviewAllowance: 10 }] });

  const answer = await ask(reports, `?format=json&${RANGE}`);
  const { parts, partsBefore, lists, ...overview } = await answer.json();

  assertEquals(answer.headers.get("Content-Type"), "application/json");
  assertEquals(
    answer.headers.get("Content-Disposition"),
    'attachment; filename="overview-shop.example-2026-03-30-2026-03-31.json"',
  );
  assertEquals(overview, {
    view: "overview",
    site: SITE,
    from: "2026-03-30",
    to: "2026-03-31",
    zone: "UTC",
    traffic: "people",
    filters: [],
    compare: "before",
    current: {
      from: "2026-03-30",
      to: "2026-03-31",
      start: "2026-03-30T00:00:00.000Z",
      end: "2026-04-01T00:00:00.000Z",
      pageviews: { full: 3, aggregate: 1 },
      consentShare: 0.75,
      visitors: 2,
      users: 1,
      sessions: 2,
      landings: 1,
      viewsPerSession: 2,
      bounceRate: 0,
      instantSessions: 1,
      medianSessionMs: 120_000,
      engagedMsPerView: null,
    },
    before: {
      from: "2026-03-28",
      to: "2026-03-29",
      start: "2026-03-28T00:00:00.000Z",
      end: "2026-03-29T12:00:00.000Z",
      pageviews: { full: 1, aggregate: 0 },
      consentShare: 1,
      visitors: 1,
      users: 0,
      sessions: 1,
      landings: 1,
      viewsPerSession: 1,
      bounceRate: 1,
      instantSessions: 1,
      medianSessionMs: null,
      engagedMsPerView: null,
    },
    unit: "hour",
    notes: [],
    flagged: { bots: { full: 0, aggregate: 0 }, own: { full: 0, aggregate: 0 } },
    allowance: { month: "2026-03", used: 6, limit: 10 },
  });
  for (const [view, { rows, count }] of Object.entries<{ rows: unknown[]; count: number }>(lists)) {
    const whole = await readJson(`view=${view}&${RANGE}`, EVENTS) as { rows: unknown[]; count?: number };
    const same = whole.rows.map((row, index) => keepFields(row, rows[index]));
    assertEquals([view, rows, count], [view, same, whole.count ?? whole.rows.length]);
  }
  assertEquals(Object.keys(lists.pages.rows[0]), ["path", "views", "before"]);
  assertEquals(Object.keys(lists.steps.rows[0]), ["name", "count", "before"]);
  assertEquals(Object.keys(lists), ["pages", "sources", "steps", "goals"]);
  assertEquals([parts.length, partsBefore.length], [48, 36]);
  assertEquals(parts[34], {
    from: "2026-03-31T10:00",
    start: "2026-03-31T10:00:00.000Z",
    end: "2026-03-31T11:00:00.000Z",
    pageviews: { full: 2, aggregate: 0 },
    consentShare: 1,
    visitors: 1,
    users: 1,
    sessions: 1,
    landings: 1,
    viewsPerSession: 2,
    bounceRate: 0,
    instantSessions: 0,
  });
});

Deno.test("createReports() counts the days of a zone", async () => {
  const late = [buildPageview({ timestamp: "2026-03-28T23:30:00.000Z", pageUrl: `${SITE}/` })];
  const viewsOf = async (search: string): Promise<unknown> => {
    const { current, zone } = await readJson(`from=2026-03-29&to=2026-03-29${search}`, late) as {
      readonly zone: string;
      readonly current: { readonly start: string; readonly pageviews: { readonly full: number } };
    };
    return [zone, current.start, current.pageviews.full];
  };

  assertEquals(await viewsOf(""), ["UTC", "2026-03-29T00:00:00.000Z", 0]);
  assertEquals(await viewsOf("&zone=Europe/Berlin"), ["Europe/Berlin", "2026-03-28T23:00:00.000Z", 1]);
});

Deno.test("createReports() counts in the days of the key's zone, unless another is named", async () => {
  const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, zone: "Europe/Berlin" }] });
  const zoneOf = async (search: string): Promise<unknown> => (await (await ask(reports, search)).json()).zone;

  assertEquals(await zoneOf("?format=json"), "Europe/Berlin");
  assertEquals(await zoneOf("?format=json&zone=UTC"), "UTC");
  for (const [search, zone] of [["", null], ["?zone=UTC", "UTC"], ["?zone=Asia/Kolkata", "Asia/Kolkata"]] as const) {
    await withPage(await ask(reports, search), (page) => {
      assertEquals(searchOf(page, "nav[aria-label=Sections] a").get("zone"), zone);
    });
  }
  for (const settings of [{ zone: "Berlin" }, { currency: "euro" }]) {
    await assertRejects(() => createTestReports([], { keys: [{ ...TEST_KEY, ...settings }] }), TypeError, "keys[0].");
  }
});
