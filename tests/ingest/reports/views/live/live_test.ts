import { assertEquals, assertStringIncludes } from "@std/assert";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";
import { createEventModel } from "../../event_model.ts";
import { createReferenceStore } from "../../reference_store.ts";

const BLOG = "https://blog.example";

const ADA = { anonymousId: "ada", sessionId: "s-1" } as const;

// It is noon.
const EVENTS = [
  buildPageview({ ...ADA, timestamp: "2026-03-31T11:29:59.999Z", pageUrl: `${SITE}/early` }),
  buildPageview({ anonymousId: "bob", sessionId: "s-2", timestamp: "2026-03-31T11:30:00.000Z", pageUrl: `${SITE}/` }),
  buildEvent({ ...ADA, timestamp: "2026-03-31T11:55:00.000Z", pageUrl: `${SITE}/`, name: "order" }),
  buildPageview({ timestamp: "2026-03-31T11:59:59.999Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
  buildPageview({ anonymousId: "eve", sessionId: "s-3", timestamp: "2026-03-30T10:00:00.000Z", pageUrl: `${BLOG}/` }),
  buildPageview({ timestamp: "2026-03-29T10:00:00.000Z", pageUrl: `${BLOG}/`, collection: "aggregate" }),
];

Deno.test("createReports() counts the last 30 minutes, each of them, and who is there now", async () => {
  const reports = await createTestReports(EVENTS);

  const answer = await ask(reports, "?view=live&format=json&zone=Asia/Tokyo&from=2026-01-01&to=2026-01-31");
  const { current, parts, pages, sources, steps, ...view } = await answer.json();

  assertEquals(answer.headers.get("Content-Disposition"), 'attachment; filename="live-shop.example.json"');
  assertEquals(view, {
    view: "live",
    site: SITE,
    from: "2026-03-31",
    to: "2026-03-31",
    zone: "Asia/Tokyo",
    traffic: "people",
    filters: [],
    visitorsNow: 1,
    by: "channel",
  });
  assertEquals([current.start, current.end, current.visitors, current.sessions, current.pageviews], [
    ...["2026-03-31T11:30:00.000Z", "2026-03-31T12:00:00.000Z", 2, 1],
    { full: 1, aggregate: 1 },
  ]);
  assertEquals([parts.length, parts[0].from, parts[0].start, parts[29].from], [
    ...[30, "2026-03-31T20:30", "2026-03-31T11:30:00.000Z", "2026-03-31T20:59"],
  ]);
  assertEquals(
    parts.map(({ pageviews }: { pageviews: unknown }) => pageviews).filter((_: unknown, index: number) =>
      index % 29 === 0
    ),
    [{ full: 1, aggregate: 0 }, { full: 0, aggregate: 1 }],
  );
  assertEquals([pages.length, pages[0].path, pages[0].views], [1, "/", { full: 1, aggregate: 1 }]);
  assertEquals(sources.map(({ label, sessions }: { label: string; sessions: number }) => [label, sessions]), [
    ["Direct or unknown", 1],
  ]);
  assertEquals(steps, [{ name: "order", count: 1, visitors: 1 }]);
  assertEquals((await reports.live({ zone: "Asia/Tokyo" })).current, current);
});

Deno.test("createReports() has the days that the last 30 minutes are in, narrows them by filters, and lists them as CSV", async () => {
  const reports = await createTestReports(EVENTS, { now: () => Date.parse("2026-03-31T00:10:00.000Z") });
  const { from, to } = await reports.live();
  const narrowed = await (await createTestReports(EVENTS)).live({ filters: [{ name: "step", values: ["order"] }] });
  const csv = await (await ask(await createTestReports(EVENTS), "?view=live&format=csv")).text();

  assertEquals([from, to], ["2026-03-30", "2026-03-31"]);
  assertEquals([narrowed.current.visitors, narrowed.current.consentShare], [1, null]);
  assertEquals([csv.split("\r\n").length, csv.split("\r\n")[1]], [33, '"2026-03-31T11:30",1,0,1,1,0,1,1,1,1']);
});

Deno.test("createReports() compares all sites of a key", async () => {
  const reports = await createTestReports(EVENTS);

  const { rows, count, ...view } = await (await ask(reports, "?view=sites&format=json&from=2026-03-30")).json();
  const csv = await ask(reports, "?view=sites&format=csv&from=2026-03-30");
  const nothing = { visitors: 0, sessions: 0, pageviews: { full: 0, aggregate: 0 }, consentShare: null };

  assertEquals(view, {
    view: "sites",
    from: "2026-03-30",
    to: "2026-03-31",
    zone: "UTC",
    traffic: "people",
    filters: [],
    compare: "before",
  });
  assertEquals(rows, [
    {
      site: SITE,
      visitors: 2,
      sessions: 2,
      pageviews: { full: 2, aggregate: 1 },
      consentShare: 2 / 3,
      before: nothing,
    },
    {
      site: BLOG,
      visitors: 1,
      sessions: 1,
      pageviews: { full: 1, aggregate: 0 },
      consentShare: 1,
      before: { ...nothing, pageviews: { full: 0, aggregate: 1 }, consentShare: 0 },
    },
  ]);
  assertEquals(count, 2);
  assertEquals(csv.headers.get("Content-Disposition"), 'attachment; filename="sites-2026-03-30-2026-03-31.csv"');
  assertEquals((await csv.text()).split("\r\n")[2], '"https://blog.example",1,1,0,1,1,0,0,1,0,0');
  assertEquals((await reports.sites({ from: "2026-03-30" })).rows, rows);
});

Deno.test("createReports() compares 50 sites at most, those with the most events, a few at a time", async () => {
  const origins = Array.from({ length: 60 }, (_, index) => `https://site-${index}.example`);
  const { sink, eventsOf } = createEventModel();
  const events = origins.slice(-55).map((origin, index) =>
    Array.from(
      { length: index + 1 },
      () => buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${origin}/` }),
    )
  );
  await sink.store({ apiKey: TEST_KEY.apiKey, events: events.flat() });
  const store = createReferenceStore(eventsOf);
  let [pending, most] = [0, 0];
  const reader: typeof store = {
    ...store,
    overview: async (...args) => {
      most = Math.max(most, ++pending);
      try {
        await Promise.resolve();
        return await store.overview(...args);
      } finally {
        pending--;
      }
    },
  };
  const reports = await createTestReports([], { keys: [{ ...TEST_KEY, origins }], reader });

  const { rows, count } = await reports.sites();

  assertEquals([rows.length, count, rows[0]?.site, rows.at(-1)?.site], [50, 60, origins.at(-1), origins.at(-50)]);
  assertEquals(most, 10);
  const page = await (await ask(reports, "?view=sites")).text();
  assertStringIncludes(page, "50 of 60 sites");
});
