import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { NOON, RANGE, searchOf, textsOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";

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
      ["1 number: sum 3, median 3, 75% of them at most 3, 90% at most 3."],
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
    assertEquals(textsOf(page, "h2"), ["Automatic events", "Links that lead away", "Downloads", "Forms"]);
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

Deno.test("createReports() shows engagement as times, with what they sum up to first", async () => {
  const reports = await createTestReports([2_000, 2_040, 90_500].map((engagedMs) => ({
    ...buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "$engagement" }),
    properties: { engagedMs, pageviewId: "p-1", scrollPercent: 20 },
  })));

  await withPage(await ask(reports, `${RANGE}&view=steps&step=$engagement`), (page) => {
    assertEquals(textsOf(page, "nav[aria-label=Properties] a"), ["engagedMs", "scrollPercent"]);
    assertEquals(textsOf(page, "main section:nth-child(2) tbody th"), ["2 s", "2.04 s", "90.5 s"]);
    assertEquals(textsOf(page, "main section:nth-child(2) nav[aria-label=Properties] + .note"), [
      "3 numbers: sum 1 min 35 s, median 2 s, 75% of them at most 1 min 31 s, 90% at most 1 min 31 s.",
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

Deno.test("createReports() pages what breaks the plan, and where links lead, to their ends", async () => {
  const reports = await createTestReports(
    Array.from({ length: 27 }, (_, index) => {
      const parts = { timestamp: NOON, pageUrl: `${SITE}/`, sessionId: "s", anonymousId: "ada" };
      return [
        buildEvent({ ...parts, name: `typo-${String(index).padStart(2, "0")}`, violation: "unknown" as const }),
        { ...buildEvent({ ...parts, name: "$outbound" }), properties: { url: `https://maker.example/${index}` } },
      ];
    }).flat(),
  );

  const next = await withPage(await ask(reports, `${RANGE}&view=steps`), (page) => {
    assertEquals(textsOf(page, "nav[aria-label='More faults']"), ["1 to 25 of 27 faults Next"]);
    const all = searchOf(page, "section:has(h2) .note a[href*='outbound']");
    assertEquals([all.get("step"), all.get("key")], ["$outbound", "url"]);
    return searchOf(page, "nav[aria-label='More faults'] a");
  });
  await withPage(await ask(reports, `?${next}`), (page) => {
    assertEquals(textsOf(page, "main section:last-child tbody th"), ["typo-25", "typo-26"]);
    assertEquals(searchOf(page, "nav[aria-label='More faults'] a").get("violationOffset"), null);
  });
});

Deno.test("createReports() shows what steps and their values are worth by the goal of the key, without choosing it", async () => {
  const order = (plan: string, total: unknown): StoredEvent => ({
    ...buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "order", sessionId: plan, anonymousId: plan }),
    properties: { plan, total },
  });
  const signup = buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "signup" });
  const search = buildEvent({ timestamp: NOON, pageUrl: `${SITE}/`, name: "search" });
  const reports = await createTestReports(
    [order("pro", 40.5), order("pro", 9), order("free", "none"), signup, search],
    {
      keys: [{
        ...TEST_KEY,
        currency: "EUR",
        goals: {
          "Pro order": { step: "order", property: { key: "plan", value: "pro" }, value: 1 },
          "Order": { step: "order", value: "total" },
          "Signup": { step: "signup", value: 3 },
        },
      }],
    },
  );

  await withPage(await ask(reports, `${RANGE}&view=steps`), (page) => {
    assertEquals(textsOf(page, "thead th"), ["Name", "Times", "Visitors", "Value, EUR", "Chart, values"]);
    assertEquals(textsOf(page, "tbody td:nth-child(4)"), ["49.50", "–", "3.00"]);
  });
  await withPage(await ask(reports, `${RANGE}&view=steps&step=order&key=plan`), (page) => {
    assertEquals(textsOf(page, "main section:nth-child(2) thead th"), ["plan", "Times", "Visitors", "Value, EUR"]);
    assertEquals(textsOf(page, "main section:nth-child(2) tbody tr"), ["pro 2149.50", "free 110.00"]);
  });
  const csv = await (await ask(reports, `${RANGE}&view=steps&step=order&key=plan&format=csv`)).text();
  assertEquals(csv.split("\r\n").slice(0, 2), [
    '"plan","Type","Times","Visitors","Times, period before","Visitors, period before","Value"',
    '"pro","string",2,1,0,0,49.5',
  ]);
  const chosen = await (await ask(reports, `${RANGE}&view=steps&step=order&key=plan&goal=Signup&format=csv`)).text();
  assertEquals(chosen.split('"Value"').length, 2);
});
