import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Window } from "happy-dom";
import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "./fixtures.ts";
import { VIEWS } from "../../../src/ingest/reports/views/registry.ts";
import { createReferenceStore } from "./reference_store.ts";
import { ask, createTestReports, TEST_KEY } from "./reports_fixtures.ts";
import { at } from "./visit_fixtures.ts";

const RANGE = "?from=2026-03-27&to=2026-03-31";

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

const searchOf = (page: Document, selector: string): URLSearchParams =>
  new URLSearchParams(page.querySelector(selector)?.getAttribute("href") ?? "");

const VISIT = [
  buildPageview({
    timestamp: NOON,
    pageUrl: `${SITE}/caf%C3%A9`,
    referrer: "https://search.example/",
    sessionId: "s-1",
    anonymousId: "v-1",
    userId: "u-1",
  }),
  buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, collection: "aggregate" }),
  buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup", sessionId: "s-1", anonymousId: "v-1" }),
  buildPageview({ timestamp: "2026-03-26T10:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
];

Deno.test("createReports() shows the figures of the overview beside those of the days before", async () => {
  const reports = await createTestReports(VISIT, { keys: [{ ...TEST_KEY, pageviewAllowance: 10 }] });

  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(textsOf(page, "h1"), ["shop.example"]);
    assertEquals(textsOf(page, ".choice summary"), [
      "27 Mar 2026 – 31 Mar 2026 · UTC · beside the 5 days before, up to the same time, 12:00 Change",
    ]);
    assertEquals(textsOf(page, ".lead"), ["The visitors below are the 50% of views with consent."]);
    assertEquals(textsOf(page, ".figures > div"), [
      "Visitors1 0 before",
      "Pageviews2 1 before",
      "With consent50% 0% before1 with consent, 1 before it",
      "Sessions1 0 before",
      "Views per session1 none before",
      "Bounce rate0% none before",
      "Session length0 s none beforemedian of sessions with two events or more",
      "Users signed in1 0 before",
      "Allowance used30% 3 of 10 pageviews of all sites in Mar 2026",
    ]);
    assertEquals(textsOf(page, "h2"), ["Pageviews per day"]);
    assertEquals(textsOf(page, ".days tbody tr").slice(3), [
      "Mon 30 Mar 2026 0 0 – 0 0",
      "Tue 31 Mar 2026 2 1 50% 1 1",
    ]);
  });
});

Deno.test("createReports() says which sessions were joined midway where there are some", async () => {
  const joined = buildPageview({ timestamp: NOON, pageUrl: `${SITE}/teas`, referrer: `${SITE}/`, sessionId: "s-9" });
  const notesOf = async (events: readonly ReturnType<typeof buildPageview>[]): Promise<readonly string[]> => {
    let notes: readonly string[] = [];
    await withPage(await ask(await createTestReports(events), RANGE), (page) => {
      notes = textsOf(page, ".figures .note").filter((text) => text.includes("midway"));
    });
    return notes;
  };

  assertEquals(await notesOf(VISIT), []);
  assertEquals(
    await notesOf([...VISIT, joined]),
    Array(2).fill("of 1 session from their first page on; 1 joined midway"),
  );
});

Deno.test("createReports() says whom the figures are of, and compares them where there are enough", async () => {
  const views = (count: number, day: string, collection: "full" | "aggregate") =>
    Array.from(
      { length: count },
      () => buildPageview({ timestamp: `${day}T10:00:00.000Z`, pageUrl: `${SITE}/`, collection }),
    );
  const mixed = await createTestReports([
    ...views(40, "2026-03-31", "full"),
    ...views(20, "2026-03-30", "aggregate"),
    ...views(40, "2026-03-26", "full"),
  ]);
  const full = await createTestReports(views(1, "2026-03-31", "full"));

  await withPage(await ask(mixed, RANGE), (page) => {
    assertEquals(textsOf(page, ".lead"), [
      "The visitors below are the 67% of views with consent. Before, it was 100%: that alone changes the number of visitors.",
    ]);
    assertEquals(textsOf(page, ".figures > div")[1], "Pageviews60 40 before, +50%");
  });
  await withPage(await ask(mixed, `${RANGE}&filter=signedIn:no`), (page) => {
    assertEquals(textsOf(page, ".lead"), [
      "The visitors below consented: these filters choose nothing of the views before consent.",
    ]);
    assertEquals(textsOf(page, ".figures dt").slice(0, 3), ["Visitors", "Pageviews", "Sessions"]);
  });
  await withPage(await ask(full, RANGE), (page) => {
    assertEquals(textsOf(page, ".lead"), [
      'All views below are with consent. Views before it are counted with trackPageviews: "auto".',
    ]);
  });
});

Deno.test("createReports() says how many views of bots and own visits are left out, and leads to them and back", async () => {
  const view = buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` });
  const flagged = (flag: "bot" | "own", count: number): readonly StoredEvent[] =>
    Array.from({ length: count }, (_, index) => ({ ...view, id: `${flag}-${index}`, flag }));
  const reports = await createTestReports([view, ...flagged("bot", 1200), ...flagged("own", 1)]);

  await withPage(await ask(reports, `${RANGE}&filter=page:/teas&filter=page:/`), (page) => {
    assertEquals(textsOf(page, "main > .note"), [
      "Left out, whatever the filters: bots: 1,200 views, own visits: 1 view",
    ]);
    assertEquals(searchOf(page, "main > .note a").get("traffic"), "bots");
    assertEquals(textsOf(page, ".figures > div")[1], "Pageviews1 0 before");
  });
  await withPage(await ask(reports, `${RANGE}&traffic=bots`), (page) => {
    assertEquals(textsOf(page, "main > .note"), []);
    assertEquals(textsOf(page, ".lead"), []);
    assertEquals(textsOf(page, ".filters li"), [
      "Counted Count people instead of bots × alone, which the figures of people leave out",
    ]);
    assertEquals(searchOf(page, ".filters a").get("traffic"), null);
    assertEquals(searchOf(page, "nav[aria-label=Sections] a").get("traffic"), "bots");
    assertEquals(textsOf(page, ".figures > div")[1], "Pageviews1,200 0 before");
  });
});

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

Deno.test("createReports() draws a bar for each kind of pageview, the days before as a line, and names the chart", async () => {
  const reports = await createTestReports([
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` }),
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, collection: "aggregate" }),
    buildPageview({ timestamp: "2026-03-22T10:00:00.000Z", pageUrl: `${SITE}/` }),
  ]);

  await withPage(await ask(reports, RANGE), (page) => {
    const paths = [...page.querySelectorAll(".plot > svg path")];
    assertEquals(paths.map((path) => [path.getAttribute("class"), path.getAttribute("d")]), [
      ["full", "M4.12 220v-146.667h0.76v146.667z"],
      ["aggregate", "M4.12 73.333v-73.333h0.76v73.333z"],
      ["before", "M0.5 146.667L1.5 220L2.5 220L3.5 220L4.5 220"],
    ]);
    assertEquals(
      page.querySelector(".chart")?.getAttribute("aria-label"),
      "Bar chart, 27 Mar 2026 – 31 Mar 2026: 3 pageviews, most of them, 3, in the day Tue 31 Mar 2026. " +
        "The table below has the figures of each day.",
    );
    assertEquals(
      textsOf(page, ".column")[4],
      "Tue 31 Mar 2026: 3(2 with consent, 1 before consent); in the period before: 0",
    );
    assertEquals(textsOf(page, ".legend span"), ["With consent", "Before consent", "The 5 days before"]);
  });
});

Deno.test("createReports() names hours, days, Mondays and months below the chart", async () => {
  const reports = await createTestReports([buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` })]);
  const ticksOf = async (search: string): Promise<readonly string[]> => {
    let ticks: readonly string[] = [];
    await withPage(await ask(reports, search), (page) => ticks = textsOf(page, ".plot > text"));
    return ticks;
  };

  assertEquals(await ticksOf("?from=2026-03-31&to=2026-03-31"), ["00:00", "06:00", "12:00", "18:00"]);
  assertEquals(await ticksOf("?from=2026-03-29&to=2026-03-31"), ["29 Mar", "30 Mar", "31 Mar"]);
  assertEquals(await ticksOf("?from=2026-03-28&to=2026-03-31"), ["28 Mar", "29 Mar", "30 Mar", "31 Mar"]);
  assertEquals(await ticksOf(""), ["2 Mar", "9 Mar", "16 Mar", "23 Mar", "30 Mar"]);
  assertEquals(await ticksOf("?from=2025-04-01&to=2026-03-31"), ["Apr", "Jul", "Oct", "Jan"]);
});

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

  assertEquals(await readRow("&view=pages"), ["/", "1", "0", "0%", "0", "0", "–", "page:/", null]);
  assertEquals(await readRow("&view=pages&filter=page:/caf%25C3%25A9"), [
    ...["/café", "1", "1", "100%", "1", "1", "0%", "page:/caf%C3%A9", null],
  ]);
  assertEquals(await readRow("&view=sources"), ["Other sites", "1", "1", "0%", "channel:Other sites", null]);
  assertEquals(await readRow("&view=sources&by=campaign"), ["no campaign", "1", "1", "0%", "campaign:", null]);
  assertEquals(await readRow("&view=sources&by=landing"), ["/café", "1", "1", "0%", "entry:/caf%C3%A9", null]);
  assertEquals(await readRow("&view=steps"), [
    "signup",
    "1",
    "1",
    "Show chart and values of signup",
    "step:signup",
    null,
  ]);
});

Deno.test("createReports() lists the sessions that joined midway under landing pages, without a link", async () => {
  const midway = { pageUrl: `${SITE}/cart`, referrer: `${SITE}/`, sessionId: "s-1", anonymousId: "v-1" };
  const reports = await createTestReports([buildPageview({ timestamp: "2026-03-31T11:59:00.000Z", ...midway })]);

  for (const view of ["sources", "live"]) {
    await withPage(await ask(reports, `?view=${view}&by=landing`), (page) => {
      const label = [...page.querySelectorAll("main tbody .label")].find((one) => one.textContent === "joined midway");
      assertEquals([view, label?.innerHTML], [view, "joined midway"]);
    });
  }
});

Deno.test("createReports() lists sources of the session or of the visitor's first, whose rows lead to no filter", async () => {
  const reports = await createTestReports([
    buildPageview({
      timestamp: "2026-01-31T10:00:00.000Z",
      pageUrl: `${SITE}/?utm_source=news&utm_medium=email`,
      sessionId: "s-0",
      anonymousId: "v-1",
    }),
    ...VISIT,
  ]);
  const rowOf = async (search: string): Promise<unknown> => {
    let row: unknown;
    await withPage(await ask(reports, `${RANGE}&view=sources${search}`), (page) => {
      row = [...textsOf(page, "main tbody tr:first-child > *"), textsOf(page, "main tbody a").length];
    });
    return row;
  };

  assertEquals(await rowOf(""), ["Other sites", "1", "1", "0%", 2]);
  assertEquals(await rowOf("&of=first"), ["Email", "1", "1", "0%", 0]);
  await withPage(await ask(reports, `${RANGE}&view=sources&by=landing&of=first`), (page) => {
    assertEquals(textsOf(page, "main .caption"), [
      "By the landing page of each visitor's first session in all that is kept. Views before consent have no visitor, and are left out",
    ]);
    assertEquals(textsOf(page, "main [aria-current=true]"), ["Entry page", "Of the visitor's first"]);
    const [session, first] = ["li:first-child a", "li:last-child a"].map((place) =>
      searchOf(page, `nav[aria-label="Sources of"] ${place}`)
    );
    assertEquals([session?.get("of"), session?.get("by")], [null, "landing"]);
    assertEquals([first?.get("of"), first?.get("by")], ["first", "landing"]);
    // The choice stays with another grouping, other days, the form and the files, and ends with the section.
    assertEquals(searchOf(page, 'nav[aria-label="Sources by"] a').get("of"), "first");
    assertEquals(searchOf(page, "nav[aria-label=Ranges] a").get("of"), "first");
    assertEquals(page.querySelector("form [name=of]")?.getAttribute("value"), "first");
    assertEquals(searchOf(page, "footer a").get("of"), "first");
    assertEquals(searchOf(page, "nav[aria-label=Sections] a").get("of"), null);
  });
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
        textsOf(page, "main .scroll + .note"),
      ];
    });
    return last;
  };

  assertEquals(await readLast("pages"), [
    26,
    ["Other", "5", "–", "100%", "0", "0", "–"],
    ["25 of 30 pages; the file below has more."],
  ]);
  assertEquals(await readLast("steps"), [
    51,
    ["Other", "5", "–", ""],
    ["25 of 30 names; the file below has more.", "25 of 30 faults; the file below has more."],
  ]);
});

Deno.test("createReports() says that not all sources are told, where somebody makes up too many", async () => {
  const views = Array.from(
    { length: 10_001 },
    (_, index) => buildPageview({ timestamp: NOON, pageUrl: `${SITE}/?utm_source=made-up-${index}` }),
  );
  const captionOf = async (events: typeof views): Promise<unknown> => {
    let caption: unknown;
    await withPage(await ask(await createTestReports(events), `${RANGE}&view=sources`), (page) => {
      caption = textsOf(page, "main .caption")[0];
    });
    return caption;
  };

  assertEquals(await captionOf(views.slice(1)), "By the channel of sessions, which are with consent");
  assertEquals(
    await captionOf(views),
    "By the channel of sessions, which are with consent. Of so many sources the 10,000 most frequent are told, the rest is Other",
  );
});

Deno.test("createReports() shows the values of a step, each of which leads to the sessions that have it", async () => {
  const events = ["pro", "3", 3].map((plan) => ({
    ...buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup" }),
    properties: { plan, seats: 2 },
  }));

  await withPage(await ask(await createTestReports(events), `${RANGE}&view=steps&step=signup`), (page) => {
    assertEquals(textsOf(page, "h2"), ["signup per day", "Values of signup", "Steps"]);
    assertEquals(page.querySelector(".chart")?.getAttribute("aria-label")?.includes(": 3 times."), true);
    assertEquals(textsOf(page, ".days tbody tr").filter((row) => row.endsWith("3 0")).length, 1);
    assertEquals(textsOf(page, "nav[aria-label=Properties] a"), ["plan", "seats"]);
    assertEquals(textsOf(page, "main section:nth-child(2) tbody th"), ['"3"', "pro", "3"]);
    assertEquals(
      textsOf(page, "main section:nth-child(2) .note"),
      ["1 number: sum 3, median 3, 90% of them at most 3."],
    );
    assertEquals(searchOf(page, "main section:nth-child(2) tbody a").get("filter"), 'property@signup:plan:"3"');
  });
});

Deno.test("createReports() shows what ./auto recorded: links, downloads, forms, and the time of a page", async () => {
  const build = (name: string, properties: Readonly<Record<string, unknown>>): StoredEvent => ({
    ...buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name, sessionId: "s", anonymousId: "ada" }),
    properties,
  });
  const reports = await createTestReports([
    buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, sessionId: "s", anonymousId: "ada" }),
    build("$engagement", { engagedMs: 12_000 }),
    build("$outbound", { url: "https://maker.example/docs" }),
    build("$download", { url: "https://shop.example/teas.pdf" }),
    build("$form", { form: "login" }),
  ]);

  await withPage(await ask(reports, `${RANGE}&view=steps`), (page) => {
    assertEquals(textsOf(page, "h2"), ["Steps", "Links that lead away", "Downloads", "Forms"]);
    assertEquals(textsOf(page, "main section:nth-of-type(2) tbody tr > *"), ["https://maker.example/docs", "1", "1"]);
    assertEquals(
      searchOf(page, "main section:nth-of-type(2) tbody a").get("filter"),
      'property@$outbound:url:"https://maker.example/docs"',
    );
  });
  await withPage(await ask(reports, `${RANGE}&view=pages`), (page) => {
    assertEquals(textsOf(page, "thead th").at(-1), "Time per view");
    assertEquals(textsOf(page, "tbody td").at(-1), "12 s");
  });
});

Deno.test("createReports() shows what came with consent and before it, and no rate of refusals", async () => {
  await withPage(await ask(await createTestReports(VISIT), `${RANGE}&view=consent`), (page) => {
    assertEquals(textsOf(page, ".figures > div"), [
      "With consent 50% 0% before",
      "Views with consent 1 0 before",
      "Views before consent 1 1 before 1 for each of 1 arrival among them",
      "Arrivals before a choice 2 1 before 1 consented on the page that they came to; the others later, or never",
      "Newly consented 1 0 before about 5 in 10 accept, fewer than 1 in 10 before",
      "Arrivals with consent 1 1 view per session",
    ]);
    assertEquals(textsOf(page, "h2"), ["Share with consent per day", "By page", "By source"]);
    assertEquals(textsOf(page, ".columns tbody tr"), [
      "/ 10%",
      "/café 1100%",
      "search.example 1100%",
      "no referrer 10%",
    ]);
    assertStringIncludes(textsOf(page, "main")[0] ?? "", "there is no rate of refusals");
  });
});

for (
  const [before, landed, stepped, expected] of [
    [30, 1, 0, "Newly consented 1 0 before fewer than 1 in 10 accept"],
    [1, 0, 1, "Newly consented 1 0 before about 10 in 10 accept"],
    [1, 0, 2, "Newly consented 2 0 before no estimate of how many accept"],
    [0, 1, 0, "Newly consented 1 0 before no estimate of how many accept"],
    [0, 0, 0, undefined],
  ] as const
) {
  Deno.test(`createReports() estimates of ${before} views before consent, ${landed} landings and ${stepped} others how many accept`, async () => {
    const reports = await createTestReports([
      ...Array.from(
        { length: before },
        () => buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, collection: "aggregate" }),
      ),
      ...Array.from(
        { length: landed },
        (_, index) =>
          buildPageview({ timestamp: NOON, pageUrl: `${SITE}/`, anonymousId: `l-${index}`, sessionId: `l-${index}` }),
      ),
      ...Array.from(
        { length: stepped },
        (_, index) =>
          buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, anonymousId: `s-${index}`, sessionId: `s-${index}` }),
      ),
    ]);

    await withPage(await ask(reports, `${RANGE}&view=consent`), (page) => {
      assertEquals(textsOf(page, ".figures > div").find((text) => text.startsWith("Newly")), expected);
    });
  });
}

Deno.test("createReports() shows of each stage of a funnel the share of the first and of the one before, and asks where nobody is", async () => {
  const day = "2026-03-31T";
  const reports = await createTestReports(
    Array.from({ length: 40 }, (_, index) => {
      const visit = { visitor: `v-${index}`, session: `s-${index}` };
      return [
        at(`${day}10:00:00Z`, visit),
        ...index < 3 ? [at(`${day}10:01:00Z`, { ...visit, name: "signup" })] : [],
        ...index < 1 ? [at(`${day}10:03:00Z`, { ...visit, name: "order" })] : [],
      ];
    }).flat(),
    { keys: [{ ...TEST_KEY, goals: { Order: { step: "purchase" } } }] },
  );
  const stages = (...texts: readonly string[]): string =>
    `${RANGE}&view=funnel${texts.map((text) => `&stage=${text}`).join("")}`;
  const readNotes = async (search: string): Promise<readonly string[]> => {
    let notes: readonly string[] = [];
    await withPage(await ask(reports, search), (page) => {
      notes = textsOf(page, "main .scroll ~ .note").filter((text) => text.startsWith("Nobody"));
    });
    return notes;
  };

  await withPage(await ask(reports, stages("/*", "signup", "order", "purchase", "signup")), (page) => {
    assertEquals(textsOf(page, "main .caption"), [
      "Visitors with consent. A visitor counts in a stage only after all stages before it, within one session: a goal of the " +
      "same step can have more. Whoever tries several times counts once. The median time is that since the stage before.",
    ]);
    assertEquals(textsOf(page, "thead th"), ["Stage", "Visitors", "Of the first", "Of those before", "Median time"]);
    assertEquals([...page.querySelectorAll("tbody tr")].map((row) => textsOf(row as unknown as Document, "th, td")), [
      ["page /*", "40", "100%", "–", "–"],
      ["step signup", "3", "7.5%", "7.5%", "1 min 0 s"],
      ["step order", "1", "2.5%", "33%", "2 min 0 s"],
      ["step purchase", "0", "0%", "0%", "–"],
      ["step signup", "0", "0%", "–", "–"],
    ]);
    const links = [...page.querySelectorAll("main .scroll + .note a")].map((link) =>
      new URLSearchParams(link.getAttribute("href") ?? "").get("view")
    );
    assertEquals(links, ["pages", "steps"]);
    assertEquals(textsOf(page, "[name=order] option"), [
      "in this order, others may be between",
      "in this order, nothing else between",
      "the middle ones in any order",
    ]);
  });
  assertEquals(await readNotes(stages("/", "signup", "purchase")), [
    "Nobody reached stage 3, step purchase. Is the name written as in the lists of pages and steps?",
  ]);
  assertEquals(await readNotes(stages("/", "goal:Order")), ["Nobody reached stage 2, goal Order."]);
  assertEquals(await readNotes(stages("/", "signup", "order")), []);
});

Deno.test("createReports() proposes the most frequent pages and steps as stages, whatever the filters, and names no others", async () => {
  const day = "2026-03-31T";
  const reports = await createTestReports([
    ...["/teas", "/teas", "/a:"].map((page) => at(`${day}10:00:00Z`, { page })),
    ...["signup", "signup", "signup", "a:b|c", "\u202e", "/x"].map((name) =>
      at(`${day}10:01:00Z`, { name, page: "/teas" })
    ),
    at("2026-01-01T10:00:00Z", { page: "/old" }),
  ], { keys: [{ ...TEST_KEY, goals: { Order: { step: "order" } } }] });
  const proposals = ["goal:Order", "/teas", "page:/a:", "signup", "step:/x", "step:a%3Ab%7Cc"];

  for (const view of ["funnel", "retention"]) {
    await withPage(await ask(reports, `?from=2026-01-01&view=${view}&filter=step:none`), (page) => {
      const options = [...page.querySelectorAll("main datalist option")].map((option) => option.getAttribute("value"));
      assertEquals([view, options], [view, proposals]);
      assertStringIncludes(
        textsOf(page, "main .note").at(-2) ?? "",
        "write the path of the page, such as /teas, or the name of the step, such as signup, as in the lists of pages and " +
          "steps. /* is any page",
      );
      assertStringIncludes(textsOf(page, "main details li")[1] ?? "", "goal:Order is a goal of the key.");
    });
  }
  await withPage(await ask(await createTestReports([]), "?view=funnel"), (page) => {
    assertEquals(
      [...page.querySelectorAll("[name=stage]")].map((field) => field.getAttribute("placeholder")),
      Array(3).fill("a page or a step"),
    );
    assertEquals(
      textsOf(page, "main .note")[0],
      "A stage is a page or a step: write the path of the page, or the name of the " +
        "step, as in the lists of pages and steps. /* is any page: as the first stage it takes all who viewed one.",
    );
  });
});

/** Four weeks of visitors, of whom these come back; the last week isn't over. */
const COHORTS = [
  { first: "2026-03-09", size: 20, back: [["2026-03-16", 1], ["2026-03-30", 2]] },
  { first: "2026-03-16", size: 10, back: [["2026-03-23", 2], ["2026-03-30", 1]] },
  { first: "2026-03-23", size: 5, back: [["2026-03-30", 1]] },
  { first: "2026-03-30", size: 4, back: [] },
] as const;

Deno.test("createReports() shows who comes back of all cohorts together, and shades what differs", async () => {
  const reports = await createTestReports(COHORTS.flatMap(({ first, size, back }) => {
    const view = (day: string) => (_: unknown, index: number) =>
      at(`${day}T10:00:00Z`, { visitor: `${first}-${index}`, session: `${first}-${day}-${index}` });
    return [
      ...Array.from({ length: size }, view(first)),
      ...back.flatMap(([day, length]) => Array.from({ length }, view(day))),
    ];
  }));

  await withPage(await ask(reports, "?view=retention&from=2026-03-09"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), [
      "Of the visitors whose second week is over and in the table, 10% came back in it: 3 of 30.",
    ]);
    assertEquals(textsOf(page, "main .caption"), [
      "Each row has the visitors with consent whose first event, in all that is kept, is in that week. Week 0 is that week, " +
      "Week 1 the week after. The last week isn't over yet: the shares of All leave it out.",
    ]);
    assertEquals([...page.querySelectorAll("tbody tr")].map((row) => textsOf(row as unknown as Document, "th, td")), [
      ["All", "39", "100%", "10%", "0%", "–"],
      ["9 Mar 2026", "20", "100%", "5.0%", "0%", "10%"],
      ["16 Mar 2026", "10", "100%", "20%", "10%"],
      ["23 Mar 2026", "5", "100%", "20%"],
      ["30 Mar 2026", "4", "100%"],
    ]);
    assertEquals(
      [...page.querySelectorAll("tbody tr")].map((row) =>
        [...row.querySelectorAll("td[title]")].map((cell) => cell.getAttribute("class"))
      ),
      [["h0", "h3", "h0", "h0"], ["h0", "h1", "h0", "h3"], ["h0", "h5", "h3"], ["h0", "h5"], ["h0"]],
    );
    assertEquals(page.querySelectorAll("tbody td")[2]?.getAttribute("title"), "3 of 30 visitors");
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-09&to=2026-03-24"), (page) => {
    assertEquals(textsOf(page, "tbody tr")[0], "All35100%10%0%");
    assertEquals(textsOf(page, "main .caption")[0]?.includes("isn't over"), false);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-09&event=/none"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), [
      "Of the visitors whose second week is over and in the table, 0% came back to page /none in it: 0 of 30.",
    ]);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-30"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), ["Choose more than one week to see who comes back."]);
    assertEquals(textsOf(page, "tbody tr"), ["All4–", "30 Mar 20264100%"]);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-03-23"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), [
      "Who comes back shows once a visitor's second week is over.",
    ]);
  });
  await withPage(await ask(reports, "?view=retention&from=2026-01-05&to=2026-01-18"), (page) => {
    assertEquals(textsOf(page, "main section .lead"), ["Nobody was first seen before the last of these weeks."]);
  });
  await withPage(await ask(reports, "?view=retention&unit=day&from=2026-03-09"), (page) => {
    assertEquals(textsOf(page, "thead th").slice(-2), ["Day 11", "Day 12"]);
    assertEquals(textsOf(page, "thead th").length, 15);
    assertEquals(textsOf(page, "tbody tr")[1], "9 Mar 202620100%0%0%0%0%0%0%5.0%0%0%0%0%0%");
    assertStringIncludes(
      textsOf(page, "main .caption")[0] ?? "",
      "The table ends with Day 12; the file below has all 23 days.",
    );
  });
  const { cohorts } = await (await ask(reports, "?view=retention&unit=day&from=2026-03-09&format=json")).json();
  assertEquals(cohorts[0].returned.length, 23);
});

Deno.test("createReports() shows the last 30 minutes, whose rows lead to the overview of today, and no days to choose", async () => {
  const reports = await createTestReports([
    buildPageview({
      timestamp: "2026-03-31T11:31:00.000Z",
      pageUrl: `${SITE}/teas`,
      anonymousId: "v-1",
      sessionId: "s",
    }),
    buildEvent({
      timestamp: "2026-03-31T11:58:00.000Z",
      pageUrl: `${SITE}/teas`,
      name: "order",
      anonymousId: "v-1",
      sessionId: "s",
    }),
  ]);
  const search = "?view=live&from=2026-01-01&to=2026-01-31&zone=Europe/Berlin";

  await withPage(await ask(reports, search), (page) => {
    assertEquals(textsOf(page, ".choice summary"), ["The last 30 minutes, until 14:00 · Europe/Berlin Change"]);
    assertEquals(textsOf(page, ".figures > div"), [
      "Visitors now 1 with consent, in the last 5 minutes",
      "Visitors 1 with consent, in 30 minutes",
      "Pageviews 1 1 with consent, 0 before it",
      "Sessions 1 that began in 30 minutes",
    ]);
    assertEquals(textsOf(page, ".plot > text"), ["30 min ago", "20 min ago", "10 min ago"]);
    assertEquals(textsOf(page, ".column")[1], "29 to 28 minutes ago: 1(1 with consent, 0 before consent)");
    assertEquals(textsOf(page, ".days tbody tr").filter((row) => !row.endsWith(" 0 0")), [
      "2 to 1 minutes ago 0 1",
      "29 to 28 minutes ago 1 1",
    ]);
    assertEquals(textsOf(page, ".columns tbody th"), ["/teas", "Direct or unknown", "order"]);
    assertEquals([...page.querySelectorAll(".columns tbody a")].map((link) => link.getAttribute("href")), [
      "?site=https%3A%2F%2Fshop.example&from=2026-03-31&to=2026-03-31&zone=Europe%2FBerlin&filter=page%3A%2Fteas",
      "?site=https%3A%2F%2Fshop.example&from=2026-03-31&to=2026-03-31&zone=Europe%2FBerlin&filter=channel%3ADirect+or+unknown",
      "?site=https%3A%2F%2Fshop.example&from=2026-03-31&to=2026-03-31&zone=Europe%2FBerlin&filter=step%3Aorder",
    ]);
    assertEquals(textsOf(page, "nav[aria-label=Ranges] a"), []);
    assertEquals(searchOf(page, "nav[aria-label=Refresh] a").get("view"), "live");
    assertEquals([...page.querySelectorAll("form [name]")].map((field) => field.getAttribute("name")), [
      ...["site", "zone", "view", "from", "to"],
    ]);
  });
  const early = buildPageview({ timestamp: "2026-03-31T11:31:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" });
  await withPage(await ask(await createTestReports([early]), "?view=live"), (page) => {
    assertEquals(textsOf(page, ".columns h2"), ["Pages", "Sources", "Steps"]);
    assertEquals(textsOf(page, ".columns .note"), Array(2).fill("None in these minutes."));
  });
});

Deno.test("createReports() says when the newest event was, where the last 30 minutes have none", async () => {
  const readQuiet = async (events: readonly StoredEvent[], search = ""): Promise<unknown> => {
    let read: unknown;
    await withPage(await ask(await createTestReports(events), `?view=live${search}`), (page) => {
      read = [textsOf(page, "main h2"), textsOf(page, "main section p"), page.querySelectorAll("svg, table").length];
    });
    return read;
  };
  const quiet = (text: string): unknown => [["Nothing in the last 30 minutes"], [text], 0];
  const today = buildPageview({ timestamp: "2026-03-31T09:14:00.000Z", pageUrl: `${SITE}/` });
  const yesterday = buildPageview({ timestamp: "2026-03-30T21:14:00.000Z", pageUrl: `${SITE}/` });
  const own: StoredEvent = {
    ...buildPageview({ timestamp: "2026-03-31T11:58:00.000Z", pageUrl: `${SITE}/` }),
    flag: "own",
  };

  assertEquals(await readQuiet([yesterday, today]), quiet("The newest event is from 09:14."));
  assertEquals(await readQuiet([today], "&zone=Asia/Tokyo"), quiet("The newest event is from 18:14."));
  assertEquals(await readQuiet([yesterday]), quiet("The newest event is from 30 Mar 2026, 21:14."));
  assertEquals(
    await readQuiet([own]),
    quiet("The newest event is from 11:58. It is of a bot or an own visit, which are left out."),
  );
  assertEquals(
    await readQuiet([own], "&traffic=bots"),
    [["Nothing in the last 30 minutes"], ["The site's newest event is from 11:58, whatever is chosen above."], 0],
  );
  assertEquals(await readQuiet([]), quiet("No event of shop.example has arrived yet."));
});

Deno.test("createReports() shows all sites beside each other, each of which leads to its overview", async () => {
  const reports = await createTestReports(VISIT);

  await withPage(await ask(reports, `${RANGE}&view=sites&compare=year`), (page) => {
    assertEquals(textsOf(page, "h1"), ["All sites"]);
    assertEquals(textsOf(page, "thead th"), [
      ...["Site", "Visitors", "Views", "Sessions", "With consent"],
    ]);
    assertEquals(textsOf(page, "tbody tr"), [
      "shop.example 10 a year ago20 a year ago10 a year ago50%– a year ago",
      "blog.example 00 a year ago00 a year ago00 a year ago–– a year ago",
    ]);
    const link = searchOf(page, "tbody tr:last-child a");
    assertEquals(["view", "site", "from", "to"].map((name) => link.get(name)), [
      ...[null, "https://blog.example", "2026-03-27", "2026-03-31"],
    ]);
    assertEquals([...page.querySelectorAll("form [name]")].map((field) => field.getAttribute("name")), [
      ...["from", "to", "zone", "compare", "view", "site"],
    ]);
  });
});

Deno.test("createReports() shows what is of no site, where there is any", async () => {
  const step = at("2026-03-29T10:00:00Z", { name: "purchase", page: null, visitor: "ada" });
  const reports = await createTestReports([...VISIT, step]);

  await withPage(await ask(reports, `${RANGE}&view=sites`), (page) => {
    assertEquals(
      textsOf(page, "tbody tr").map((row) => row.split(" 0 ")[0]).at(-1),
      "Without a site 00 before00 before00 before–– before",
    );
    assertEquals(searchOf(page, "tbody tr:last-child a").get("site"), "none");
  });
  await withPage(await ask(reports, `${RANGE}&view=steps&site=none`), (page) => {
    assertEquals(textsOf(page, "h1"), ["Without a site"]);
    assertEquals([...page.querySelectorAll("select[name=site] option")].map((one) => one.textContent?.trim()), [
      ...["https://shop.example", "https://blog.example", "Without a site"],
    ]);
    assertEquals(textsOf(page, "select[name=site] option[selected]"), ["Without a site"]);
    assertEquals(textsOf(page, "tbody tr").some((row) => row.startsWith("purchase 1")), true);
  });
  const csv = await ask(reports, `${RANGE}&view=steps&site=none&format=csv`);
  assertEquals(csv.headers.get("Content-Disposition"), 'attachment; filename="steps-none-2026-03-27-2026-03-31.csv"');
  await csv.body?.cancel();
});

Deno.test("createReports() shows the newest 200 events of a person, whose id is in no address, and nothing of theirs runs", async () => {
  const hostile = `</td><script>alert(1)</script>\u202e`;
  const ada = { anonymousId: "ada", sessionId: "s-1", pageUrl: `${SITE}/caf%c3%a9` } as const;
  const reports = await createTestReports([
    ...Array.from({ length: 250 }, () => ({
      ...buildPageview({ ...ada, timestamp: "2026-03-29T10:00:00.000Z" }),
      flag: "own" as const,
    })),
    { ...buildEvent({ ...ada, timestamp: "2026-03-30T23:00:00.000Z", name: hostile }), properties: { plan: hostile } },
  ]);
  const init = {
    method: "POST",
    headers: { Authorization: `Bearer ${TEST_KEY.secretKey}` },
    body: new URLSearchParams({ anonymousId: "ada" }),
  };

  await withPage(await ask(reports, `${RANGE}&view=person&zone=Europe/Berlin&filter=page:/x`, init), (page, text) => {
    assertEquals(page.querySelectorAll("tbody tr").length, 200);
    assertEquals(textsOf(page, "tbody tr:first-child > *"), [
      ...["31 Mar 2026, 01:00", "</td><script>alert(1)</script>\ufffd", "/café"],
      '{"plan":"</td><script>alert(1)</script>\ufffd"}',
    ]);
    const links = [...page.querySelectorAll("tbody tr:last-child a")].map((link) =>
      new URLSearchParams(link.getAttribute("href") ?? "")
    );
    assertEquals(links.map((link) => ["filter", "from", "to", "traffic", "view"].map((name) => link.get(name))), [
      ["page:/caf%C3%A9", "2026-03-29", "2026-03-29", "own", null],
      ["page:/caf%C3%A9", "2026-03-29", "2026-03-29", "own", null],
    ]);
    assertEquals(textsOf(page, "tbody tr:last-child td")[0], "Pageview own visit, left out");
    assertEquals(searchOf(page, "tbody a").get("traffic"), null);
    assertEquals(searchOf(page, "tbody a").get("filter"), `step:${hostile}`);
    assertEquals(textsOf(page, "pre"), ["vendor-ingest data erase --key='pk_test_1' --anonymous-id='ada'"]);
    assertEquals([text.includes("<script"), /(href|action)="[^"]*ada/.test(text)], [false, false]);
    assertEquals(textsOf(page, "main form button"), ["person.csv", "person.json", "Show"]);
    assertEquals(textsOf(page, ".filters"), []);
  });
  await withPage(await ask(reports, "?view=person"), (page) => {
    const form = page.querySelector('form[method="post"]');
    assertEquals(
      form?.getAttribute("action"),
      "?view=person&site=https%3A%2F%2Fshop.example&from=2026-03-02&to=2026-03-31",
    );
    assertEquals(textsOf(page, ".choice summary"), ["All that is kept · UTC Change"]);
    assertEquals(textsOf(page, "footer nav a"), []);
  });
  await withPage(
    await ask(reports, "?view=person", { ...init, body: new URLSearchParams({ userId: "eve" }) }),
    (page) => {
      assertEquals(textsOf(page, "main .note"), [
        "No event of theirs is stored for this site. The id is what the site gives to identify(), or the anonymousId of " +
        "an event: capitals and blanks count.",
      ]);
      assertEquals(textsOf(page, "main h2"), ["User eve", "Another visitor or user"]);
    },
  );
  const signedIn = await createTestReports([buildPageview({ ...ada, timestamp: NOON, userId: "eve" })]);
  await withPage(
    await ask(signedIn, "?view=person", { ...init, body: new URLSearchParams({ userId: "eve" }) }),
    (page) => {
      assertEquals(textsOf(page, "main h2"), ["User eve", "Erase them", "Another visitor or user"]);
      assertStringIncludes(textsOf(page, "main")[0] ?? "", "With --with-visitors, what they did before they signed in");
    },
  );
});

Deno.test("createReports() asks on the page for one of the two ids, where neither or both are sent", async () => {
  const reports = await createTestReports([]);
  const send = (body: string): Promise<Response> =>
    ask(reports, "?view=person", {
      method: "POST",
      headers: { Authorization: `Bearer ${TEST_KEY.secretKey}` },
      body: new URLSearchParams(body),
    });

  for (const body of ["anonymousId=&userId=", "anonymousId=ada&userId=eve"]) {
    const answer = await send(body);
    assertEquals([body, answer.status], [body, 400]);
    await withPage(answer, (page, text) => {
      assertEquals(textsOf(page, "[role=alert]"), ["Fill in one of the two."]);
      assertEquals(textsOf(page, "main form label"), ["Visitor ID (anonymousId)", "User ID (userId of identify())"]);
      assertEquals(text.includes("in the body of a POST"), false);
    });
  }
  await withPage(await ask(reports, "?view=person"), (page) => {
    assertEquals(textsOf(page, "[role=alert]"), []);
    assertEquals(textsOf(page, "main .caption"), [
      "Their newest events on this site, whatever the days and filters. A user's ID is the one that your application has. " +
      "A visitor's ID is in their browser: in localStorage, or in a cookie, under vendor.sdk.visitor.",
      "Fill in one of the two. The ID goes into no address.",
    ]);
  });
});

Deno.test("createReports() shows each filter, what it chooses, and a link that removes it", async () => {
  const filters = 'filter=page:/&filter=page:/caf%25C3%25A9&filter=property@signup:plan:"pro"&filter=campaign:';

  await withPage(await ask(await createTestReports(VISIT), `${RANGE}&view=pages&${filters}`), (page) => {
    assertEquals(textsOf(page, ".filters li"), [
      "Page Remove the filter Page / × or Remove the filter Page /café × " +
      "chooses what happened on the page, and sessions that were there; views before consent count",
      'Property plan of signup Remove the filter Property plan of signup "pro" × ' +
      "chooses whole sessions; views before consent don't count, since they belong to none",
      "Campaign Remove the filter Campaign none × " +
      "chooses whole sessions; views before consent don't count, since they belong to none",
    ]);
    assertEquals(searchOf(page, ".filters a").getAll("filter"), [
      "page:/caf%C3%A9",
      'property@signup:plan:"pro"',
      "campaign:",
    ]);
    assertEquals(searchOf(page, ".filters p a").getAll("filter"), []);
    assertEquals(searchOf(page, "nav[aria-label=Sections] a").getAll("filter").length, 4);
    assertEquals([...page.querySelectorAll('form [name="filter"]')].length, 4);
    assertEquals(textsOf(page, "main .empty p"), [
      "Nothing of https://shop.example from 27 Mar 2026 to 31 Mar 2026 fits these filters.",
      "Remove all filters",
    ]);
  });
});

Deno.test("createReports() shows what breaks the plan", async () => {
  const reports = await createTestReports([
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup", violation: "missing" }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signp", violation: "unknown" }),
    buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup", violation: "missing" }),
  ]);

  await withPage(await ask(reports, `${RANGE}&view=steps`), (page) => {
    assertEquals(textsOf(page, "h2").at(-1), "Off the plan");
    assertEquals(textsOf(page, "main section:last-child tbody tr"), [
      "signup missing property2",
      "signp unknown name1",
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

Deno.test("createReports() says how much is counted while that isn't all, and JSON does", async () => {
  const reader = { ...createReferenceStore(() => VISIT), progress: () => Promise.resolve(0.437) };
  const reports = await createTestReports([], { reader });

  const page = await (await ask(reports, RANGE)).text();
  const { counted } = await (await ask(reports, `${RANGE}&format=json`)).json();
  const whole = await (await ask(await createTestReports(VISIT), RANGE)).text();

  assertStringIncludes(page, "Counted so far: 43% of what is stored.");
  assertEquals([counted, whole.includes("Counted so far")], [0.437, false]);
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
    assertEquals(textsOf(page, ".figures dt").includes("Allowance used"), false);
  });
});

Deno.test("createReports() lets the reader choose site, days, zone, comparison and section without a script", async () => {
  const reports = await createTestReports([]);
  const search = `${RANGE}&view=sources&by=campaign&site=https://blog.example&zone=Europe/Berlin&compare=year`;

  await withPage(await ask(reports, search), (page, text) => {
    const fields = [...page.querySelectorAll("form [name]")].map((field) => field.getAttribute("name"));
    // What stands beside nothing is compared with nothing, and keeps the choice for the other sections.
    assertEquals(fields, ["site", "from", "to", "zone", "view", "compare", "by"]);
    assertEquals(textsOf(page, "select option"), [SITE, "https://blog.example"]);
    assertEquals(textsOf(page, "option[selected]"), ["https://blog.example"]);
    assertEquals(page.querySelector("summary")?.textContent.includes("beside"), false);
    assertEquals(textsOf(page, "nav[aria-label=Ranges] a"), [
      ...["Today", "This week", "7 days", "30 days", "90 days", "12 months", "Earlier"],
    ]);
    const earlier = searchOf(page, "nav[aria-label=Ranges] li:last-child a");
    assertEquals(["from", "to", "zone", "compare", "view"].map((name) => earlier.get(name)), [
      ...["2026-03-22", "2026-03-26", "Europe/Berlin", "year", "sources"],
    ]);
    assertEquals(textsOf(page, "nav[aria-label=Sections] a"), VIEWS.map(({ title }) => title));
    assertEquals(textsOf(page, "[aria-current=page]"), ["Sources"]);
    assertEquals(text.includes("<script"), false);
  });
  await withPage(await ask(reports, `${RANGE}&compare=year`), (page) => {
    const fields = [...page.querySelectorAll("form [name]")].map((field) => field.getAttribute("name"));
    assertEquals(fields, ["site", "from", "to", "zone", "compare"]);
    assertEquals(textsOf(page, "[name=compare] option"), [
      "as many days before",
      "the same weekdays before",
      "the same weekdays a year ago",
    ]);
    assertEquals(textsOf(page, "option[selected]"), [SITE, "the same weekdays a year ago"]);
  });
  await withPage(await ask(reports, "?from=2026-03-30&to=2026-03-31&compare=weeks"), (page) => {
    assertEquals(textsOf(page, "[aria-current=true]"), ["This week"]);
    assertStringIncludes(page.querySelector("summary")?.textContent ?? "", "beside the same weekdays a week before");
  });
  await withPage(await ask(reports, ""), (page) => {
    assertEquals(textsOf(page, "[aria-current=true]"), ["30 days"]);
    const week = searchOf(page, "nav[aria-label=Ranges] li:nth-child(2) a");
    assertEquals(["from", "to", "compare"].map((name) => week.get(name)), ["2026-03-30", "2026-03-31", "weeks"]);
    assertEquals(textsOf(page, ".definitions dt").slice(0, 4), ["Pageviews", "Visitors", "Sessions", "Landings"]);
    assertEquals(textsOf(page, ".definitions code"), [
      "anonymousId",
      "step()",
      "auto()",
      "step()",
      "auto()",
      "identify()",
    ]);
    assertEquals(textsOf(page, "footer nav a"), ["overview.csv", "overview.json"]);
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
