import { assertEquals, assertStringIncludes } from "@std/assert";
import { RANGE, textsOf, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";
import { at } from "../../visit_fixtures.ts";

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
      "same step can have more. Visitors who consent on a page after it was counted without them are among its visitors in " +
      "Pages, but haven't passed its stage. A visitor who tries several times counts once: by the first attempt that comes " +
      "furthest, from the earliest event that can begin it. The median time is that since the stage before.",
    ]);
    assertEquals(textsOf(page, "thead th"), [
      "Stage",
      "Visitors",
      "Of the first",
      "Of those before",
      "Median time",
      "Left here",
    ]);
    assertEquals(textsOf(page, "main .label a"), []);
    assertEquals([...page.querySelectorAll("tbody tr")].map((row) => textsOf(row as unknown as Document, "th, td")), [
      ["any page", "40", "100%", "–", "–", "37"],
      ["step signup", "3", "7.5%", "7.5%", "1 min 0 s", "2"],
      ["step order", "1", "2.5%", "33%", "2 min 0 s", "1"],
      ["step purchase", "0", "0%", "0%", "–", "0"],
      ["step signup", "0", "0%", "–", "–", "–"],
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

Deno.test("createReports() links to funnels from any page and the most viewed pages to the goals that are reached", async () => {
  const day = "2026-03-31T";
  const events = Array.from({ length: 8 }, (_, index) => {
    const visit = { visitor: `v-${index}`, session: `s-${index}` };
    const pages = index < 2 ? ["/teas", "/story", "/thanks/1", "/thanks/1"] : ["/teas"];
    return [
      ...pages.map((page) => at(`${day}10:00:00Z`, { ...visit, page })),
      ...index < 4 ? [at(`${day}10:01:00Z`, { ...visit, name: "basket_add", page: "/teas" })] : [],
    ];
  }).flat();
  const goals = {
    Never: { step: "never" },
    Order: { page: "/thanks/:order" },
    "Basket|1": { step: "basket_add" },
  };
  const reports = await createTestReports([
    ...events,
    // This order comes days after the basket, the others before it.
    at("2026-03-28T09:00:00Z", { visitor: "v-9", session: "s-9", page: "/teas" }),
    at("2026-03-28T09:01:00Z", { visitor: "v-9", session: "s-9", name: "basket_add", page: "/teas" }),
    at(`${day}11:00:00Z`, { visitor: "v-9", session: "s-10", page: "/thanks/2" }),
  ], { keys: [{ ...TEST_KEY, goals }] });
  const links = "main nav[aria-label='Funnels to goals'] a";
  const names = [
    ...["any page → Basket|1", "any page → Order", "any page → Basket|1 → Order"],
    ...["/teas → Basket|1 → Order", "/story → Basket|1 → Order"],
  ];

  const targets = await withPage(await ask(reports, `${RANGE}&view=funnel`), (page) => {
    assertEquals(textsOf(page, links), names);
    assertEquals(textsOf(page, `${links}[aria-current]`), []);
    return [...page.querySelectorAll(links)].map((link) => link.getAttribute("href") ?? "");
  });
  const figures: (readonly string[])[] = [];
  for (const [index, target] of targets.entries()) {
    await withPage(await ask(reports, target), (page) => {
      assertEquals(textsOf(page, `${links}[aria-current]`), [names[index] ?? ""]);
      figures.push(textsOf(page, "tbody td:nth-of-type(1)"));
    });
  }

  assertEquals(figures, [["9", "5"], ["9", "3"], ["9", "5", "1"], ["9", "5", "1"], ["2", "2", "0"]]);
  const none = await createTestReports(events, { keys: [{ ...TEST_KEY, goals: { Never: goals.Never } }] });
  await withPage(await ask(none, `${RANGE}&view=funnel`), (page) => assertEquals(textsOf(page, links), []));
});

Deno.test("createReports() links first to funnels from the page of a filter, and leaves the filter out", async () => {
  const day = "2026-03-31T";
  const others = ["/teas", "/a", "/b", "/c", "/d", "/e"];
  const reports = await createTestReports([
    ...others.flatMap((page) => Array.from({ length: 3 }, () => at(`${day}08:00:00Z`, { page, isAggregate: true }))),
    at(`${day}10:00:00Z`, { visitor: "v-1", session: "s-1", page: "/story" }),
    at(`${day}10:01:00Z`, { visitor: "v-1", session: "s-1", name: "basket_add", page: "/teas" }),
    at(`${day}10:02:00Z`, { visitor: "v-1", session: "s-1", name: "order", page: "/checkout" }),
    at(`${day}10:00:00Z`, { visitor: "v-2", session: "s-2", page: "/story" }),
    at(`${day}10:01:00Z`, { visitor: "v-2", session: "s-2", name: "basket_add", page: "/teas" }),
    at(`${day}10:00:00Z`, { visitor: "v-3", session: "s-3", page: "/teas" }),
    at(`${day}10:01:00Z`, { visitor: "v-3", session: "s-3", name: "basket_add", page: "/teas" }),
  ], { keys: [{ ...TEST_KEY, goals: { Basket: { step: "basket_add" }, Order: { step: "order" } } }] });
  const links = "main nav[aria-label='Funnels to goals'] a";
  const ofStory = ["/story → Basket", "/story → Order", "/story → Basket → Order"];
  const ofAny = ["any page → Basket", "any page → Order", "any page → Basket → Order"];
  const ofMost = ["/teas", "/a", "/b", "/c", "/d"].map((page) => `${page} → Basket → Order`);
  const filters = "&filter=page:/story&filter=signedIn:no";

  await withPage(await ask(reports, `${RANGE}&view=funnel`), (page) => {
    assertEquals(textsOf(page, links), [...ofAny, ...ofMost]);
  });
  const targets = await withPage(await ask(reports, `${RANGE}&view=funnel${filters}`), (page) => {
    assertEquals(textsOf(page, links), [...ofStory, ...ofAny, ...ofMost]);
    return [...page.querySelectorAll(links)].map((link) => link.getAttribute("href") ?? "");
  });
  assertEquals(
    targets.map((target) => new URLSearchParams(target).getAll("filter")),
    targets.map(() => ["signedIn:no"]),
  );
  await withPage(await ask(reports, targets[2] ?? ""), (page) => {
    assertEquals(textsOf(page, "tbody td:nth-of-type(1)"), ["2", "2", "1"]);
    assertEquals(textsOf(page, links), [...ofStory, ...ofAny, ...ofMost]);
    assertEquals(textsOf(page, `${links}[aria-current]`), ["/story → Basket → Order"]);
  });
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
