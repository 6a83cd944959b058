import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Window } from "happy-dom";
import { buildEvent, buildPageview, SITE } from "./fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "./reports_fixtures.ts";

const RANGE = "?from=2026-03-30&to=2026-03-31";

const NOON = "2026-03-31T12:00:00.000Z";

/** Reads the page as a browser would. */
async function withPage(answer: Response, use: (page: Document, text: string) => void): Promise<void> {
  const text = await answer.text();
  const window = new Window({ url: "https://ingest.shop.example/reports" });
  try {
    window.document.write(text);
    use(window.document as unknown as Document, text);
  } finally {
    await window.happyDOM.close();
  }
}

function textsOf(page: Document, selector: string): readonly string[] {
  return [...page.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").trim().replace(/\s+/g, " "));
}

Deno.test("createReports() shows pageviews, sessions, referrers, events and the allowance on one page", async () => {
  const reports = await createTestReports([
    buildPageview({
      timestamp: NOON,
      pageUrl: `${SITE}/caf%C3%A9`,
      referrer: "https://search.example/",
      sessionId: "s-1",
      anonymousId: "v-1",
      userId: "u-1",
    }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, collection: "aggregate" }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup", sessionId: "s-2" }),
    buildPageview({ timestamp: "2026-03-29T12:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
  ], { keys: [{ ...TEST_KEY, pageviewAllowance: 10 }] });

  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(textsOf(page, "h1"), ["shop.example"]);
    assertEquals(textsOf(page, ".range"), ["30 Mar 2026 – 31 Mar 2026 · days in UTC"]);
    assertEquals(textsOf(page, ".figures > div"), [
      "Visitors1 none in the 2 days before; 1 user signed in",
      "Pageviews2 1 in the 2 days before",
      "With consent50% 1 view with consent, 1 before it",
      "Sessions2 none in the 2 days before",
      "Steps1 none in the 2 days before",
      "Allowance used30% 3 of 10 pageviews of all sites in Mar 2026",
    ]);
    assertEquals(textsOf(page, ".columns h2"), ["Pages", "Referrers", "Steps"]);
    assertEquals(textsOf(page, ".columns tbody th"), [
      "/",
      "/café",
      "none named",
      "search.example",
      "signup",
    ]);
    assertEquals(textsOf(page, ".columns section:first-child tbody td"), ["1", "0%", "1", "100%"]);
    assertEquals(textsOf(page, ".days tbody tr"), ["Mon 30 Mar 2026 0 – 0", "Tue 31 Mar 2026 2 50% 2"]);
  });
});

Deno.test("createReports() shows what breaks the plan", async () => {
  const reports = await createTestReports([
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup", violation: "missing" }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signp", violation: "unknown" }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup", violation: "missing" }),
  ]);

  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(textsOf(page, ".columns h2").at(-1), "Off the plan");
    assertEquals(textsOf(page, ".columns section:last-child tbody tr"), [
      "signup missing property2",
      "signp unknown name1",
    ]);
  });
});

Deno.test("createReports() says whom the figures are of, and compares them where there are enough", async () => {
  const views = (count: number, day: string, collection: "full" | "aggregate") =>
    Array.from(
      { length: count },
      () => buildPageview({ timestamp: `${day}T12:00:00.000Z`, pageUrl: `${SITE}/`, collection }),
    );
  const mixed = await createTestReports([
    ...views(40, "2026-03-31", "full"),
    ...views(20, "2026-03-30", "aggregate"),
    ...views(40, "2026-03-29", "full"),
  ]);
  const full = await createTestReports(views(1, "2026-03-31", "full"));

  await withPage(await ask(mixed, RANGE), (page) => {
    assertEquals(textsOf(page, ".lead"), [
      "The visitors, sessions and steps below are of the 67% of views with consent.",
    ]);
    assertEquals(textsOf(page, ".figures > div")[1], "Pageviews60 40 in the 2 days before, +50%");
  });
  await withPage(await ask(full, RANGE), (page) => {
    assertEquals(textsOf(page, ".lead"), [
      'All views are with consent. Views before it are counted with trackPageviews: "auto".',
    ]);
  });
});

Deno.test("createReports() draws a bar for each kind of pageview and names the chart", async () => {
  const reports = await createTestReports([
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, collection: "aggregate" }),
  ]);

  await withPage(await ask(reports, RANGE), (page) => {
    const bars = [...page.querySelectorAll(".plot > svg path")];
    assertEquals(bars.map((bar) => [bar.getAttribute("class"), bar.getAttribute("d")]), [
      ["full", "M1.12 220v-146.667h0.76v146.667z"],
      ["aggregate", "M1.12 73.333v-73.333h0.76v73.333z"],
    ]);
    assertEquals(
      page.querySelector(".chart")?.getAttribute("aria-label"),
      "Bar chart, 30 Mar 2026 – 31 Mar 2026: 3 pageviews, most of them, 3, on Tue 31 Mar 2026. " +
        "The table below has the figures of each day.",
    );
  });
});

Deno.test("createReports() shows the days of one page", async () => {
  const reports = await createTestReports([
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/teas` }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` }),
  ]);

  await withPage(await ask(reports, `${RANGE}&path=/teas`), (page) => {
    assertEquals(textsOf(page, "h2"), ["Pageviews of /teas per day"]);
    assertEquals(textsOf(page, ".days tbody tr"), ["Mon 30 Mar 2026 0 –", "Tue 31 Mar 2026 1 100%"]);
    assertEquals(
      page.querySelector("main a")?.getAttribute("href"),
      "?site=https%3A%2F%2Fshop.example&from=2026-03-30&to=2026-03-31",
    );
  });
  await withPage(await ask(reports, `${RANGE}&path=/none`), (page) => {
    assertEquals(textsOf(page, "main .empty"), ["No pageviews of this page in these days."]);
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
    assertEquals(textsOf(page, "main p")[1], "Its newest event is of 31 Mar 2026.");
    assertStringIncludes(page.querySelector("main a")?.getAttribute("href") ?? "", "from=2026-03-01&to=2026-03-31");
  });
  await withPage(await ask(reports, "?site=https://blog.example"), (page) => {
    assertStringIncludes(textsOf(page, "main pre")[0] ?? "", 'apiKey: "pk_test_1"');
  });
});

Deno.test("createReports() tells an allowance that is used up, and one without a limit", async () => {
  const events = [
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` }),
    buildPageview({ timestamp: NOON, pageUrl: "https://blog.example/", collection: "aggregate" }),
    buildPageview({ timestamp: NOON, receivedAt: "2026-04-01T00:00:00.000Z", pageUrl: `${SITE}/` }),
  ];
  const over = await createTestReports(events, { keys: [{ ...TEST_KEY, pageviewAllowance: 1 }] });
  const free = await createTestReports(events);

  await withPage(await ask(over, RANGE), (page) => {
    assertEquals(textsOf(page, ".over"), [
      "Allowance used200% 2 of 1 pageviews of all sites in Mar 2026, over the limit",
    ]);
  });
  await withPage(await ask(free, RANGE), (page) => {
    assertEquals(textsOf(page, ".figures dt"), ["Visitors", "Pageviews", "With consent", "Sessions", "Steps"]);
  });
});

Deno.test("createReports() lets the reader choose site and days without a script", async () => {
  const reports = await createTestReports([]);

  await withPage(await ask(reports, `${RANGE}&site=https://blog.example&path=/a`), (page, text) => {
    const fields = [...page.querySelectorAll("form [name]")].map((field) => field.getAttribute("name"));
    assertEquals(fields, ["site", "from", "to", "path"]);
    assertEquals(textsOf(page, "option"), [SITE, "https://blog.example"]);
    assertEquals(textsOf(page, "option[selected]"), ["https://blog.example"]);
    assertEquals(textsOf(page, "header nav a"), ["7 days", "30 days", "90 days", "12 months", "Earlier"]);
    assertStringIncludes(
      page.querySelector("header nav li:last-child a")?.getAttribute("href") ?? "",
      "from=2026-03-28&to=2026-03-29",
    );
    assertEquals(text.includes("<script"), false);
  });
  await withPage(await ask(reports, ""), (page) => {
    assertEquals(textsOf(page, "[aria-current]"), ["30 days"]);
  });
});

Deno.test("createReports() shows hostile names, paths and referrers as text", async () => {
  const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`;
  const reports = await createTestReports([
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: hostile }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "</style></title>{{7*7}}" }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "\u202e\u200f" }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/${hostile}`, referrer: "https://evil.example/<script>" }),
    buildPageview({
      timestamp: NOON,
      pageUrl: `${SITE}/%3Cscript%3Ealert(3)%3C%2Fscript%3E`,
      referrer: "javascript:alert(4)",
    }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, referrer: `evil://"><script>alert(5)/` }),
  ]);
  const search = `${RANGE}&path=${encodeURIComponent(hostile)}`;

  for (const answer of [await ask(reports, RANGE), await ask(reports, search)]) {
    await withPage(answer, (page, text) => {
      assertEquals(page.querySelectorAll("script, img, iframe, object, [onerror], [onload], [style]").length, 0);
      assertEquals(page.querySelectorAll("style, title").length, 2);
      assertEquals(
        [...page.querySelectorAll("a")].filter((link) => !/^[?#]/.test(link.getAttribute("href") ?? "")),
        [],
      );
      assertEquals(text.includes(hostile), false);
    });
  }
  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(textsOf(page, ".columns section:last-child tbody th"), [
      hostile,
      "</style></title>{{7*7}}",
      "\ufffd\ufffd",
    ]);
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
