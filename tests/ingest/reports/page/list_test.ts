import { assertEquals } from "@std/assert";
import { buildEvent, buildPageview, SITE } from "../fixtures.ts";
import { NOON, RANGE, searchOf, textsOf, VISIT, withPage } from "../page_fixtures.ts";
import { ask, createTestReports } from "../reports_fixtures.ts";

Deno.test("createReports() lists pages, sources and steps, and each row leads to the overview under its filter", async () => {
  const reports = await createTestReports(VISIT);
  const readRow = async (search: string): Promise<unknown> => {
    let row: unknown;
    await withPage(await ask(reports, `${RANGE}${search}`), (page) => {
      const link = searchOf(page, "main tbody a");
      row = [...textsOf(page, "main tbody tr:first-child > *"), link.get("filter"), link.get("view")];
    });
    return row;
  };

  assertEquals(await readRow("&view=pages"), ["/", "11 before", "10 before", "0%", "0", "0", "–", "–", "page:/", null]);
  assertEquals(await readRow("&view=pages&filter=page:/caf%25C3%25A9"), [
    ...["/café", "1", "1", "100%", "1 landings of /café", "1 exits of /café", "100%", "0%", "page:/caf%C3%A9", null],
  ]);
  assertEquals(await readRow("&view=sources"), [
    "Other sites",
    "10 before",
    "10 before",
    "1",
    "0%",
    "channel:Other sites",
    null,
  ]);
  assertEquals(await readRow("&view=sources&by=campaign"), [
    "no campaign",
    "10 before",
    "10 before",
    "2",
    "0%",
    "campaign:",
    null,
  ]);
  assertEquals(await readRow("&view=sources&by=landing"), [
    "/café",
    "10 before",
    "10 before",
    "1",
    "0%",
    "entry:/caf%C3%A9",
    null,
  ]);
  assertEquals(await readRow("&view=steps"), [
    "signup",
    "1",
    "1",
    "Show chart and values of signup",
    "step:signup",
    null,
  ]);
});

Deno.test("createReports() sums what a list leaves out in its last row", async () => {
  const events = Array.from({ length: 30 }, (_, index) => [
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/${index}` }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/0`, name: `step ${index}`, violation: "unknown" }),
  ]).flat();
  const reports = await createTestReports(events);
  const readLast = async (view: string): Promise<unknown> => {
    let last: unknown;
    await withPage(await ask(reports, `${RANGE}&view=${view}`), (page) => {
      last = [
        textsOf(page, "main tbody tr").length,
        textsOf(page, "main tr.other > *"),
        textsOf(page, "main .scroll + *"),
      ];
    });
    return last;
  };

  assertEquals(await readLast("pages"), [
    26,
    ["Other", "5", "–", "100%", "0", "0", "0%"],
    ["1 to 25 of 30 pages Next"],
  ]);
  assertEquals(await readLast("steps"), [
    51,
    ["Other", "5", "–", ""],
    ["1 to 25 of 30 names Next", "1 to 25 of 30 faults Next"],
  ]);
});

Deno.test("createReports() sorts, searches and pages a list by links and a form", async () => {
  const reports = await createTestReports([
    ...Array.from(
      { length: 60 },
      (_, index) =>
        Array.from({ length: 60 - index }, () => buildPageview({ timestamp: NOON, pageUrl: `${SITE}/t${index}` })),
    ).flat(),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/caf%C3%A9` }),
  ]);
  const read = async (search: string): Promise<unknown> => {
    let found: unknown;
    await withPage(await ask(reports, `${RANGE}&view=pages${search}`), (page) => {
      const rows = textsOf(page, "main tbody tr:not(.other) th");
      found = [rows.length, rows[0], textsOf(page, ".pager p")[0], textsOf(page, ".pager a").join(" ")];
    });
    return found;
  };

  assertEquals(await read(""), [25, "/t0", "1 to 25 of 61 pages", "Next"]);
  assertEquals(await read("&offset=50"), [11, "/t50", "51 to 61 of 61 pages", "First Back"]);
  assertEquals(await read("&offset=99"), [0, undefined, "None of 61 pages", "First Back"]);
  assertEquals(await read("&sort=views&direction=asc"), [25, "/café", "1 to 25 of 61 pages", "Next"]);
  assertEquals(await read("&contains=CAFÉ"), [1, "/café", undefined, ""]);
  assertEquals(await read("&contains=T5"), [11, "/t5", undefined, ""]);
  await withPage(await ask(reports, `${RANGE}&view=pages&sort=views&contains=t&offset=25`), (page) => {
    assertEquals(textsOf(page, "[aria-sort=descending]"), ["Views ↓"]);
    const linkOf = (selector: string): unknown => {
      const { sort, direction, contains, offset } = Object.fromEntries(searchOf(page, selector));
      return [sort, direction, contains, offset];
    };
    assertEquals(linkOf("[aria-sort] a"), ["views", "asc", "t", undefined]);
    assertEquals(linkOf("thead th:first-child a"), ["path", "asc", "t", undefined]);
    assertEquals(linkOf(".pager li:last-child a"), ["views", undefined, "t", "50"]);
    assertEquals(linkOf("nav[aria-label=Sections] li:nth-child(4) a"), Array(4).fill(undefined));
    assertEquals(
      [...page.querySelectorAll("form[role=search] input")].map((field) => field.getAttribute("name")),
      ["contains", "view", "site", "from", "to", "sort"],
    );
  });
  await withPage(await ask(reports, `${RANGE}&view=pages&contains=nothing`), (page) => {
    assertEquals(textsOf(page, "main .note"), ["None in these days has “nothing” in its name."]);
  });
});

Deno.test("createReports() shows hostile names, paths, values and referrers as text, and links none of them", async () => {
  const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>'`;
  const reports = await createTestReports([
    {
      ...buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: hostile, sessionId: "s-1" }),
      properties: { [hostile]: hostile, link: "https://evil.example" },
    },
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "</style></title>{{7*7}}" }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "\u202e\u200f" }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/${hostile}`, referrer: "https://evil.example/<script>" }),
    buildPageview({
      timestamp: NOON,
      pageUrl: `${SITE}/%3Cscript%3Ealert(3)%3C%2Fscript%3E?utm_campaign=${encodeURIComponent(hostile)}`,
      referrer: "javascript:alert(4)",
      sessionId: "s-2",
    }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, referrer: `evil://"><script>alert(5)/` }),
  ]);
  const encoded = encodeURIComponent(hostile);
  const searches = [
    RANGE,
    ...["pages", "sources&by=campaign", "sources&by=referrer", "steps", `steps&step=${encoded}`, "consent"]
      .map((view) => `${RANGE}&view=${view}`),
    `${RANGE}&view=steps&step=${encoded}&key=${encoded}&filter=step:${encoded}`,
    `${RANGE}&filter=page:${encoded}&filter=${encodeURIComponent(`property:${hostile}:${JSON.stringify(hostile)}`)}`,
  ];

  for (const search of searches) {
    const answer = await ask(reports, search);
    assertEquals([search, answer.status], [search, 200]);
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
  await withPage(await ask(reports, `${RANGE}&view=steps`), (page) => {
    assertEquals(textsOf(page, "tbody th"), [hostile, "</style></title>{{7*7}}", "\ufffd\ufffd"]);
  });
});
