import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createReports, type Goals } from "../../../src/ingest/mod.ts";
import { findGoalProblem } from "../../../src/ingest/reports/query/goals.ts";
import { buildPageview, SITE } from "./fixtures.ts";
import { searchOf, textsOf, withPage } from "./page_fixtures.ts";
import { createReferenceStore } from "./reference_store.ts";
import { ask, createTestReports, readProblem, TEST_KEY } from "./reports_fixtures.ts";
import { at } from "./visit_fixtures.ts";

const GOALS: Goals = {
  "Order: pro": { step: "order", property: { key: "plan", value: "pro" }, value: "total" },
  "<b>Thanks": { page: "/thanks/:order", value: 2.5 },
  Café: { page: "/café/" },
};

const order = (time: string, visitor: string, properties: Readonly<Record<string, unknown>>) =>
  at(`2026-03-31T${time}:00.000Z`, { name: "order", page: "/cart", visitor, session: `s-${visitor}`, properties });

const view = (time: string, visitor: string, page: string, day = "2026-03-31") =>
  at(`${day}T${time}:00.000Z`, { page, visitor, session: `s-${visitor}` });

const EVENTS = [
  view("10:00", "ada", "/caf%C3%A9"),
  order("10:01", "ada", { plan: "pro", total: 20 }),
  order("10:02", "ada", { plan: "pro", total: 1.5 }),
  order("10:03", "ada", { plan: "free", total: 100 }),
  view("10:00", "bob", "/thanks/7"),
  view("10:00", "eve", "/"),
  view("10:00", "joe", "/"),
  view("10:00", "old", "/thanks/6", "2026-03-30"),
  at("2026-03-31T11:00:00.000Z", { page: "/thanks/8", isAggregate: true }),
];

const KEYS = [{ ...TEST_KEY, goals: GOALS, pathRules: { dropsTrailingSlash: true } }];

const DAYS = "from=2026-03-31&to=2026-03-31";

Deno.test("createReports() answers with the goals of the key, beside the period before", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });

  const { rows, current, before } = await (await ask(reports, `?view=goals&format=json&${DAYS}`)).json();
  const csv = await (await ask(reports, `?view=goals&format=csv&${DAYS}`)).text();
  const inCode = await reports.goals({ from: "2026-03-31" });

  assertEquals([current, before].map(({ from, visitors }) => [from, visitors]), [["2026-03-31", 4], ["2026-03-30", 1]]);
  const none = { visitors: 0, completions: 0, conversionRate: 0 };
  assertEquals(rows, [
    {
      name: "Order: pro",
      event: 'step:order:plan:"pro"',
      current: { visitors: 1, completions: 2, conversionRate: 0.25, value: 21.5 },
      before: { ...none, value: 0 },
    },
    {
      name: "<b>Thanks",
      event: "page:/thanks/:order",
      current: { visitors: 1, completions: 1, conversionRate: 0.25, value: 2.5 },
      before: { visitors: 1, completions: 1, conversionRate: 1, value: 2.5 },
    },
    {
      name: "Café",
      event: "page:/caf%C3%A9",
      current: { visitors: 1, completions: 1, conversionRate: 0.25, value: null },
      before: { ...none, value: null },
    },
  ]);
  assertEquals(inCode.rows, rows);
  assertEquals(csv.split("\r\n").slice(0, 2), [
    '"Goal","Event","Visitors","Times","Conversion rate","Value","Visitors, period before","Times, period before",' +
    '"Conversion rate, period before","Value, period before"',
    '"Order: pro","step:order:plan:""pro""",1,2,0.25,21.5,0,0,0,0',
  ]);
});

Deno.test("createReports() has no goals, and no rate, where there are none", async () => {
  const { rows } = await (await createTestReports(EVENTS)).goals();
  const ofNobody = await (await createTestReports([], { keys: KEYS })).goals();

  assertEquals(rows, []);
  assertEquals(ofNobody.rows.map(({ current: { conversionRate, value } }) => [conversionRate, value]), [
    ...[[null, 0], [null, 0], [null, null]],
  ]);
});

Deno.test("a goal filters every view, and passes a stage of a funnel", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });
  const goal = (...values: readonly string[]) => ({ name: "goal" as const, values });

  const ofOrder = await reports.overview({ from: "2026-03-31", filters: [goal("Order: pro")] });
  const ofEither = await reports.overview({ from: "2026-03-31", filters: [goal("Order: pro", "<b>Thanks")] });
  const { cohorts } = await reports.retention({ unit: "day", from: "2026-03-31", filters: [goal("<b>Thanks")] });
  const asked = await ask(reports, `?view=pages&format=json&${DAYS}&filter=goal:Order:%20pro`);
  const { filters, rows } = await asked.json();
  const { stages } = await reports.funnel({ from: "2026-03-31", stages: ["page:/caf%C3%A9", "goal:Order%3A pro"] });

  assertEquals([ofOrder.current.visitors, ofOrder.current.pageviews], [1, { full: 1, aggregate: 0 }]);
  assertEquals([ofEither.current.sessions, ofEither.current.consentShare], [2, null]);
  assertEquals(cohorts.map(({ size }) => size), [1]);
  assertEquals([filters, rows.map(({ path }: { readonly path: string }) => path)], [[goal("Order: pro")], [
    "/caf%C3%A9",
  ]]);
  assertEquals(stages.map(({ stage, visitors }) => [stage, visitors]), [
    ["page:/caf%C3%A9", 1],
    ["goal:Order%3A pro", 1],
  ]);
});

Deno.test("createReports() counts goals of any name, those of JavaScript's objects too", async () => {
  const names = ["__proto__", "constructor", "toString"];
  const goals = Object.fromEntries(names.map((name) => [name, { step: "order" }]));
  const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, goals }] });

  const { rows } = await reports.goals();
  const filtered = await Promise.all(
    names.map((name) => reports.overview({ filters: [{ name: "goal", values: [name] }] })),
  );

  assertEquals(rows.map(({ name, current }) => [name, current.visitors]), names.map((name) => [name, 1]));
  assertEquals(filtered.map(({ current }) => current.visitors), [1, 1, 1]);
});

Deno.test("createReports() says which goals there are", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });
  const read = async (query: string) => await readProblem(await ask(reports, `?format=json&${query}`));
  const message = 'there is no goal "toString"; those of the key are Order: pro, <b>Thanks, Café';

  for (const query of ["filter=goal:toString", "view=funnel&stage=page:/&stage=goal:toString"]) {
    assertEquals(await read(query), { status: 400, body: { error: { code: "bad_goal", message } } });
  }
  const none = await createTestReports(EVENTS);
  const { body } = await readProblem(await ask(none, "?format=json&filter=goal:Order"));
  assertEquals(body.error.message, 'there is no goal "Order"; the key has none');
});

Deno.test("the page lists goals, each of which leads to the sessions that reach it", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });

  const page = await (await ask(reports, `?view=goals&${DAYS}`)).text();
  const filtered = await (await ask(reports, `?${DAYS}&filter=goal:Order: pro`)).text();
  const none =
    await (await ask(await createTestReports([buildPageview({ pageUrl: `${SITE}/` })]), "?view=goals&from=2026-03-01"))
      .text();

  assertEquals([page.includes("<b>Thanks"), page.includes("filter=goal%3AOrder%3A+pro")], [false, true]);
  assertStringIncludes(
    page,
    '<p class="caption">Conversion rates are of all visitors with consent: 4, and 1 before. Below each figure stands the ' +
      "one of the period before. A goal leads to the sessions that reach it; there, Sources says where they came from.</p>",
  );
  assertEquals([...page.matchAll(/<td>([\d.,]+)<br><span class="note">([\d.,]+)<span/g)].map(([, ...pair]) => pair), [
    ...[["1", "0"], ["2", "0"], ["21.50", "0.00"]],
    ...[["1", "1"], ["1", "1"], ["2.50", "2.50"]],
    ...[["1", "0"], ["1", "0"]],
  ]);
  assertStringIncludes(
    await (await ask(reports, `?view=goals&${DAYS}&compare=year&filter=page:/cart`)).text(),
    "Below each figure stands the one of the same weekday a year ago. A goal leads to the sessions that reach it; there, " +
      "Sources says where they came from. The filter by page leaves out what happened on other pages, in the same sessions " +
      "too.</p>",
  );
  assertStringIncludes(filtered, "Remove the filter Goal");
  assertStringIncludes(filtered, "chooses whole sessions");
  assertStringIncludes(none, "The key has none.");
});

Deno.test("the overview of a page leads to the goals that its sessions reach on others", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });
  const filter = `${DAYS}&filter=page:/caf%25C3%25A9`;

  const link = await withPage(await ask(reports, `?${filter}`), (page) => {
    const card = [...page.querySelectorAll(".columns section")].at(-1);
    assertEquals(
      card?.textContent?.trim().replace(/\s+/g, " "),
      "Goals The filter by page leaves out what happened on other pages, in the same sessions too. Pages has the share of " +
        "a page's sessions that reach a goal on any page: Order: pro, <b>Thanks, Café.",
    );
    return card?.querySelector("a")?.getAttribute("href") ?? "";
  });

  await withPage(await ask(reports, link), (page) => {
    assertEquals(textsOf(page, "tbody th"), ["/café"]);
    assertEquals(textsOf(page, "tbody td").slice(1, 4), ["1", "100%", "21.50"]);
  });
});

Deno.test("createReports() refuses goals that nothing could reach, and repeats nothing of them", () => {
  const problemOf = (goals: Goals) => findGoalProblem(goals);
  const options = { reader: createReferenceStore(() => []) };

  assertEquals(problemOf(GOALS), undefined);
  assertEquals(
    problemOf({ a: { step: "a" }, " b": { step: "b" } }),
    "[1] must have a name of 1 to 100 characters without spaces around it",
  );
  assertEquals(problemOf({ a: { page: "thanks" } }), "[0] has a page that begins with no slash");
  assertEquals(problemOf({ a: { step: "$pageview" } }), "[0] must name a step, or a page");
  assertEquals(problemOf({ a: { step: "a", value: "" } }), "[0] has a value that names no property");
  assertEquals(problemOf({ a: { step: "a", value: NaN } }), "[0] has a value that is no number");
  assertEquals(problemOf({ a: { step: "a", property: { key: "", value: 1 } } }), "[0] has a property without a key");
  assertEquals(
    problemOf({ a: { step: "a", property: { key: "a", value: NaN } } }),
    "[0] has a property whose value is no number of JSON",
  );
  const many = Array.from({ length: 51 }, (_, index) => [`${index}`, { step: "a" }]);
  assertEquals(problemOf(Object.fromEntries(many)), " must be at most 50");
  assertThrows(
    () => createReports({ ...options, keys: [{ ...TEST_KEY, goals: { a: { step: "" } } }] }),
    TypeError,
    "keys[0].goals[0] must name a step, or a page",
  );
});

Deno.test("createReports() finds what is longer, or written otherwise, than the store keeps it", async () => {
  const [key, value, step, text] = ["k".repeat(210), "v".repeat(250), "s".repeat(600), "two\nlines"];
  const page = `/${"p".repeat(600)}`;
  const put = (parts: Parameters<typeof at>[1]) =>
    at("2026-03-31T10:00:00.000Z", { session: "s-1", visitor: "v-1", ...parts });
  const events = [
    put({ page: `${page}?utm_source=mail&utm_campaign=${"c".repeat(600)}` }),
    put({ name: step, place: 1, page: "/café", properties: { [key]: value, text, sum: 2 } }),
  ];
  const goals: Goals = {
    Long: { step, property: { key, value } },
    Lines: { step, property: { key: "text", value: text }, value: "sum" },
    Page: { page },
  };
  const reports = await createTestReports(events, { keys: [{ ...TEST_KEY, goals }] });
  const json = JSON.stringify;
  const filters = [
    `property:${key}:${json(value)}`,
    `property@${step}:text:${json(text)}`,
    `step:${step}`,
    `page:${page}`,
    "page:/café",
    `entry:${page}`,
    `campaign:${"c".repeat(600)}`,
    "goal:Long",
    "goal:Lines",
    "goal:Page",
  ];

  const { rows } = await (await ask(reports, `?view=goals&format=json&${DAYS}`)).json();
  assertEquals(rows.map((row: { current: { completions: number } }) => row.current.completions), [1, 1, 1]);
  for (const filter of filters) {
    const answer = await ask(reports, `?view=overview&format=json&${DAYS}&filter=${encodeURIComponent(filter)}`);
    assertEquals((await answer.json()).current.visitors, 1, filter.slice(0, 20));
  }
  const stages = [
    `stage=${encodeURIComponent(page)}`,
    `stage=${encodeURIComponent(`step:${step}:${key}:${json(value)}`)}`,
  ];
  const funnel = await (await ask(reports, `?view=funnel&format=json&${DAYS}&${stages.join("&")}`)).json();
  assertEquals(funnel.stages.map((stage: { visitors: number }) => stage.visitors), [1, 1]);
  const values = await (await ask(reports, `?view=steps&format=json&${DAYS}&step=${step}&property=${key}`)).text();
  assertStringIncludes(values, `"value":"${"v".repeat(200)}","count":1`);
});

Deno.test("createReports() takes patterns with asterisks for goals, stages and filters", async () => {
  const keys = [{ ...TEST_KEY, goals: { Edit: { page: "/*/edit" } }, pathRules: { patterns: ["/docs/*"] } }];
  const reports = await createTestReports([view("10:00", "ada", "/teas/edit"), view("10:01", "ada", "/docs/a")], {
    keys,
  });

  const { rows } = await (await ask(reports, `?view=goals&format=json&${DAYS}`)).json();
  const listed = await ask(reports, `?view=overview&format=json&${DAYS}&filter=page:/docs/*`);
  const chosen = await ask(reports, `?view=overview&format=json&${DAYS}&filter=page:/teas/*&filter=entry:/**/edit`);
  const refused = await readProblem(await ask(reports, `?format=json&${DAYS}&filter=page:/a*b*c`));
  const hard = await readProblem(await ask(reports, `?view=funnel&format=json&stage=/a*b*c&stage=/`));

  assertEquals([rows[0].current.completions, (await listed.json()).current.visitors], [1, 1]);
  assertEquals((await chosen.json()).current.visitors, 1);
  assertEquals(refused.status, 400);
  assertStringIncludes(JSON.stringify(refused), "a filter's page may have one * in a segment");
  assertStringIncludes(JSON.stringify(hard), "may have one * in a segment");
});

Deno.test("createReports() puts a goal beside the rows of pages, sources and values", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS.map((key) => ({ ...key, currency: "EUR" })) });
  const goal = `goal=${encodeURIComponent("Order: pro")}&${DAYS}`;
  const read = async (search: string) => await (await ask(reports, `?format=json&${goal}&${search}`)).json();
  const reached = { sessions: 1, conversions: 1, conversionRate: 1, value: 21.5 };
  const none = { sessions: 0, conversions: 0, conversionRate: null, value: 0 };

  const pages: { readonly path: string; readonly conversion: unknown }[] = (await read("view=pages")).rows;
  const { rows: [source] } = await read("view=sources&by=landing&sort=sessions");
  const { values } = await read("view=steps&step=order&key=plan");
  const csv = await (await ask(reports, `?format=csv&view=sources&${goal}`)).text();

  assertEquals(pages.map(({ path, conversion }) => [path, conversion]), [
    ["/", { ...none, sessions: 2, conversionRate: 0, exitsWithout: 2 }],
    ["/caf%C3%A9", { ...reached, exitsWithout: 0 }],
    ["/thanks/7", { ...none, sessions: 1, conversionRate: 0, exitsWithout: 1 }],
    ["/thanks/8", { ...none, exitsWithout: 0 }],
  ]);
  assertEquals([source.label, source.conversion], ["/", { ...none, sessions: 2, conversionRate: 0 }]);
  assertEquals(values.rows.map((row: { value: string; conversion: unknown }) => [row.value, row.conversion]), [
    ["pro", reached],
    ["free", reached],
  ]);
  assertEquals(csv.split("\r\n").map((line) => line.split(",").slice(-4)).slice(0, 2), [
    ['"Sessions of the row"', '"Conversions"', '"Conversion rate"', '"Value"'],
    ["4", "1", "0.25", "21.5"],
  ]);
  const ofPages = await (await ask(reports, `?format=csv&view=pages&${goal}`)).text();
  assertEquals(ofPages.split("\r\n").map((line) => line.split(",").slice(-2)).slice(0, 2), [
    ['"Value"', '"Exits without the goal"'],
    ["0", "2"],
  ]);
  await withPage(await ask(reports, `?view=pages&${goal}`), (page) => {
    assertEquals(textsOf(page, "thead th").slice(1, 6), [
      ...["Views", "Conversions", "Conversion rate", "Value, EUR", "Visitors"],
    ]);
    assertEquals(textsOf(page, "tbody tr:nth-child(2) td").slice(1, 4), ["1", "100%", "21.50"]);
    assertEquals(textsOf(page, "thead th").slice(8, 11), ["Exits", "Exits without the goal", "Exit rate"]);
    assertEquals(textsOf(page, "tbody tr:first-child td").slice(7, 10), ["2 exits of /", "2", "100%"]);
    assertEquals(searchOf(page, "thead a").get("goal"), "Order: pro");
  });
  assertEquals(
    (await readProblem(await ask(reports, "?view=pages&format=json&goal=none"))).body.error.code,
    "bad_goal",
  );
});

Deno.test("createReports() chooses the goal of a list by a link, and leaves it by another", async () => {
  const reports = await createTestReports(EVENTS, { keys: KEYS });
  const links = "nav[aria-label=Goal] a";

  await withPage(await ask(reports, `?view=pages&contains=a&sort=exits&${DAYS}`), (page) => {
    assertEquals(textsOf(page, links), ["none", "Order: pro", "<b>Thanks", "Café"]);
    assertEquals(textsOf(page, `${links}[aria-current]`), ["none"]);
    const chosen = searchOf(page, "nav[aria-label=Goal] li:nth-child(2) a");
    assertEquals(["goal", "contains", "sort"].map((name) => chosen.get(name)), ["Order: pro", "a", "exits"]);
  });
  const goal = `goal=${encodeURIComponent("<b>Thanks")}&contains=a`;
  await withPage(await ask(reports, `?view=pages&${goal}&sort=conversions&${DAYS}`), (page) => {
    assertEquals(textsOf(page, `${links}[aria-current]`), ["<b>Thanks"]);
    assertEquals(page.querySelector("form[role=search] [name=goal]")?.getAttribute("value"), "<b>Thanks");
    const left = searchOf(page, links);
    assertEquals(["goal", "contains", "sort"].map((name) => left.get(name)), [null, "a", null]);
  });
});

Deno.test("createReports() folds the links to many goals away, and says which is chosen", async () => {
  const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `Goal ${index}`);
  const readLinks = async (count: number, search: string) => {
    const goals: Goals = Object.fromEntries(namesOf(count).map((step) => [step, { step }]));
    const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, goals }] });
    return await withPage(await ask(reports, `?view=pages&${DAYS}${search}`), (page) => ({
      open: textsOf(page, "nav[aria-label=Goal] > ul a").length,
      folded: textsOf(page, "nav[aria-label=Goal] details:not([open]) a").length,
      summary: textsOf(page, "nav[aria-label=Goal] summary"),
    }));
  };

  assertEquals(await readLinks(8, ""), { open: 9, folded: 0, summary: [] });
  assertEquals(await readLinks(9, ""), { open: 0, folded: 10, summary: ["Goal: none"] });
  assertEquals(await readLinks(50, "&goal=Goal+49"), { open: 0, folded: 51, summary: ["Goal: Goal 49"] });
});

Deno.test("createReports() sorts by the value of a goal that is worth less than nothing", async () => {
  const goals: Goals = { Refund: { step: "order", value: -10 } };
  const reports = await createTestReports([...EVENTS, order("11:00", "eve", {})], {
    keys: KEYS.map((key) => ({ ...key, goals })),
  });
  const valuesIn = async (direction: "desc" | "asc") => {
    const { rows } = await reports.pages({ from: "2026-03-31", goal: "Refund", sort: "goalValue", direction });
    return rows.map(({ path, conversion }) => [path, conversion?.value]);
  };

  assertEquals(await valuesIn("desc"), [["/thanks/7", 0], ["/thanks/8", 0], ["/", -10], ["/caf%C3%A9", -30]]);
  assertEquals(await valuesIn("asc"), [["/caf%C3%A9", -30], ["/", -10], ["/thanks/7", 0], ["/thanks/8", 0]]);
});
