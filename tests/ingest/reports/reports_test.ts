import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { findNamedSite, findUsualSite } from "../../../src/ingest/reports/query/query.ts";
import { EVENTS, RANGE, readCsv, readJson } from "./answer_fixtures.ts";
import { buildPageview, SITE } from "./fixtures.ts";
import { ask, createTestReports, readProblem, REPORTS_URL, SECRET, TEST_KEY } from "./reports_fixtures.ts";

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

Deno.test("createReports() narrows a view by filters, and has no share where they leave nothing before consent", async () => {
  const readCurrent = async (search: string): Promise<unknown> => {
    const { current: { pageviews, consentShare, sessions } } = await readJson(`${RANGE}&${search}`) as {
      readonly current: Readonly<Record<string, unknown>>;
    };
    return { pageviews, consentShare, sessions };
  };

  assertEquals(await readCurrent("filter=page:/teas"), {
    pageviews: { full: 2, aggregate: 1 },
    consentShare: 2 / 3,
    sessions: 2,
  });
  assertEquals(await readCurrent("filter=campaign:spring"), {
    pageviews: { full: 2, aggregate: 0 },
    consentShare: null,
    sessions: 1,
  });
  assertEquals(await readCurrent("filter=campaign:spring&filter=campaign:"), {
    pageviews: { full: 3, aggregate: 0 },
    consentShare: null,
    sessions: 2,
  });
});

Deno.test("createReports() writes paths by the rules of the key", async () => {
  const pathRules = { patterns: ["/:page"], dropsTrailingSlash: true };
  const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, pathRules }] });

  const { rows } = await reports.pages({ from: "2026-03-30" });

  assertEquals(rows.map(({ path, views }) => [path, views.full, views.aggregate]), [["/:page", 2, 1], ["/", 1, 0]]);
  await assertRejects(
    () => createTestReports([], { keys: [{ ...TEST_KEY, pathRules: { patterns: ["teas"] } }] }),
    TypeError,
    "a pattern of pathRules begins with /",
  );
});

Deno.test("createReports() begins CSV with a byte order mark where it's asked to", async () => {
  const reports = await createTestReports(EVENTS);
  const read = async (
    search: string,
  ): Promise<readonly number[]> => [
    ...new Uint8Array(await (await ask(reports, `?${RANGE}&${search}`)).arrayBuffer()).slice(0, 3),
  ];
  const mark = [0xef, 0xbb, 0xbf];

  assertEquals(await read("format=csv&bom=1"), mark);
  assertNotEquals(await read("format=csv"), mark);
  assertNotEquals(await read("format=json&bom=1"), mark);
});

Deno.test("createReports() answers with the rows of a view as CSV", async () => {
  const answer = await ask(await createTestReports(EVENTS), `?format=csv&view=pages&${RANGE}`);

  assertEquals(answer.headers.get("Content-Type"), "text/csv; charset=utf-8; header=present");
  assertEquals(
    answer.headers.get("Content-Disposition"),
    'attachment; filename="pages-shop.example-2026-03-30-2026-03-31.csv"',
  );
  assertEquals(
    await answer.text(),
    '"Path","Views with consent","Views before consent","With consent","Visitors","Landings","Exits","Exit rate",' +
      '"Bounce rate","Time per view, ms","Views with consent, period before","Views before consent, period before",' +
      '"Visitors, period before"\r\n' +
      `"/teas",2,1,${2 / 3},2,0,2,1,,,0,0,0\r\n"/",1,0,1,1,1,0,0,0,,1,0,1\r\n`,
  );
  const heads = [
    ...["Views with consent", "Views before consent", "With consent", "Visitors", "Users signed in", "Sessions"],
    ...["Landings", "Views per session", "Bounce rate", "Session length, ms", "Time per view, ms"],
  ];
  assertEquals((await readCsv(`from=2026-03-28&to=2026-03-31`)).split("\r\n").slice(0, -1), [
    ["From", ...heads, ...heads.map((head) => `${head}, period before`), "Notes"].map((head) => `"${head}"`).join(","),
    '"2026-03-28",0,0,,0,0,0,0,,,,,0,0,,0,0,0,0,,,,,',
    '"2026-03-29",1,1,0.5,1,0,1,1,1,1,,,0,0,,0,0,0,0,,,,,',
    '"2026-03-30",1,0,1,1,0,1,0,,,,,0,0,,0,0,0,0,,,,,',
    '"2026-03-31",2,1,0.6666666666666666,1,1,1,1,2,0,,,0,0,,0,0,0,0,,,,,',
    '"Total",4,2,0.6666666666666666,3,1,3,2,1.5,0.5,120000,,0,0,,0,0,0,0,,,,,',
  ]);
  assertEquals(
    (await readCsv("from=2026-03-31&to=2026-03-31")).split("\r\n").at(-2),
    [
      ...['"Total"', 2, 1, 2 / 3, 1, 1, 1, 1, 2, 0, 120_000, "", 1, 0, 1, 1, 0, 1, 0, "", "", "", "", ""],
    ].join(","),
  );
  assertEquals(
    await readCsv(`view=sources&by=campaign&${RANGE}`),
    '"Campaign","Views with consent","Views before consent","Sessions","Visitors","Landings","Bounce rate",' +
      '"Sessions, period before","Visitors, period before"\r\n' +
      '"no campaign",0,1,1,1,0,,1,1\r\n"spring",1,0,1,1,1,0,0,0\r\n',
  );
  assertEquals(
    await readCsv(`view=steps&${RANGE}`),
    `"Name","Times","Visitors","Times, period before","Visitors, period before"\r\n"'=signup",1,1,0,0\r\n`,
  );
  assertEquals(
    await readCsv(`view=steps&step=%3Dsignup&${RANGE}`),
    '"Value","Type","Times","Visitors","Times, period before","Visitors, period before"\r\n',
  );
  assertEquals(
    (await readCsv("view=consent&from=2026-03-26&to=2026-03-29")).split("\r\n").filter((_, i) => i === 0 || i > 2),
    [
      '"From","Views with consent","Views before consent","With consent","Newly consented",' +
      '"Arrivals before a choice","Acceptance","Notes"',
      ...['"2026-03-28",0,0,,0,0,,', '"2026-03-29",1,1,0.5,1,2,0.5,', '"Total",1,1,0.5,1,2,0.5,', ""],
    ],
  );
});

Deno.test("createReports() makes the views in code, as a request gets them", async () => {
  const reports = await createTestReports(EVENTS);
  const range = { from: "2026-03-30", to: "2026-03-31" };
  const filters = [{ name: "page" as const, values: ["/", "/teas"] }];

  assertEquals(
    await reports.overview({ ...range, filters }),
    await readJson(`${RANGE}&filter=page:/&filter=page:/teas`),
  );
  assertEquals(await reports.pages(range), await readJson(`view=pages&${RANGE}`));
  assertEquals(
    await reports.sources({ ...range, by: "campaign" }),
    await readJson(`view=sources&by=campaign&${RANGE}`),
  );
  assertEquals(
    await reports.sources({ ...range, of: "first" }),
    await readJson(`view=sources&of=first&${RANGE}`),
  );
  assertEquals(
    await reports.steps({ ...range, step: "=signup" }),
    await readJson(`view=steps&step=%3Dsignup&${RANGE}`),
  );
  assertEquals(
    await reports.consent({ ...range, zone: "Asia/Kolkata", compare: "year" }),
    await readJson(`view=consent&zone=Asia/Kolkata&compare=year&${RANGE}`),
  );
  await assertRejects(
    () => reports.pages({ zone: "Mars" }),
    TypeError,
    "zone must be a time zone such as Europe/Berlin",
  );
  await assertRejects(() => reports.pages({ apiKey: "pk_other" }), TypeError, "there is no such key");
  await assertRejects(() => reports.pages({ site: "https://other.example" }), TypeError, "this site isn't registered");
});

Deno.test("createReports() has the overview of the first site and the last 30 days when nothing is named", async () => {
  const { view, site, from, to, unit, parts } = await readJson("site=&from=&to=&view=&zone=&filter=") as Readonly<
    Record<string, unknown>
  >;

  assertEquals({ view, site, from, to, unit, parts: Array.isArray(parts) && parts.length }, {
    view: "overview",
    site: SITE,
    from: "2026-03-02",
    to: "2026-03-31",
    unit: "day",
    parts: 30,
  });
});

Deno.test("createReports() has the site with the most events where none is named, of those of the key", async () => {
  const on = (pageUrl: string) => buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl });
  const urls = ["https://shop.example/", "https://blog.example/a", "https://blog.example/b"];
  const reports = await createTestReports([...urls, ...Array(3).fill("https://unregistered.example/")].map(on));
  const nothing = await createTestReports([]);

  const chosen = await (await ask(reports, `?format=json&${RANGE}`)).json();
  const first = await (await ask(nothing, `?format=json&${RANGE}`)).json();

  assertEquals([chosen.site, first.site], ["https://blog.example", "https://shop.example"]);
  const largest = () => ["http://localhost:3000", "https://blog.example", "https://shop.example"];
  const local = ["http://localhost:3000", "http://127.0.0.1:8000"];
  const usual = [
    ["https://shop.example", ...local],
    ["https://new.example", ...local],
    ["https://new.example", "http://localhost:4000"],
    [...local, "https://shop.example", "https://blog.example"],
    local,
    [],
  ];
  assertEquals(await Promise.all(usual.map((sites) => findUsualSite(sites, largest))), [
    "https://shop.example",
    "http://localhost:3000",
    "https://new.example",
    "https://blog.example",
    "http://localhost:3000",
    undefined,
  ]);
});

Deno.test("createReports() reads a site as it is meant", async () => {
  const reports = await createTestReports(EVENTS);
  const sites = ["https://shop.example", "http://localhost:3000", "https://www.blog.example"];
  const texts = ["https://shop.example/", "shop.example", "https://www.shop.example/teas?a=b", "localhost:3000"];

  const answer = await (await ask(reports, "?format=json&site=www.shop.example/")).json();

  assertEquals(answer.site, SITE);
  assertEquals([...texts, "blog.example", "shop", ""].map((text) => findNamedSite(text, sites)), [
    ...["https://shop.example", "https://shop.example", "https://shop.example", "http://localhost:3000"],
    ...["https://www.blog.example", undefined, undefined],
  ]);
});

Deno.test("createReports() keeps the sites of a key apart", async () => {
  const reports = await createTestReports([
    ...EVENTS,
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: "https://blog.example/post" }),
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: "https://unregistered.example/" }),
  ]);

  const { rows } = await (await ask(reports, `?format=json&view=pages&${RANGE}&site=https://blog.example`)).json();
  const unregistered = await ask(reports, `?format=json&${RANGE}&site=https://unregistered.example`);

  assertEquals(rows.map(({ path }: { path: string }) => path), ["/post"]);
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

  const { current } = await (await ask(reports, `?format=json&${RANGE}`)).json();

  assertEquals(current.pageviews, { full: 0, aggregate: 0 });
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
