import { assertEquals } from "@std/assert";
import { buildEvent, buildPageview, SITE } from "./fixtures.ts";
import { ask, createTestReports, readProblem, REPORTS_URL, SECRET, TEST_KEY } from "./reports_fixtures.ts";

const EVENTS = [
  buildPageview({ timestamp: "2026-03-30T10:00:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-1" }),
  buildPageview({
    timestamp: "2026-03-31T10:00:00.000Z",
    pageUrl: `${SITE}/teas`,
    referrer: "https://search.example/",
    sessionId: "s-1",
  }),
  buildPageview({ timestamp: "2026-03-31T11:00:00.000Z", pageUrl: `${SITE}/teas`, collection: "aggregate" }),
  buildEvent({
    timestamp: "2026-03-31T10:01:00.000Z",
    pageUrl: `${SITE}/teas`,
    name: "=signup",
    sessionId: "s-2",
    violation: "missing",
  }),
];

const RANGE = "from=2026-03-30&to=2026-03-31";

Deno.test("createReports() leaves other paths to others", async () => {
  const reports = await createTestReports([]);
  const headers = { Authorization: `Bearer ${SECRET}` };

  assertEquals(await reports(new Request("https://ingest.shop.example/", { headers })), undefined);
  assertEquals(await reports(new Request(`${REPORTS_URL}/`, { headers })), undefined);
  assertEquals(await reports(new Request(`${REPORTS_URL}x`, { headers })), undefined);
  assertEquals(await reports(new Request("https://ingest.shop.example/v1/events", { headers })), undefined);
});

Deno.test("createReports() answers at the path it is given", async () => {
  const reports = await createTestReports([], { path: "/admin/numbers" });

  const answer = await reports(new Request("https://ingest.shop.example/admin/numbers?format=json"));

  assertEquals(answer?.status, 401);
  assertEquals(await reports(new Request(REPORTS_URL)), undefined);
});

Deno.test("createReports() answers with JSON", async () => {
  const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, pageviewAllowance: 10 }] });

  const answer = await ask(reports, `?format=json&${RANGE}`);

  assertEquals(answer.status, 200);
  assertEquals(answer.headers.get("Content-Type"), "application/json");
  assertEquals(
    answer.headers.get("Content-Disposition"),
    'attachment; filename="report-shop.example-2026-03-30-2026-03-31.json"',
  );
  assertEquals(await answer.json(), {
    site: SITE,
    from: "2026-03-30",
    to: "2026-03-31",
    timeZone: "UTC",
    totals: {
      pageviews: { full: 2, aggregate: 1, total: 3 },
      visitors: 0,
      users: 0,
      sessions: 2,
      events: 4,
      paths: 2,
      referrers: 2,
      names: 2,
      violations: 1,
    },
    allowance: { month: "2026-03", used: 3, limit: 10 },
    days: [
      { day: "2026-03-30", full: 1, aggregate: 0, total: 1, sessions: 1 },
      { day: "2026-03-31", full: 1, aggregate: 1, total: 2, sessions: 2 },
    ],
    paths: [{ path: "/teas", full: 1, aggregate: 1, total: 2 }, { path: "/", full: 1, aggregate: 0, total: 1 }],
    referrers: [
      { referrer: null, full: 1, aggregate: 1, total: 2 },
      { referrer: "https://search.example", full: 1, aggregate: 0, total: 1 },
    ],
    events: [{ name: "$pageview", count: 3 }, { name: "=signup", count: 1 }],
    violations: [{ name: "=signup", kind: "missing", count: 1 }],
    pageviews: [
      { day: "2026-03-30", path: "/", full: 1, aggregate: 0, total: 1 },
      { day: "2026-03-31", path: "/teas", full: 1, aggregate: 1, total: 2 },
    ],
  });
});

Deno.test("createReports() takes the other origins of a key for no referrers", async () => {
  const events = ["https://blog.example/tea", "https://search.example/"].map((referrer) =>
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, referrer })
  );
  const reports = await createTestReports(events, {
    keys: [{ ...TEST_KEY, origins: [SITE, "https://blog.example"] }],
  });

  const { referrers } = await (await ask(reports, `?format=json&${RANGE}`)).json();

  assertEquals(referrers, [{ referrer: "https://search.example", full: 1, aggregate: 0, total: 1 }]);
});

Deno.test("createReports() answers with CSV, pageviews by day and path unless another table is named", async () => {
  const reports = await createTestReports(EVENTS);

  const answer = await ask(reports, `?format=csv&${RANGE}`);

  assertEquals(answer.headers.get("Content-Type"), "text/csv; charset=utf-8; header=present");
  assertEquals(
    answer.headers.get("Content-Disposition"),
    'attachment; filename="pageviews-shop.example-2026-03-30-2026-03-31.csv"',
  );
  assertEquals(
    await answer.text(),
    '"day","path","full","aggregate","total"\r\n"2026-03-30","/",1,0,1\r\n"2026-03-31","/teas",1,1,2\r\n',
  );
  assertEquals(
    await (await ask(reports, `?format=csv&table=days&from=2026-03-29&to=2026-03-31`)).text(),
    '"day","full","aggregate","total","sessions"\r\n"2026-03-29",0,0,0,0\r\n"2026-03-30",1,0,1,1\r\n"2026-03-31",1,1,2,2\r\n',
  );
  assertEquals(
    await (await ask(reports, `?format=csv&table=paths&${RANGE}`)).text(),
    '"path","full","aggregate","total"\r\n"/teas",1,1,2\r\n"/",1,0,1\r\n',
  );
  assertEquals(
    await (await ask(reports, `?format=csv&table=referrers&${RANGE}`)).text(),
    '"referrer","full","aggregate","total"\r\n,1,1,2\r\n"https://search.example",1,0,1\r\n',
  );
  assertEquals(
    await (await ask(reports, `?format=csv&table=events&${RANGE}`)).text(),
    `"name","count"\r\n"$pageview",3\r\n"'=signup",1\r\n`,
  );
  assertEquals(
    await (await ask(reports, `?format=csv&table=violations&${RANGE}`)).text(),
    `"name","kind","count"\r\n"'=signup","missing",1\r\n`,
  );
});

Deno.test("createReports() has the first site and the last 30 days when nothing is named", async () => {
  const reports = await createTestReports(EVENTS);

  const { site, from, to, days, allowance } = await (await ask(reports, "?format=json")).json();

  assertEquals({ site, from, to, allowance }, {
    site: SITE,
    from: "2026-03-02",
    to: "2026-03-31",
    allowance: { month: "2026-03", used: 3, limit: null },
  });
  assertEquals(days.length, 30);
});

Deno.test("createReports() takes an empty field of its form for one that isn't there", async () => {
  const reports = await createTestReports(EVENTS);

  const { site, from, to } = await (await ask(reports, "?format=json&site=&from=&to=2026-02-28")).json();

  assertEquals({ site, from, to }, { site: SITE, from: "2026-01-30", to: "2026-02-28" });
});

Deno.test("createReports() makes files that are still valid without events", async () => {
  const reports = await createTestReports([]);

  const { totals, pageviews } = await (await ask(reports, `?format=json&${RANGE}`)).json();

  assertEquals([totals.events, pageviews], [0, []]);
  assertEquals(
    await (await ask(reports, `?format=csv&${RANGE}`)).text(),
    '"day","path","full","aggregate","total"\r\n',
  );
  assertEquals(await (await ask(reports, `?format=csv&table=events&${RANGE}`)).text(), '"name","count"\r\n');
});

Deno.test("createReports() keeps the sites of a key apart", async () => {
  const reports = await createTestReports([
    ...EVENTS,
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: "https://blog.example/post" }),
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: "https://unregistered.example/" }),
  ]);

  const blog = await (await ask(reports, `?format=json&${RANGE}&site=https://blog.example`)).json();
  const unregistered = await ask(reports, `?format=json&${RANGE}&site=https://unregistered.example`);

  assertEquals(blog.paths, [{ path: "/post", full: 1, aggregate: 0, total: 1 }]);
  assertEquals(unregistered.status, 404);
  assertEquals(await unregistered.json(), {
    error: {
      code: "unknown_site",
      message: "this site isn't registered for the key; its sites are https://shop.example, https://blog.example",
    },
  });
});

Deno.test("createReports() opens each key's reports with its own secret", async () => {
  const reports = await createTestReports(EVENTS, {
    keys: [
      { apiKey: "pk_test_1", secretKey: "sk_other_0123456789", origins: [SITE] },
      { apiKey: "pk_test_2", secretKey: SECRET, origins: [SITE] },
    ],
  });

  const { totals } = await (await ask(reports, `?format=json&${RANGE}`)).json();

  assertEquals(totals.events, 0);
});

Deno.test("createReports() lists the sites that sent something for a key that any site may use", async () => {
  const reports = await createTestReports(EVENTS, {
    keys: [{ apiKey: "pk_test_1", secretKey: SECRET, origins: "any" }],
  });
  const empty = await createTestReports([], { keys: [{ apiKey: "pk_test_1", secretKey: SECRET, origins: "any" }] });

  assertEquals((await (await ask(reports, `?format=json&${RANGE}`)).json()).site, SITE);
  const refused = await readProblem(await ask(empty, `?format=json&${RANGE}`));
  assertEquals([refused.status, refused.body.error.code], [404, "unknown_site"]);
});
