import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../src/ingest/mod.ts";
import { generateVisits } from "../../scripts/bench/report_data/generate_visits.ts";
import { SHOP_ORIGIN } from "../../scripts/bench/report_data/shop.ts";
import { createReportTest, findAccessibilityFaults, measureOverflow, SCREENS } from "./report_stage.ts";

const TODAY = "2026-11-20";

const YEAR = "?from=2025-11-21&to=2026-11-20";

const HOSTILE = `"><img src=x onerror=alert(1)><svg onload=alert(2)><script>alert(3)</script>'`;

const HOSTILE_SITE = "https://hostile.example";

function buildHostile(id: string, name: string, context: { pageUrl: string; referrer?: string }): StoredEvent {
  const timestamp = `${TODAY}T10:00:00.000Z`;
  const sdk = { sdkName: "@vendor/sdk", sdkVersion: "0.1.0" } as const;
  return { id, name, collection: "full", timestamp, receivedAt: timestamp, context: { ...sdk, ...context } };
}

const reportTest = createReportTest({
  today: TODAY,
  sites: [SHOP_ORIGIN, HOSTILE_SITE, "https://empty.example"],
  events: [
    ...[...generateVisits({ events: 8000, lastDay: TODAY, seed: 7 })].flat(),
    buildHostile("h-1", HOSTILE, { pageUrl: `${HOSTILE_SITE}/` }),
    buildHostile("h-2", "W".repeat(100), { pageUrl: `${HOSTILE_SITE}/` }),
    buildHostile("h-3", "$pageview", { pageUrl: `${HOSTILE_SITE}/${HOSTILE}`, referrer: "javascript:alert(4)" }),
    buildHostile("h-4", "$pageview", {
      pageUrl: `${HOSTILE_SITE}/${"%E2%80%AE".repeat(50)}${"long".repeat(400)}`,
      referrer: `https://${"a".repeat(60)}.${"b".repeat(60)}.example/`,
    }),
  ],
});

const LOOKS = [
  { search: YEAR, days: 365, screen: "phone", colorScheme: "light" },
  { search: YEAR, days: 365, screen: "desktop", colorScheme: "dark" },
  { search: "", days: 30, screen: "phone", colorScheme: "dark" },
  { search: "", days: 30, screen: "desktop", colorScheme: "light" },
] as const;

for (const { search, days, screen, colorScheme } of LOOKS) {
  reportTest(
    `the report of ${days} days has no fault that axe finds, on a ${screen} in ${colorScheme} colours`,
    async (stage) => {
      const page = await stage.open(search, { viewport: SCREENS[screen], colorScheme });
      await page.getByText("Figures per day").click();

      assertEquals(await findAccessibilityFaults(page), []);
      assertEquals(await measureOverflow(page), 0);
      assertEquals(await page.locator(".days tbody tr").count(), days);
    },
  );
}

reportTest("the empty report, that of one page and a problem have no fault that axe finds", async (stage) => {
  const searches = ["?site=https://empty.example", "?path=/teas", "?from=2026-02-30", "?site=https://nowhere.example"];

  for (const search of searches) {
    const page = await stage.open(search, { viewport: SCREENS.phone });
    assertEquals([search, await findAccessibilityFaults(page)], [search, []]);
    assertEquals([search, await measureOverflow(page)], [search, 0]);
  }
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
  const page = await stage.open(`?site=${HOSTILE_SITE}`, { viewport: SCREENS.phone });

  assertEquals(await page.locator("bdi", { hasText: "onerror" }).count(), 2);
  assertEquals(await page.locator("img, script, iframe").count(), 0);
  assertEquals(await measureOverflow(page), 0);
  await page.getByRole("link", { name: "onerror" }).click();
  assertEquals(await page.locator("h2 bdi", { hasText: "onerror" }).count(), 1);
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
  const figures = column.locator("text");

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
  const site = await focused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.locator("button").focus();
  await Promise.all([page.waitForURL(/empty/), page.keyboard.press("Enter")]);

  assertEquals([skip, site], ["Skip to the figures", "site"]);
  assertEquals(await page.locator("h1").innerText(), "empty.example");
  assertEquals(await page.locator("h2").innerText(), "Nothing in these days");
});

reportTest("the links lead to other ranges, to one page and back, and to the files", async (stage) => {
  const page = await stage.open("");

  await page.getByRole("link", { name: "12 months" }).click();
  const range = await page.locator(".range").innerText();
  await page.locator(".columns a").first().click();
  const title = await page.locator("h2").first().innerText();
  await page.getByRole("link", { name: "All pages" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "pageviews.csv" }).click(),
  ]);
  const text = await Deno.readTextFile(await download.path());

  assertEquals(range, "21 Nov 2025 – 20 Nov 2026 · days in UTC");
  assertEquals(title, "Pageviews of / per day");
  assertEquals(download.suggestedFilename(), "pageviews-shop.example-2025-11-21-2026-11-20.csv");
  assertEquals(text.startsWith(`"day","path","full","aggregate","total"\r\n"2025-11-21","/`), true);
});
