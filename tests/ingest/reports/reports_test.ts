import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "./fixtures.ts";
import { findNamedSite, findUsualSite } from "../../../src/ingest/reports/query/query.ts";
import { ask, createTestReports, readProblem, REPORTS_URL, SECRET, TEST_KEY } from "./reports_fixtures.ts";
import type { SourcesView } from "../../../src/ingest/mod.ts";
import type { StepValuesView } from "../../../src/ingest/reports/views/steps/object.ts";

const ADA = { sessionId: "s-1", anonymousId: "ada", userId: "u-1" } as const;

const EVENTS = [
  buildPageview({
    timestamp: "2026-03-31T10:00:00.000Z",
    pageUrl: `${SITE}/?utm_source=letter&utm_campaign=spring`,
    referrer: "https://mail.example/",
    ...ADA,
  }),
  buildPageview({ timestamp: "2026-03-31T10:01:00.000Z", pageUrl: `${SITE}/teas`, referrer: `${SITE}/`, ...ADA }),
  buildEvent({
    timestamp: "2026-03-31T10:02:00.000Z",
    pageUrl: `${SITE}/teas`,
    name: "=signup",
    violation: "missing",
    ...ADA,
  }),
  buildPageview({
    timestamp: "2026-03-31T11:00:00.000Z",
    pageUrl: `${SITE}/teas`,
    referrer: "https://search.example/",
    collection: "aggregate",
  }),
  // Joined midway: its first pages were before consent.
  buildPageview({
    timestamp: "2026-03-30T10:00:00.000Z",
    pageUrl: `${SITE}/teas`,
    referrer: `${SITE}/`,
    sessionId: "s-2",
    anonymousId: "bob",
  }),
  buildPageview({ timestamp: "2026-03-29T11:30:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-3", anonymousId: "eve" }),
  buildPageview({ timestamp: "2026-03-29T12:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
];

const RANGE = "from=2026-03-30&to=2026-03-31";

const readJson = async (search: string, events = EVENTS): Promise<unknown> =>
  await (await ask(await createTestReports(events), `?format=json&${search}`)).json();

const readCsv = async (search: string, events = EVENTS): Promise<string> =>
  await (await ask(await createTestReports(events), `?format=csv&${search}`)).text();

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

Deno.test("createReports() answers with the overview, beside the days before until the same hour", async () => {
  const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, pageviewAllowance: 10 }] });

  const answer = await ask(reports, `?format=json&${RANGE}`);
  const { parts, partsBefore, ...overview } = await answer.json();

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
    counted: 1,
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
    },
    unit: "hour",
    notes: [],
    flagged: { bots: { full: 0, aggregate: 0 }, own: { full: 0, aggregate: 0 } },
    allowance: { month: "2026-03", used: 6, limit: 10 },
  });
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

Deno.test("createReports() answers with pages", async () => {
  assertEquals(await readJson(`view=pages&${RANGE}`), {
    view: "pages",
    site: SITE,
    from: "2026-03-30",
    to: "2026-03-31",
    zone: "UTC",
    traffic: "people",
    filters: [],
    counted: 1,
    rows: [
      {
        path: "/teas",
        views: { full: 2, aggregate: 1 },
        visitors: 2,
        entries: 0,
        exits: 2,
        consentShare: 2 / 3,
        bounceRate: null,
        engagedMsPerView: null,
      },
      {
        path: "/",
        views: { full: 1, aggregate: 0 },
        visitors: 1,
        entries: 1,
        exits: 0,
        consentShare: 1,
        bounceRate: 0,
        engagedMsPerView: null,
      },
    ],
    count: 2,
    other: null,
  });
});

Deno.test("createReports() answers with sources, by channel unless another dimension is named", async () => {
  const rowsOf = async (search: string): Promise<unknown> => {
    const { by, rows } = await readJson(`view=sources&${RANGE}${search}`) as {
      readonly by: string;
      readonly rows: readonly { readonly label: string | null; readonly sessions: number }[];
    };
    return [by, ...rows.map(({ label, sessions }) => [label, sessions])];
  };

  assertEquals(await rowsOf(""), ["channel", ["Other campaigns", 1], ["Direct or unknown", 1], ["Other sites", 0]]);
  assertEquals(await rowsOf("&by=campaign"), ["campaign", [null, 1], ["spring", 1]]);
  assertEquals((await readJson(`view=sources&by=campaign&${RANGE}`) as { rows: readonly unknown[] }).rows[1], {
    label: "spring",
    views: { full: 1, aggregate: 0 },
    sessions: 1,
    visitors: 1,
    landings: 1,
    bounceRate: 0,
  });
});

Deno.test("createReports() answers with sources of the first session of each visitor, without views before consent", async () => {
  const found = buildPageview({
    timestamp: "2025-12-31T10:00:00.000Z",
    pageUrl: `${SITE}/found`,
    referrer: "https://www.google.com/",
    sessionId: "s-0",
    anonymousId: "bob",
  });
  const events = [found, ...EVENTS];
  const readOf = async (search: string): Promise<unknown> => {
    const { of, rows } = await readJson(`view=sources&${RANGE}${search}`, events) as SourcesView;
    return [of, ...rows.map(({ label, sessions, views }) => [label, sessions, views.full, views.aggregate])];
  };

  assertEquals(await readOf(""), [
    "session",
    ["Other campaigns", 1, 1, 0],
    ["Direct or unknown", 1, 0, 0],
    ["Other sites", 0, 0, 1],
  ]);
  assertEquals(await readOf("&of=first"), ["first", ["Other campaigns", 1, 1, 0], ["Search", 1, 0, 0]]);
  assertEquals(await readOf("&of=first&by=landing"), ["first", ["/", 1, 1, 0], ["/found", 1, 0, 0]]);
  assertEquals(
    await readCsv(`view=sources&of=first&${RANGE}`, events),
    '"label","full","aggregate","sessions","visitors","landings","bounceRate"\r\n' +
      '"Other campaigns",1,0,1,1,1,0\r\n"Search",0,0,1,1,0,\r\n',
  );
});

Deno.test("createReports() answers with steps, what breaks the plan, and the values of a step", async () => {
  const events = ["pro", "pro", 3].map((plan) => ({
    ...buildEvent({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, name: "signup", anonymousId: "ada" }),
    properties: { plan },
  }));

  assertEquals(await readJson(`view=steps&${RANGE}`), {
    view: "steps",
    site: SITE,
    from: "2026-03-30",
    to: "2026-03-31",
    zone: "UTC",
    traffic: "people",
    filters: [],
    counted: 1,
    rows: [{ name: "=signup", count: 1, visitors: 1 }],
    count: 1,
    other: null,
    violations: [{ name: "=signup", kind: "missing", count: 1 }],
    violationCount: 1,
    targets: [],
  });
  const { values: { parts, ...values } } = await readJson(`view=steps&step=signup&${RANGE}`, events) as {
    readonly values: Pick<StepValuesView, "parts">;
  };
  assertEquals(parts.length, 48);
  assertEquals(parts.filter(({ count }) => count > 0), [{ from: "2026-03-31T10:00", count: 3, visitors: 1 }]);
  assertEquals(values, {
    step: "signup",
    unit: "hour",
    notes: [],
    keys: ["plan"],
    key: "plan",
    rows: [{ value: "pro", count: 2, visitors: 1 }, { value: 3, count: 1, visitors: 1 }],
    count: 2,
    other: null,
    numbers: { count: 1, sum: 3, median: 3, p90: 3 },
  });
});

Deno.test("createReports() answers with the targets of links, downloads and forms", async () => {
  const build = (name: string, properties: Readonly<Record<string, unknown>>): StoredEvent => ({
    ...buildEvent({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, name, anonymousId: "ada" }),
    properties: { release: "1.4", ...properties },
  });
  const events = [
    ...["/docs", "/docs", "/"].map((path) => build("$outbound", { url: `https://maker.example${path}` })),
    build("$form", { path: "/login" }),
  ];
  const one = { count: 1, visitors: 1 };

  const { targets } = await readJson(`view=steps&${RANGE}`, events) as { readonly targets: unknown };
  const withForm = await readJson(`view=steps&${RANGE}`, [
    ...events,
    build("$download", { url: "https://shop.example/teas.pdf" }),
    build("$form", { form: "login", path: "/login" }),
  ]) as { readonly targets: readonly unknown[] };

  assertEquals(targets, [
    {
      step: "$outbound",
      key: "url",
      rows: [{ value: "https://maker.example/docs", count: 2, visitors: 1 }, {
        value: "https://maker.example/",
        ...one,
      }],
      count: 2,
      other: null,
    },
    { step: "$form", key: "path", rows: [{ value: "/login", ...one }], count: 1, other: null },
  ]);
  assertEquals(withForm.targets.slice(1), [
    {
      step: "$download",
      key: "url",
      rows: [{ value: "https://shop.example/teas.pdf", ...one }],
      count: 1,
      other: null,
    },
    { step: "$form", key: "form", rows: [{ value: "login", ...one }], count: 1, other: null },
  ]);
});

Deno.test("createReports() answers with the mean engagement of a page's views", async () => {
  const event = { timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/teas`, anonymousId: "ada" };
  const engaged = { ...buildEvent({ ...event, name: "$engagement" }), properties: { engagedMs: 5_001 } };

  const { rows } = await readJson(`view=pages&${RANGE}`, [
    ...[buildPageview(event), buildPageview(event), engaged],
    buildPageview({ ...event, pageUrl: `${SITE}/` }),
  ]) as { readonly rows: readonly { readonly path: string; readonly engagedMsPerView: number | null }[] };

  assertEquals(rows.map(({ path, engagedMsPerView }) => [path, engagedMsPerView]), [["/teas", 2501], ["/", null]]);
});

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
    counted: 1,
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
      { label: "/teas", pageviews: { full: 2, aggregate: 1 }, consentShare: 2 / 3 },
      { label: "/", pageviews: { full: 1, aggregate: 0 }, consentShare: 1 },
    ],
    notes: [],
    pageCount: 2,
    referrers: [
      { label: "https://mail.example", pageviews: { full: 1, aggregate: 0 }, consentShare: 1 },
      { label: "https://search.example", pageviews: { full: 0, aggregate: 1 }, consentShare: 0 },
    ],
    referrerCount: 2,
  });
  assertEquals(parts[35], {
    ...{ from: "2026-03-31T11:00", pageviews: { full: 0, aggregate: 1 }, consentShare: 0 },
    ...{ newlyConsented: 0, arrivalsBeforeChoice: 1, acceptance: 0 },
  });
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

Deno.test("createReports() takes the other origins of a key for no sources", async () => {
  const events = ["https://blog.example/tea", "https://search.example/"].map((referrer, index) =>
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, referrer, sessionId: `s-${index}` })
  );

  const { rows } = await readJson(`view=sources&by=referrer&${RANGE}`, events) as {
    readonly rows: readonly { readonly label: string | null }[];
  };

  assertEquals(rows.map(({ label }) => label), [null, "https://search.example"]);
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
    '"path","full","aggregate","consentShare","visitors","entries","exits","bounceRate","engagedMsPerView"\r\n' +
      `"/teas",2,1,${2 / 3},2,0,2,,\r\n"/",1,0,1,1,1,0,0,\r\n`,
  );
  assertEquals(
    (await readCsv("from=2026-03-26&to=2026-03-30")).split("\r\n").filter((_, index) => index === 0 || index > 3),
    [
      '"from","full","aggregate","consentShare","visitors","users","sessions","landings","viewsPerSession","bounceRate","notes"',
      '"2026-03-29",1,1,0.5,1,0,1,1,1,1,',
      '"2026-03-30",1,0,1,1,0,1,0,,,',
      "",
    ],
  );
  assertEquals(
    await readCsv(`view=sources&by=campaign&${RANGE}`),
    '"label","full","aggregate","sessions","visitors","landings","bounceRate"\r\n,0,1,1,1,0,\r\n"spring",1,0,1,1,1,0\r\n',
  );
  assertEquals(await readCsv(`view=steps&${RANGE}`), `"name","count","visitors"\r\n"'=signup",1,1\r\n`);
  assertEquals(await readCsv(`view=steps&step=%3Dsignup&${RANGE}`), '"value","type","count","visitors"\r\n');
  assertEquals(
    (await readCsv("view=consent&from=2026-03-26&to=2026-03-30")).split("\r\n").slice(0, 5).filter((_, i) => i !== 2),
    [
      '"from","full","aggregate","consentShare","newlyConsented","arrivalsBeforeChoice","acceptance","notes"',
      ...['"2026-03-26",0,0,,0,0,,', '"2026-03-28",0,0,,0,0,,', '"2026-03-29",1,1,0.5,1,2,0.5,'],
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

Deno.test("createReports() has no cohorts of periods to come", async () => {
  const reports = await createTestReports([]);

  const { cohorts, isRunning } = await reports.retention({ from: "2026-03-16", to: "2026-05-31", unit: "week" });

  assertEquals([cohorts.map(({ from }) => from), isRunning], [["2026-03-16", "2026-03-23", "2026-03-30"], true]);
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
