import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../../src/ingest/mod.ts";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";
import { NOON, RANGE, searchOf, textsOf, VISIT, withPage } from "../../page_fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";

Deno.test("createReports() shows the figures of the overview beside those of the days before", async () => {
  const reports = await createTestReports(VISIT, { keys: [{ ...TEST_KEY, pageviewAllowance: 10 }] });

  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(textsOf(page, "h1"), ["shop.example"]);
    assertEquals(textsOf(page, ".choice summary"), [
      "27 Mar 2026 – 31 Mar 2026 · UTC · beside the 5 days before, up to the same time, 12:00 Change",
    ]);
    assertEquals(textsOf(page, ".lead"), [
      "Of 100 page views, 50 come from people who agreed. Visitors, sessions and what they do are theirs alone.",
    ]);
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
    assertEquals(textsOf(page, "h2"), ["Pageviews per day", "Pages", "Sources", "Steps"]);
    assertEquals(textsOf(page, ".days tbody tr").slice(3), [
      "Mon 30 Mar 2026 0 0 – 0 0",
      "Tue 31 Mar 2026 2 1 50% 1 1",
    ]);
  });
});

Deno.test("createReports() begins with the first rows of each list, beside the period before, and leads to all of them", async () => {
  const times = (count: number, day: string, name: string): readonly StoredEvent[] =>
    Array.from({ length: count }, () =>
      buildEvent({
        ...{ timestamp: `${day}T10:00:00.000Z`, pageUrl: `${SITE}/`, name },
        ...(name === "order" && { sessionId: day, anonymousId: "ada" }),
      }));
  const events = [
    ...Array.from({ length: 9 }, (_, index) => buildPageview({ timestamp: NOON, pageUrl: `${SITE}/${index}` })),
    ...[...times(45, "2026-03-31", "signup"), ...times(30, "2026-03-26", "signup")],
    ...[...times(99, "2026-03-31", "$click"), ...times(2, "2026-03-31", "order"), ...times(1, "2026-03-26", "order")],
  ];
  const goals = { Order: { step: "order" }, Nobody: { step: "none" } };
  const reports = await createTestReports(events, { keys: [{ ...TEST_KEY, goals }] });

  await withPage(await ask(reports, RANGE), (page) => {
    assertEquals(textsOf(page, ".columns h2"), ["Pages", "Sources", "Steps", "Goals"]);
    assertEquals(textsOf(page, ".columns section:first-child tbody tr").length, 8);
    assertEquals(textsOf(page, ".columns section:nth-child(3) tbody tr > *"), [
      ...["signup", "45", "+50%", "order", "2", "1 before", "$click", "99", "new"],
    ]);
    assertEquals(textsOf(page, ".columns section:nth-child(4) tbody tr > *"), [
      ...["Order", "1", "100%", "1 before", "Nobody", "0", "0%", "–"],
    ]);
    assertEquals(textsOf(page, ".columns section > .note a"), [
      "All 9 pages",
      "All channels",
      "All steps",
      "All goals",
    ]);
    assertEquals(searchOf(page, ".columns section > .note a").get("view"), "pages");
  });
});

Deno.test("createReports() shows the time per view of the pages that a filter chooses", async () => {
  const engage = (pageUrl: string, engagedMs: number): StoredEvent => ({
    ...buildEvent({ timestamp: NOON, pageUrl, name: "$engagement", sessionId: "s-1" }),
    properties: { engagedMs },
  });
  const teas = [`${SITE}/teas/green`, `${SITE}/teas/black`];
  const reports = await createTestReports([
    ...VISIT,
    ...teas.flatMap((pageUrl) => [buildPageview({ timestamp: NOON, pageUrl, sessionId: "s-1" })]),
    ...[...teas.map((pageUrl) => engage(pageUrl, 45_000)), engage(`${SITE}/caf%C3%A9`, 9_000)],
  ]);
  const timeOf = async (search: string): Promise<string | undefined> =>
    await withPage(
      await ask(reports, `${RANGE}${search}`),
      (page) => textsOf(page, ".figures > div").find((text) => text.startsWith("Time")),
    );

  assertEquals(await timeOf("&filter=page:/teas/*"), "Time per view45 s");
  assertEquals(await timeOf("&filter=page:/"), undefined);
  assertEquals(await timeOf(""), undefined);
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

Deno.test("createReports() says why fewer sessions have the channel Joined midway than joined midway", async () => {
  const silent = { timestamp: NOON, pageUrl: `${SITE}/teas`, sessionId: "s-8" };
  const told = { timestamp: NOON, pageUrl: `${SITE}/teas?utm_source=news`, sessionId: "s-9" };
  const captionOf = async (events: readonly (typeof silent)[]): Promise<string | undefined> => {
    let caption: string | undefined;
    const joined = events.map((event) => buildEvent({ ...event, name: "$consent" }));
    await withPage(await ask(await createTestReports([...VISIT, ...joined]), RANGE), (page) => {
      caption = textsOf(page, "section:has(a[href*='view=sources']) > .caption")[0];
    });
    return caption;
  };
  const sentence = "Of the sessions that joined midway, those that tell a source stand under it.";

  assertEquals(await captionOf([silent, told]), `Change from the period before. ${sentence}`);
  assertEquals(await captionOf([silent]), "Change from the period before.");
  assertEquals(await captionOf([told]), "Change from the period before.");
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
      "Of 100 page views, 67 come from people who agreed. Visitors, sessions and what they do are theirs alone. The share was 100% before: that alone changes the number of visitors.",
    ]);
    assertEquals(textsOf(page, ".figures > div")[1], "Pageviews60 40 before, +50%");
  });
  await withPage(await ask(mixed, `${RANGE}&filter=signedIn:no`), (page) => {
    assertEquals(textsOf(page, ".lead"), [
      "Views before consent are left out: these filters can't choose among them.",
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
      "Left out, with or without filters: bots: 1,200 views, own visits: 1 view",
    ]);
    assertEquals(searchOf(page, "main > .note a").get("traffic"), "bots");
    assertEquals(textsOf(page, ".figures > div")[1], "Pageviews1");
  });
  await withPage(await ask(reports, `${RANGE}&traffic=bots`), (page) => {
    assertEquals(textsOf(page, "main > .note"), []);
    assertEquals(textsOf(page, ".lead"), []);
    assertEquals(textsOf(page, ".filters li"), [
      "Counted Count people instead of bots × alone, which the figures of people leave out",
    ]);
    assertEquals(searchOf(page, ".filters a").get("traffic"), null);
    assertEquals(searchOf(page, "nav[aria-label=Sections] a").get("traffic"), "bots");
    assertEquals(textsOf(page, ".figures > div")[1], "Pageviews1,200");
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
      ["full partial", "M4.12 220v-146.667h0.76v146.667z"],
      ["aggregate partial", "M4.12 73.333v-73.333h0.76v73.333z"],
      ["before", "M0.5 146.667L1.5 220L2.5 220L3.5 220"],
    ]);
    assertEquals(
      page.querySelector(".chart")?.getAttribute("aria-label"),
      "Bar chart, 27 Mar 2026 – 31 Mar 2026: 3 pageviews, most of them, 3, in the day Tue 31 Mar 2026. " +
        "The table below has the figures of each day.",
    );
    assertEquals(
      textsOf(page, ".column")[4],
      "Tue 31 Mar 2026: 3 so far(2 with consent, 1 before consent); in the period before: 0",
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
  assertEquals((await ticksOf("?from=2020-04-01&to=2026-03-31"))[1], "Jul 2021");
});

Deno.test("createReports() begins weeks on the key's day", async () => {
  const keys = [{ ...TEST_KEY, weekStart: "sunday" as const }];
  const reports = await createTestReports([buildPageview({ timestamp: NOON, pageUrl: `${SITE}/` })], { keys });

  await withPage(await ask(reports, RANGE), (page) => {
    const links = [...page.querySelectorAll("[aria-label=Ranges] a")];
    const rangeOf = (label: string): readonly (string | null)[] => {
      const link = links.find(({ textContent }) => textContent.trim() === label);
      const parameters = new URLSearchParams(link?.getAttribute("href") ?? "");
      return [parameters.get("from"), parameters.get("to")];
    };
    assertEquals(rangeOf("This week"), ["2026-03-29", "2026-03-31"]);
    assertEquals(rangeOf("Last week"), ["2026-03-22", "2026-03-28"]);
  });
  await withPage(await ask(reports, ""), (page) => {
    assertEquals(textsOf(page, ".plot > text")[0], "8 Mar");
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
    assertEquals(textsOf(page, ".figures dt").includes("Allowance used"), false);
  });
});
