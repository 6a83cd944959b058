import { assertEquals, assertStringIncludes } from "@std/assert";
import type { StoredEvent } from "../../../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { RANGE, searchOf, textsOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";

const PHONE = { browser: "Safari", version: "Safari 26", system: "iOS", device: "phone", country: "DE" } as const;

const DESKTOP = { browser: "Firefox", version: "Firefox 145", system: "Linux", device: "desktop" } as const;

/** A view of somebody, in a session of its own. */
function view(visitor: string, timestamp: string, dimensions?: StoredEvent["dimensions"]): StoredEvent {
  const event = buildPageview({
    timestamp,
    pageUrl: `${SITE}/`,
    anonymousId: visitor,
    sessionId: `${visitor}${timestamp}`,
  });
  return { ...event, ...(dimensions && { dimensions }) };
}

const EVENTS = [
  view("ada", "2026-01-15T10:00:00.000Z", PHONE),
  view("ada", "2026-03-30T10:00:00.000Z", PHONE),
  view("bob", "2026-03-30T11:00:00.000Z", PHONE),
  view("eve", "2026-03-31T10:00:00.000Z", DESKTOP),
  view("joe", "2026-03-31T11:00:00.000Z"),
  buildPageview({ timestamp: "2026-03-31T11:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
  {
    ...buildEvent({
      timestamp: "2026-03-31T10:01:00.000Z",
      ...{ pageUrl: `${SITE}/`, name: "order", anonymousId: "eve", sessionId: "eve2026-03-31T10:00:00.000Z" },
    }),
    properties: { total: 20 },
    dimensions: DESKTOP,
  },
];

const KEYS = [{ ...TEST_KEY, goals: { Order: { step: "order", value: "total" } } }];

Deno.test("createReports() lists people by what they come with, and each row is what its filter has", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });
  const dimensions = ["visitor", "screen", "signedIn", "device", "browser", "version", "system", "country"] as const;
  const found: Record<string, unknown> = {};

  for (const dimension of dimensions) {
    const { rows } = await reports.audience({ dimension });
    found[dimension] = rows.map(({ label, visitors }) => [label, visitors]);
    for (const { label, views, visitors, sessions, landings, bounceRate } of rows) {
      if (label === null) continue;
      const { current } = await reports.overview({ filters: [{ name: dimension, values: [label] }] });
      assertEquals({ label, views, visitors, sessions, landings, bounceRate }, {
        label,
        views: current.pageviews,
        visitors: current.visitors,
        sessions: current.sessions,
        landings: current.landings,
        bounceRate: current.bounceRate,
      });
    }
  }

  assertEquals(found, {
    visitor: [["new", 3], ["returning", 1]],
    screen: [[null, 4]],
    signedIn: [["no", 4]],
    device: [["phone", 2], [null, 1], ["desktop", 1]],
    browser: [["Safari", 2], [null, 1], ["Firefox", 1]],
    version: [["Safari 26", 2], [null, 1], ["Firefox 145", 1]],
    system: [["iOS", 2], [null, 1], ["Linux", 1]],
    country: [[null, 2], ["DE", 2]],
  });
});

Deno.test("createReports() shows people by device beside a goal, sorted by it, and leads to them", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });

  const search = `${RANGE}&view=audience&dimension=device&goal=Order&sort=goalValue`;
  await withPage(await ask(reports, search), (page) => {
    assertEquals(textsOf(page, "tbody tr:first-child > *"), [
      ...["desktop", "1", "1", "100%", "20", "1", "1", "0%"],
    ]);
    assertEquals(searchOf(page, "tbody a").getAll("filter"), ["device:desktop"]);
    assertStringIncludes(textsOf(page, "main .caption")[0] ?? "", "A session of two rows counts in both;");
    assertEquals(textsOf(page, "[aria-label='Audience by'] a"), [
      ...["New or returning", "Screen", "Signed in", "Browser", "Browser version", "System", "Device", "Country"],
    ]);
  });
  await withPage(await ask(reports, `${RANGE}&view=audience&dimension=country&filter=device:desktop`), (page) => {
    assertEquals(textsOf(page, "main .caption"), [
      "Nothing is known of it: the key's setting dimensions says what is stored, from then on; a row leads to their overview.",
    ]);
  });
  const csv = await (await ask(reports, "?view=audience&dimension=device&format=csv")).text();
  assertEquals(csv.split("\r\n").slice(0, 2), [
    '"Device","Views with consent","Sessions","Visitors","Landings","Bounce rate","Sessions, period before",' +
    '"Visitors, period before"',
    '"phone",2,2,2,2,1,0,0',
  ]);
});
