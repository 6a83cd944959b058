import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import { VIEWS } from "../../../../src/ingest/reports/views/registry.ts";
import { buildEvent, buildPageview, SITE } from "../fixtures.ts";
import { NOON, RANGE, searchOf, textsOf, VISIT, withPage } from "../page_fixtures.ts";
import { createReferenceStore } from "../reference_store.ts";
import { ask, createTestReports, TEST_KEY } from "../reports_fixtures.ts";

Deno.test("createReports() says where the events are of days that have nothing but bots and own visits", async () => {
  const reports = await createTestReports([
    { ...buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` }), flag: "own" },
  ]);

  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(textsOf(page, ".empty p"), [
      "What there is in these days is of bots or own visits, which are left out.",
    ]);
  });
  await withPage(await ask(reports, "?from=2026-01-01&to=2026-01-31"), (page) => {
    assertEquals(textsOf(page, ".empty p")[1], "Its newest event is from 31 Mar 2026.");
  });
  await withPage(await ask(reports, `${RANGE}&traffic=bots`), (page) => {
    assertEquals(textsOf(page, ".empty p"), [
      "There are no bots of https://shop.example from 27 Mar 2026 to 31 Mar 2026.",
    ]);
  });
});

Deno.test("createReports() says so when there is nothing", async () => {
  const reports = await createTestReports([buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` })]);

  await withPage(await ask(reports, "?from=2026-01-01&to=2026-01-31"), (page) => {
    assertEquals(textsOf(page, "h2"), ["Nothing in these days"]);
    assertEquals(
      textsOf(page, "main p")[0],
      "There are no events of https://shop.example from 1 Jan 2026 to 31 Jan 2026.",
    );
    assertEquals(page.querySelector("svg.plot"), null);
    assertEquals(textsOf(page, "main p")[1], "Its newest event is from 31 Mar 2026.");
    assertStringIncludes(page.querySelector("main a")?.getAttribute("href") ?? "", "from=2026-03-01&to=2026-03-31");
  });
  await withPage(await ask(reports, "?view=steps&from=2026-01-31&to=2026-01-31&zone=Asia/Kolkata"), (page) => {
    assertEquals(textsOf(page, "main p")[1], "Its newest event is from 31 Mar 2026.");
    assertStringIncludes(page.querySelector("main a")?.getAttribute("href") ?? "", "from=2026-03-31&to=2026-03-31");
  });
  await withPage(await ask(reports, "?site=https://blog.example"), (page) => {
    assertStringIncludes(textsOf(page, "main pre")[0] ?? "", 'apiKey: "pk_test_1"');
    assertStringIncludes(textsOf(page, "main pre")[0] ?? "", 'endpoint: "https://ingest.shop.example/v1/events"');
    assertEquals(textsOf(page, "main p")[0], "There are events of shop.example.");
    assertEquals(searchOf(page, "main p a").get("site"), SITE);
  });
  await withPage(await ask(reports, "?view=live&site=https://blog.example"), (page) => {
    assertEquals(
      textsOf(page, "main .card p"),
      ["No event of blog.example has arrived yet.", "There are events of shop.example."],
    );
  });
});

for (
  const [asked, endpoint] of [
    ["http://localhost:8080/reports", "http://localhost:8080/v1/events"],
    ["http://192.168.1.5:8080/reports", "http://192.168.1.5:8080/v1/events"],
    // A proxy took TLS off.
    ["http://ingest.shop.example/reports", "https://ingest.shop.example/v1/events"],
  ] as const
) {
  Deno.test(`createReports() asked at ${asked} has the endpoint ${endpoint} in its code for a site`, async () => {
    const reports = await createTestReports([]);
    const headers = { Authorization: `Bearer ${TEST_KEY.secretKey}` };

    const answer = await reports(new Request(asked, { headers }));

    assertStringIncludes(await answer?.text() ?? "", `endpoint: &quot;${endpoint}&quot;,`);
  });
}

for (
  const [full, aggregate, sentence] of [
    [0, 2, "No page view comes from somebody who agreed."],
    [1, 249, "Fewer than 1 of 100 page views comes from somebody who agreed."],
    [1, 99, "Of 100 page views, 1 comes from somebody who agreed."],
    [249, 1, "Nearly all page views come from people who agreed."],
  ] as const
) {
  Deno.test(`createReports() says of ${full} views with consent and ${aggregate} before it: ${sentence}`, async () => {
    const views = Array.from({ length: full + aggregate }, (_, index) =>
      buildPageview({
        ...{ timestamp: NOON, pageUrl: `${SITE}/` },
        collection: index < full ? "full" : "aggregate",
      }));
    const reports = await createTestReports(views);

    await withPage(await ask(reports, RANGE), (page) => {
      assertStringIncludes(textsOf(page, "p.lead")[0] ?? "", `${sentence} Visitors,`);
    });
  });
}

Deno.test("createReports() names the files of which nothing is counted, on the page, in JSON and in the name of CSV", async () => {
  const files = [{ file: "00000001.parquet", events: 1200 }, { file: "00000003.parquet", events: 7 }];
  const damaged = () => Promise.resolve(files.map((file) => ({ ...file, message: "/srv/events/… can't be read" })));
  const reports = await createTestReports([], { reader: { ...createReferenceStore(() => VISIT), damaged } });

  for (const { name } of VIEWS.filter(({ subject, name }) => subject !== "person" && name !== "funnel")) {
    const answer = await ask(reports, `${RANGE}&view=${name}&format=json`);
    assertEquals((await answer.json()).damaged, files, name);
  }
  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(
      textsOf(page, "main strong")[0],
      "Some events are missing here, 1,207 at most: 00000001.parquet and 1 more file can't be read. " +
        "The log of the ingest says why.",
    );
  });
  const csv = await ask(reports, `${RANGE}&format=csv`);
  assertStringIncludes(csv.headers.get("Content-Disposition") ?? "", '-incomplete.csv"');
  await csv.body?.cancel();
});

Deno.test("createReports() names a file that the last part of a view comes upon", async () => {
  const order = buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "order", sessionId: "s", anonymousId: "ada" });
  const events = [...VISIT, order];
  let last = "";
  const reader = new Proxy({ ...createReferenceStore(() => events), damaged: () => Promise.resolve([]) }, {
    get: (target, name: keyof ReportReader) => {
      if (name !== "until" && target[name] !== undefined) last = name;
      return target[name];
    },
  });
  const reports = await createTestReports([], { reader, keys: [{ ...TEST_KEY, goals: { Order: { step: "order" } } }] });
  const lastOf = async (search: string): Promise<string> => {
    await (await ask(reports, `${RANGE}&${search}&format=json`)).body?.cancel();
    return last;
  };

  for (const { name } of VIEWS.filter(({ subject, name }) => subject !== "person" && name !== "funnel")) {
    assertEquals([name, await lastOf(`view=${name}`)], [name, "damaged"]);
  }
  for (const view of ["pages", "sources", "steps&step=order"]) {
    assertEquals([view, await lastOf(`view=${view}&goal=Order`)], [view, "damaged"]);
  }
});

Deno.test("createReports() proposes days, weeks and months that are over beside those that run", async () => {
  const reports = await createTestReports([]);

  // A Tuesday.
  await withPage(await ask(reports, ""), (page) => {
    const ranges = [...page.querySelectorAll("nav[aria-label=Ranges] a")].map((link) => {
      const query = new URLSearchParams(link.getAttribute("href")?.slice(1));
      return [link.textContent, query.get("from"), query.get("to"), query.get("compare")];
    });
    assertEquals(ranges.slice(0, 4), [
      ["Today", "2026-03-31", "2026-03-31", null],
      ["Yesterday", "2026-03-30", "2026-03-30", null],
      ["This week", "2026-03-30", "2026-03-31", "weeks"],
      ["Last week", "2026-03-23", "2026-03-29", "weeks"],
    ]);
    assertEquals(ranges.slice(6, 8), [
      ["This month", "2026-03-01", "2026-03-31", "month"],
      ["Last month", "2026-02-01", "2026-02-28", "month"],
    ]);
  });
});

Deno.test("createReports() proposes to compare days with no days that are partly the same", async () => {
  const reports = await createTestReports([]);
  const comparisonsOf = async (search: string): Promise<readonly unknown[]> =>
    await withPage(
      await ask(reports, `?to=2026-03-31&${search}`),
      (page) =>
        [...page.querySelectorAll("nav[aria-label=Beside] a")].map((link) =>
          new URLSearchParams(link.getAttribute("href") ?? "").get("compare") ?? "before"
        ),
    );

  assertEquals(await comparisonsOf("from=2026-03-01"), ["before", "weeks", "month", "year"]);
  assertEquals(await comparisonsOf("from=2026-02-28"), ["before", "weeks", "year"]);
  assertEquals(await comparisonsOf("from=2025-04-01"), ["before", "weeks", "year"]);
  assertEquals(await comparisonsOf("from=2025-03-31"), ["before", "weeks"]);
  assertEquals(await comparisonsOf("from=2025-04-01&compare=month"), ["before", "weeks", "month", "year"]);
});

Deno.test("createReports() leads from a month to those before and after it, and from days to the same days", async () => {
  const reports = await createTestReports([]);
  const stepsOf = async (from: string, to: string): Promise<readonly unknown[]> => {
    const steps: unknown[] = [];
    await withPage(await ask(reports, `?from=${from}&to=${to}&compare=month`), (page) => {
      for (const link of [...page.querySelectorAll("nav[aria-label=Ranges] a")].slice(-2)) {
        const query = new URLSearchParams(link.getAttribute("href")?.slice(1));
        steps.push([link.textContent, query.get("from"), query.get("to")]);
      }
    });
    return steps;
  };

  assertEquals(await stepsOf("2026-02-01", "2026-02-28"), [
    ["Earlier", "2026-01-01", "2026-01-31"],
    ["Later", "2026-03-01", "2026-03-31"],
  ]);
  assertEquals(await stepsOf("2026-01-20", "2026-01-31"), [
    ["Earlier", "2025-12-20", "2025-12-31"],
    ["Later", "2026-02-20", "2026-02-28"],
  ]);
});

Deno.test("createReports() lets the reader choose site, days, zone, comparison and section without a script", async () => {
  const reports = await createTestReports([]);
  const search = `${RANGE}&view=sources&by=campaign&site=https://blog.example&zone=Europe/Berlin&compare=year`;

  await withPage(await ask(reports, search), (page, text) => {
    const fields = [...page.querySelectorAll(".choice form [name]")].map((field) => field.getAttribute("name"));
    assertEquals(fields, ["site", "from", "to", "zone", "compare", "view", "by"]);
    assertEquals(textsOf(page, "[name=site] option"), [SITE, "https://blog.example"]);
    assertEquals(textsOf(page, "option[selected]"), ["https://blog.example", "the same weekdays a year ago"]);
    assertEquals(textsOf(page, "nav[aria-label=Ranges] a"), [
      ...["Today", "Yesterday", "This week", "Last week", "7 days", "30 days", "This month", "Last month", "90 days"],
      ...["12 months", "Earlier"],
    ]);
    const earlier = searchOf(page, "nav[aria-label=Ranges] li:last-child a");
    assertEquals(["from", "to", "zone", "compare", "view"].map((name) => earlier.get(name)), [
      ...["2026-03-22", "2026-03-26", "Europe/Berlin", "year", "sources"],
    ]);
    assertEquals(textsOf(page, "nav[aria-label=Sections] a"), VIEWS.map(({ title }) => title));
    assertEquals(textsOf(page, "[aria-current=page]"), ["Sources"]);
    assertEquals(text.includes("<script"), false);
  });
  await withPage(await ask(reports, `${RANGE}&view=retention&compare=year`), (page) => {
    // What stands beside nothing is compared with nothing, and keeps the choice for the other sections.
    assertEquals(page.querySelector("form [name=compare]")?.getAttribute("type"), "hidden");
    assertEquals(page.querySelector("summary")?.textContent.includes("beside"), false);
    assertEquals(textsOf(page, "header p.beside"), ["This view compares no periods."]);
  });
  await withPage(await ask(reports, `${RANGE}&compare=year`), (page) => {
    const fields = [...page.querySelectorAll(".choice form [name]")].map((field) => field.getAttribute("name"));
    assertEquals(fields, ["site", "from", "to", "zone", "compare"]);
    assertEquals(textsOf(page, "[name=compare] option"), [
      "as many days before",
      "the same weekdays before",
      "the same days a month before",
      "the same weekdays a year ago",
    ]);
    assertEquals(textsOf(page, "nav[aria-label=Beside] a"), [
      "the 5 days before",
      "the same weekdays a week before",
      "the same days a month before",
      "the same weekdays a year ago",
    ]);
    assertEquals(searchOf(page, "nav[aria-label=Beside] li:nth-child(4) a").get("compare"), "month");
    assertEquals(textsOf(page, "nav[aria-label=Beside] [aria-current]"), ["the same weekdays a year ago"]);
    assertEquals(textsOf(page, "nav[aria-label=Beside] p"), ["Up to the same time, 12:00"]);
    assertEquals(textsOf(page, "option[selected]"), [SITE, "the same weekdays a year ago"]);
  });
  await withPage(await ask(reports, "?from=2026-03-01&to=2026-03-31&compare=month"), (page) => {
    // February has no 31st: all of it is beside.
    assertEquals(textsOf(page, "nav[aria-label=Beside] [aria-current]"), ["the same days a month before"]);
    assertEquals(textsOf(page, "nav[aria-label=Beside] p"), []);
  });
  await withPage(await ask(reports, "?from=2026-03-30&to=2026-03-31&compare=weeks"), (page) => {
    assertEquals(textsOf(page, "nav[aria-label=Ranges] [aria-current=true]"), ["This week"]);
    assertStringIncludes(page.querySelector("summary")?.textContent ?? "", "beside the same weekdays a week before");
  });
  await withPage(await ask(reports, ""), (page) => {
    assertEquals(textsOf(page, "nav[aria-label=Ranges] [aria-current=true]"), ["30 days"]);
    const week = searchOf(page, "nav[aria-label=Ranges] li:nth-child(3) a");
    assertEquals(["from", "to", "compare"].map((name) => week.get(name)), ["2026-03-30", "2026-03-31", "weeks"]);
    assertEquals(textsOf(page, ".definitions dt").slice(0, 4), ["Pageviews", "Visitors", "Sessions", "Landings"]);
    assertEquals(textsOf(page, ".definitions code"), [
      "anonymousId",
      "step()",
      "auto()",
      "utm_",
      "step()",
      "auto()",
      "reset()",
      "identify()",
    ]);
    assertEquals(textsOf(page, "footer nav a"), ["overview.csv", "overview.json"]);
  });
});

Deno.test("createReports() admits the style of its page, and no script at all", async () => {
  const answer = await ask(await createTestReports([]), "");
  const policy = answer.headers.get("Content-Security-Policy") ?? "";
  const [, style = ""] = /<style>([^]*)<\/style>/.exec(await answer.text()) ?? [];
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));

  assertMatch(
    policy,
    /^default-src 'none'; style-src 'sha256-[^' ]+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assertStringIncludes(policy, `'sha256-${btoa(String.fromCharCode(...hash))}'`);
});

Deno.test("createReports() explains a problem on a page", async () => {
  const reports = await createTestReports([]);

  const answer = await ask(reports, "?from=2026-03-02&to=2026-03-01");

  assertEquals([answer.status, answer.headers.get("Content-Type")], [400, "text/html; charset=utf-8"]);
  await withPage(answer, (page) => {
    assertEquals(textsOf(page, "h1"), ["This isn't a report we can make"]);
    assertEquals(textsOf(page, "main p")[0], "From must not be after to.");
  });
});
