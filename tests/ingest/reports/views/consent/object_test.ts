import { assertEquals } from "@std/assert";
import type { ConsentView } from "../../../../../src/ingest/reports/views/consent/consent.ts";
import { EVENTS, RANGE, readJson } from "../../answer_fixtures.ts";
import { buildPageview, SITE } from "../../fixtures.ts";
import { createTestReports } from "../../reports_fixtures.ts";

Deno.test("createReports() counts nobody between the days and the weekdays before as newly consented", async () => {
  const days = ["2026-03-22", "2026-03-23", "2026-03-28", "2026-03-29", "2026-03-29", "2026-03-30"];
  const visitors = days.map((day, index) =>
    buildPageview({
      ...{ timestamp: `${day}T10:00:00.000Z`, pageUrl: `${SITE}/` },
      ...{ anonymousId: `a-${index}`, sessionId: `s-${index}` },
    })
  );
  const reports = await createTestReports(visitors);

  const read = async (compare: "before" | "weeks") => {
    const { current, before } = await reports.consent({ from: "2026-03-30", to: "2026-03-30", compare });
    return [before, current].map(({ newlyConsented }) => newlyConsented);
  };

  assertEquals([await read("before"), await read("weeks")], [[2, 1], [1, 1]]);
});

Deno.test("createReports() answers with what came with consent and before it", async () => {
  const { parts, ...consent } = await readJson(`view=consent&${RANGE}`) as { readonly parts: readonly unknown[] };

  assertEquals(consent, {
    view: "consent",
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
      pageviews: { full: 3, aggregate: 1 },
      consentShare: 0.75,
      newlyConsented: 2,
      arrivalsBeforeChoice: 2,
      acceptance: 1,
      arrivals: { full: 1, aggregate: 1 },
      viewsPerArrival: 1,
      viewsPerSession: 2,
    },
    before: {
      ...{ from: "2026-03-28", to: "2026-03-29", pageviews: { full: 1, aggregate: 0 }, consentShare: 1 },
      ...{ newlyConsented: 1, arrivalsBeforeChoice: 1, acceptance: 1 },
    },
    unit: "hour",
    pages: [
      { label: "/teas", pageviews: { full: 2, aggregate: 1 }, consentShare: 2 / 3, before: null },
      {
        ...{ label: "/", pageviews: { full: 1, aggregate: 0 }, consentShare: 1 },
        before: { pageviews: { full: 1, aggregate: 0 }, consentShare: 1 },
      },
    ],
    notes: [],
    pageCount: 2,
    referrers: [
      { label: "https://mail.example", pageviews: { full: 1, aggregate: 0 }, consentShare: 1, before: null },
      { label: "https://search.example", pageviews: { full: 0, aggregate: 1 }, consentShare: 0, before: null },
    ],
    referrerCount: 2,
  });
  assertEquals(parts[35], {
    ...{ from: "2026-03-31T11:00", pageviews: { full: 0, aggregate: 1 }, consentShare: 0 },
    ...{ newlyConsented: 0, arrivalsBeforeChoice: 1, acceptance: 0 },
  });
});

for (
  const [sort, pages, referrers] of [
    ["label&direction=asc", ["/", "/teas"], ["https://mail.example", "https://search.example", null]],
    ["label", ["/teas", "/"], ["https://search.example", "https://mail.example", null]],
    ["views&direction=asc", ["/", "/teas"], ["https://mail.example", "https://search.example", null]],
    ["consentShare&direction=asc", ["/", "/teas"], ["https://search.example", null, "https://mail.example"]],
  ] as const
) {
  Deno.test(`createReports() sorts both lists of consent by ${sort}`, async () => {
    const consent = await readJson(`view=consent&from=2026-03-29&to=2026-03-31&sort=${sort}`) as ConsentView;

    assertEquals(consent.pages.map(({ label }) => label), [...pages]);
    assertEquals(consent.referrers.map(({ label }) => label), [...referrers]);
  });
}

Deno.test("createReports() stands a referrer beside what it was in the period before", async () => {
  const { referrers } = await readJson("view=consent&from=2026-03-31&to=2026-03-31") as ConsentView;
  const beside = await readJson("view=consent&from=2026-03-30&to=2026-03-31", [
    ...EVENTS,
    buildPageview({
      ...{ timestamp: "2026-03-28T10:00:00.000Z", pageUrl: `${SITE}/`, referrer: "https://search.example/" },
      collection: "aggregate",
    }),
  ]) as ConsentView;

  assertEquals(referrers.map(({ before }) => before), [null, null]);
  assertEquals(beside.referrers.map(({ before }) => before?.pageviews), [undefined, { full: 0, aggregate: 1 }]);
});

for (const from of ["2025-04-02", "2025-04-01", "2025-03-31"]) {
  Deno.test(`createReports() counts the newly consented of a year ago whole beside ${from} to 2026-03-31`, async () => {
    const days = ["2024-04-02", "2025-03-31", "2025-04-01", "2025-04-02", "2026-03-31"];
    const reports = await createTestReports(days.map((day, index) =>
      buildPageview({
        ...{ timestamp: `${day}T10:00:00.000Z`, pageUrl: `${SITE}/` },
        ...{ anonymousId: `a-${index}`, sessionId: `s-${index}` },
      })
    ));

    const { before, current } = await reports.consent({ from, to: "2026-03-31", compare: "year" });
    const alone = await Promise.all([before, current].map((days) => reports.consent({ from: days.from, to: days.to })));

    assertEquals(
      [before, current].map(({ newlyConsented }) => newlyConsented),
      alone.map((view) => view.current.newlyConsented),
    );
    assertEquals(before.newlyConsented, before.pageviews.full);
  });
}
