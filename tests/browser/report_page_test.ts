import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../src/ingest/mod.ts";
import { generateVisits } from "../../scripts/bench/report_data/generate_visits.ts";
import { SHOP_ORIGIN } from "../../scripts/bench/report_data/shop.ts";
import { createReportTest, findAccessibilityFaults, measureOverflow, SCREENS } from "./report_stage.ts";

const TODAY = "2026-11-20";

const YEAR = "?from=2025-11-21&to=2026-11-20";

const HOSTILE = `"><img src=x onerror=alert(1)><svg onload=alert(2)><script>alert(3)</script>'`;

const HOSTILE_SITE = "https://hostile.example";

function buildHostile(
  id: string,
  name: string,
  { timestamp = `${TODAY}T10:00:00.000Z`, ...context }: { pageUrl: string; referrer?: string; timestamp?: string },
): StoredEvent {
  const sdk = { sdkName: "@vendor/sdk", sdkVersion: "0.1.0" } as const;
  return {
    ...{ id, name, collection: "full", timestamp, receivedAt: timestamp, context: { ...sdk, ...context } },
    ...{ sessionId: "s-1", identity: { userId: null, anonymousId: HOSTILE } },
    ...{ properties: { [HOSTILE]: HOSTILE, long: "W".repeat(300) } },
  };
}

const VISITS = [...generateVisits({ events: 8000, lastDay: TODAY, seed: 7 })].flat();

/** A visitor with many events. */
const VISITOR = VISITS.findLast(({ name }) => name === "search")?.identity?.anonymousId ?? "";

/** In the last minutes: the tests' day has just begun. */
const JUST_NOW = new Date(Date.parse(TODAY) - 60_000).toISOString();

const reportTest = createReportTest({
  today: TODAY,
  key: {
    goals: { Search: { step: "search" }, [HOSTILE.slice(0, 100)]: { page: "/teas/*", value: 2.5 } },
    notes: [
      { day: TODAY, text: HOSTILE },
      { day: "2026-11-09", text: "new banner" },
      { day: "2026-02-01", text: "W".repeat(200) },
    ],
  },
  sites: [SHOP_ORIGIN, HOSTILE_SITE, "https://empty.example"],
  events: [
    ...VISITS,
    buildHostile("h-1", HOSTILE, { pageUrl: `${HOSTILE_SITE}/` }),
    buildHostile("h-2", "W".repeat(100), { pageUrl: `${HOSTILE_SITE}/` }),
    buildHostile("h-3", "$pageview", { pageUrl: `${HOSTILE_SITE}/${HOSTILE}`, referrer: "javascript:alert(4)" }),
    buildHostile("h-4", "$pageview", {
      pageUrl: `${HOSTILE_SITE}/${"%E2%80%AE".repeat(50)}${"long".repeat(400)}`,
      referrer: `https://${"a".repeat(60)}.${"b".repeat(60)}.example/`,
    }),
    buildHostile("h-5", HOSTILE, { pageUrl: `${HOSTILE_SITE}/`, timestamp: JUST_NOW }),
    buildHostile("h-7", "search", { pageUrl: `${HOSTILE_SITE}/` }),
    buildHostile("h-6", "$pageview", { pageUrl: `${HOSTILE_SITE}/${"long".repeat(100)}`, timestamp: JUST_NOW }),
  ],
});

const LOOKS = [
  { search: YEAR, parts: 53, unit: "week", screen: "phone", colorScheme: "light" },
  { search: YEAR, parts: 53, unit: "week", screen: "desktop", colorScheme: "dark" },
  { search: "", parts: 30, unit: "day", screen: "phone", colorScheme: "dark" },
  { search: "?from=2026-11-20&compare=year", parts: 24, unit: "hour", screen: "tablet", colorScheme: "light" },
] as const;

for (const { search, parts, unit, screen, colorScheme } of LOOKS) {
  reportTest(
    `the overview by ${unit} has no fault that axe finds, on a ${screen} in ${colorScheme} colours`,
    async (stage) => {
      const page = await stage.open(search, { viewport: SCREENS[screen], colorScheme });
      await page.getByText(`Figures per ${unit}`).click();
      await page.locator(".choice summary").click();

      assertEquals(await findAccessibilityFaults(page), []);
      assertEquals(await measureOverflow(page), 0);
      assertEquals(await page.locator(".days tbody tr").count(), parts);
    },
  );
}

reportTest("each section has no fault that axe finds, on every screen in both themes", async (stage) => {
  const filters = "filter=page:/&filter=channel:Search&filter=channel:";
  const searches = [
    ...["?view=pages", "?view=sources", "?view=sources&by=campaign", "?view=steps&step=search", "?view=consent"],
    ...["?view=goals", `?view=goals&compare=year&filter=goal:Search`, `?view=steps&step=search&from=2025-12-01`],
    ...["?view=funnel", "?view=funnel&stage=page:/&stage=step:search", "?view=retention", "?view=sites"],
    ...["?view=live", `?view=live&site=${HOSTILE_SITE}`, "?view=person"],
    ...[`?${filters}`, `?view=consent&${filters}`, `?view=sites&compare=year&${filters}`],
    "?view=sources&by=landing&of=first&goal=Search",
    ...["?view=pages&goal=Search&sort=bounceRate&contains=e", "?view=steps&step=search&goal=Search&offset=25"],
    ...["?view=funnel&stage=/*&stage=search&stage=purchase", `?view=retention&from=2025-12-01&event=step:search`],
    `?view=funnel&filter=page:/${"long".repeat(100)}`,
    ...[`?view=funnel&stage=/&stage=step:${"W".repeat(300)}`, `?view=retention&event=step:${"W".repeat(300)}`],
    ...[`?view=funnel&site=${HOSTILE_SITE}`, `?view=retention&unit=day&site=${HOSTILE_SITE}`],
  ];

  for (const [index, search] of searches.entries()) {
    const screen = (["phone", "tablet", "desktop"] as const)[index % 3] ?? "phone";
    const colorScheme = index % 2 === 0 ? "light" : "dark";
    const page = await stage.open(search, { viewport: SCREENS[screen], colorScheme });
    assertEquals([search, await findAccessibilityFaults(page)], [search, []]);
    assertEquals([search, await measureOverflow(page)], [search, 0]);
  }
});

reportTest("the form that asks for a person says on its page that both of its fields are empty", async (stage) => {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await stage.open("?view=person", { viewport: SCREENS.phone, colorScheme });
    await page.getByRole("button", { name: "Show" }).last().click();
    await page.getByRole("alert").waitFor();

    assertEquals(await page.getByRole("alert").innerText(), "Fill in one of the two.");
    assertEquals(await findAccessibilityFaults(page), []);
    await page.getByLabel("Visitor ID (anonymousId)").fill(VISITOR);
    await page.getByRole("button", { name: "Show" }).last().click();
    await page.locator("tbody tr").first().waitFor();
  }
});

reportTest("the events of one person have no fault that axe finds, and their id is in no address", async (stage) => {
  const people = [
    { search: "?view=person", id: VISITOR, screen: "phone", colorScheme: "dark" },
    { search: "?view=person", id: VISITOR, screen: "desktop", colorScheme: "light" },
    { search: `?view=person&site=${HOSTILE_SITE}`, id: HOSTILE, screen: "phone", colorScheme: "light" },
  ] as const;

  for (const { search, id, screen, colorScheme } of people) {
    const page = await stage.open(search, { viewport: SCREENS[screen], colorScheme });
    await page.getByLabel("Visitor ID (anonymousId)").fill(id);
    await page.getByRole("button", { name: "Show" }).last().click();
    await page.locator("tbody tr").first().waitFor();

    assertEquals(await findAccessibilityFaults(page), []);
    assertEquals(await measureOverflow(page), 0);
    assertEquals(await page.locator("img, script, iframe").count(), 0);
    assertEquals(decodeURIComponent(page.url()).includes(id), false);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "person.json" }).click(),
    ]);
    const { of, events } = JSON.parse(await Deno.readTextFile(await download.path()));
    assertEquals([of.anonymousId, events.length], [id, await page.locator("tbody tr:not(.visit)").count()]);
  }
});

reportTest(
  "a row of all sites leads to the site, and of the last minutes to the overview of the day",
  async (stage) => {
    const page = await stage.open("");

    await page.getByRole("link", { name: "All sites" }).click();
    await page.getByRole("link", { name: "hostile.example" }).click();
    const site = await page.locator("h1").innerText();
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByRole("link", { name: "Refresh", exact: true }).click();
    const now = await page.locator(".figures dd").first().innerText();
    await page.getByRole("link", { name: "onerror" }).click();
    const title = await page.locator("h2").first().innerText();

    assertEquals([site, now, title], ["hostile.example", "1", "Pageviews per hour"]);
  },
);

reportTest("the empty report and a problem have no fault that axe finds", async (stage) => {
  const searches = ["?site=https://empty.example", "?from=2026-02-30", "?site=https://nowhere.example", "?zone=Mars"];

  for (const search of searches) {
    const page = await stage.open(search, { viewport: SCREENS.phone });
    assertEquals([search, await findAccessibilityFaults(page)], [search, []]);
    assertEquals([search, await measureOverflow(page)], [search, 0]);
  }
});

reportTest("the figures are above the fold of a phone", async (stage) => {
  const page = await stage.open("", { viewport: SCREENS.phone });

  const ends = await page.locator(".figures > div").evaluateAll((figures) =>
    figures.slice(0, 4).map((figure) => figure.getBoundingClientRect().bottom)
  );

  assertEquals(ends.filter((end) => end > SCREENS.phone.height), []);
});

reportTest("figures in the millions fit a phone, and so does a narrow one", async (stage) => {
  const page = await stage.open("", { viewport: SCREENS.phone });
  await page.getByText("Figures per day").click();
  const findOverflowing = (): Promise<readonly string[]> =>
    page.evaluate(() => {
      const boxes = [...document.querySelectorAll(".card, .figures > div")];
      return boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent?.slice(0, 40) ?? "");
    });

  await page.setViewportSize({ width: 320, height: 640 });
  const narrow = await findOverflowing();
  await page.setViewportSize(SCREENS.phone);
  await page.evaluate(() => {
    for (const cell of document.querySelectorAll("td, .figures dd:nth-of-type(1)")) cell.textContent = "1,234,567";
  });
  const millions = await findOverflowing();

  assertEquals({ narrow, millions }, { narrow: [], millions: [] });
  assertEquals(await measureOverflow(page), 0);
});

reportTest("the longest figure of consent takes two lines of a wide screen at most", async (stage) => {
  const page = await stage.open("?view=consent", { viewport: SCREENS.desktop });
  const lines = await page.locator(".figures dd:nth-of-type(1)").evaluateAll((figures) =>
    figures.map((figure) => {
      figure.textContent = "about 10 in 10";
      return Math.round(figure.clientHeight / parseFloat(getComputedStyle(figure).lineHeight));
    })
  );

  assertEquals(lines, Array(7).fill(2));
});

reportTest("axe finds the faults that are there", async (stage) => {
  const page = await stage.open("?site=https://empty.example");
  await page.evaluate(() => {
    document.documentElement.removeAttribute("lang");
    document.querySelector("h2")?.setAttribute("role", "nonsense");
  });

  const faults = await findAccessibilityFaults(page);

  assertEquals(faults.map((fault) => fault.split(":")[0]), ["aria-roles", "html-has-lang"]);
});

reportTest("names, paths and referrers of a hostile visitor run nothing and break nothing", async (stage) => {
  for (
    const view of [
      "pages",
      "sources&by=referrer",
      "sources&by=landing&of=first",
      "steps",
      "consent",
      "live",
      "sites",
      "overview",
      "goals",
      "funnel",
      "retention",
    ]
  ) {
    const page = await stage.open(`?site=${HOSTILE_SITE}&view=${view}`, { viewport: SCREENS.phone });
    assertEquals(await page.locator("img, script, iframe").count(), 0);
    assertEquals([view, await measureOverflow(page)], [view, 0]);
  }
  const page = await stage.open(`?site=${HOSTILE_SITE}&view=pages`, { viewport: SCREENS.phone });
  await page.getByRole("rowheader").getByRole("link", { name: "onerror" }).click();

  assertEquals(await page.locator(".chip bdi", { hasText: "onerror" }).count(), 1);
  assertEquals(await page.locator(".figures dd").first().innerText(), "1");
  assertEquals(await measureOverflow(page), 0);
});

reportTest("the policy of the page lets no script run, whoever puts it in", async (stage) => {
  const page = await stage.open(YEAR);
  // What a hole in the escaping would do. The policy's complaint is what the console is for here.
  page.removeAllListeners("console");

  const hasRun = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "document.documentElement.dataset.ran = 'yes'";
    document.body.append(script);
    document.body.insertAdjacentHTML(
      "beforeend",
      "<img src=x onerror=\"document.documentElement.dataset.ran = 'yes'\">",
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    return document.documentElement.dataset.ran;
  });

  assertEquals(hasRun, undefined);
});

reportTest("the style applies, and a day's figures appear under the pointer", async (stage) => {
  const page = await stage.open("?from=2026-11-14&to=2026-11-20");
  const column = page.locator(".column").nth(2);
  const figures = column.locator("text").first();

  const before = await figures.isVisible();
  await column.locator("rect").hover();

  assertEquals(before, false);
  assertEquals(await figures.isVisible(), true);
  assertEquals((await figures.textContent())?.startsWith("Mon 16 Nov 2026: "), true);
});

reportTest("site and days can be chosen with the keyboard alone", async (stage) => {
  const page = await stage.open("");
  const focused = (): Promise<string> =>
    page.evaluate(() =>
      document.activeElement?.getAttribute("name") ?? document.activeElement?.textContent?.trim() ?? ""
    );

  await page.keyboard.press("Tab");
  const skip = await focused();
  await page.keyboard.press("Tab");
  const summary = await focused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const site = await focused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("button", { name: "Show" }).focus();
  await Promise.all([page.waitForURL(/empty/), page.keyboard.press("Enter")]);

  assertEquals([skip, summary.slice(0, 11), site], ["Skip to the figures", "22 Oct 2026", "site"]);
  assertEquals(await page.locator("h1").innerText(), "empty.example");
  assertEquals(await page.locator("h2").innerText(), "Nothing in these days");
});

reportTest("the links lead to other days, sections and filters and back, and to the files", async (stage) => {
  const page = await stage.open("");

  await page.getByRole("link", { name: "12 months" }).click();
  const range = await page.locator(".range").innerText();
  const all = await page.locator(".figures dd").first().innerText();
  await page.getByRole("link", { name: "Sources" }).click();
  await page.getByRole("rowheader").getByRole("link", { name: "Search", exact: true }).click();
  const title = await page.locator("h2").first().innerText();
  await page.getByRole("link", { name: "Pages", exact: true }).click();
  const lead = await page.locator(".lead").innerText();
  await page.getByRole("link", { name: /Remove the filter Channel/ }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "pages.csv" }).click(),
  ]);
  const text = await Deno.readTextFile(await download.path());
  await page.getByRole("link", { name: "Overview" }).click();

  assertEquals(range, "21 Nov 2025 – 20 Nov 2026");
  assertEquals(title, "Pageviews per week");
  assertEquals(lead, "Views before consent are left out: these filters can't choose among them.");
  assertEquals(download.suggestedFilename(), "pages-shop.example-2025-11-21-2026-11-20.csv");
  assertEquals(text.startsWith(`\ufeff"Path","Views with consent","Views before consent","With consent"`), true);
  assertEquals(await page.locator(".figures dd").first().innerText(), all);
});

reportTest("a reader who leaves isn't let in again without a secret", async (stage) => {
  const page = await stage.open("");
  const address = page.url();
  await page.context().setHTTPCredentials(null);
  const kept = await page.goto(address);
  const link = await page.getByRole("link", { name: "Leave" }).getAttribute("href");
  const statusOf = async (url: string): Promise<unknown> =>
    await page.goto(url).then((answer) => answer?.status(), (error: Error) => error.message.split(" at ")[0]);

  const left = await statusOf(new URL(link ?? "", address).href);
  const again = await statusOf(address);

  // Without a window nobody can be asked.
  const asked = "page.goto: net::ERR_INVALID_AUTH_CREDENTIALS";
  assertEquals([kept?.status(), left, again], [200, asked, asked]);
});
