import { assertEquals } from "@std/assert";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { openDatabase } from "../../scripts/demo/database.ts";
import { createFeed } from "../../scripts/demo/feed.ts";
import { startIngest } from "../../scripts/demo/ingest_server.ts";
import { startServer } from "../../scripts/demo/server.ts";
import { loadSiteFiles } from "../../scripts/demo/site_files.ts";
import { createSiteHandler } from "../../scripts/demo/site_handler.ts";
import { CHROMIUM_ARGS, CHROMIUM_PATH } from "./chromium.ts";
import { findAccessibilityFaults, measureOverflow, SCREENS } from "./report_stage.ts";

/** A small phone under its browser, one that lies, a desktop, and that desktop at 400 %, which WCAG 1.4.10 asks for. */
const VIEWPORTS = [
  { width: 375, height: 553 },
  { width: 740, height: 360 },
  { width: 1280, height: 800 },
  { width: 320, height: 256 },
] as const;

/** More than the page has stops. */
const MAX_STOPS = 120;

let browser: Browser | undefined;
Deno.test.beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: [...CHROMIUM_ARGS] });
});
Deno.test.afterAll(async () => {
  await browser?.close();
});

for (const viewport of VIEWPORTS) {
  Deno.test(`the demo's banner hides nothing that has the focus, at ${viewport.width}x${viewport.height}`, () =>
    withSite(async (context, origin) => {
      const page = await context.newPage();
      await page.setViewportSize(viewport);
      await page.goto(`${origin}/teas`);

      const forwards = await walk(page, "Tab");
      const backwards = await walk(page, "Shift+Tab");
      await page.getByRole("link", { name: "Story" }).click();
      await page.evaluate(() => scrollTo(0, 0));
      await page.getByRole("link", { name: "Jump to the harvest" }).press("Enter");
      const heading = await inspectFocus(page);

      assertEquals(await page.locator("#banner").isVisible(), true);
      assertEquals({ forwards: forwards.covered, backwards: backwards.covered }, { forwards: [], backwards: [] });
      assertEquals([forwards.stops > 20, backwards.stops > 20], [true, true]);
      assertEquals(heading, { name: "harvest", isCovered: false, isRound: false });
    }));
}

Deno.test("a tab of the demo shows the denial that the SDK found in another one", () =>
  withTwoTabs(async (page, other) => {
    await other.evaluate(() => localStorage.removeItem("vendor.sdk.visitor"));

    await page.getByRole("heading", { name: "Nothing is collected", exact: true }).waitFor();
    assertEquals(await page.locator('.states [aria-pressed="true"]').allInnerTexts(), ["denied"]);
  }));

Deno.test("a tab of the demo asks again when another one cleared the storage", () =>
  withTwoTabs(async (page, other) => {
    await other.evaluate(() => localStorage.clear());

    await page.locator("#banner").waitFor();
    assertEquals(await page.locator('.states [aria-pressed="true"]').allInnerTexts(), ["pending"]);
  }));

for (const [screen, viewport] of Object.entries(SCREENS)) {
  Deno.test(`the demo's tour shows what each tap did, on a ${screen}, without a fault that axe finds`, () =>
    withSite(async (context, origin) => {
      const page = await context.newPage();
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: screen === "phone" ? "dark" : "light" });
      await page.goto(origin);
      const tap = async (name: string): Promise<readonly string[]> => {
        await page.locator("main").getByRole("button", { name }).click();
        const bar = await page.locator("#bar").boundingBox();
        assertEquals((bar?.y ?? Infinity) < viewport.height, true);
        return await page.locator("#bar [role=status]").first().locator("*").allInnerTexts();
      };
      await page.getByRole("link", { name: "Harbour Sencha" }).click();
      await page.locator('[data-kind="aggregate"]').nth(1).waitFor();

      const held = await tap("Buy");
      const faults = [...await findAccessibilityFaults(page)];
      const accepted = await tap("Accept");
      const bought = await tap("Buy");
      const signedIn = await tap("Sign in");
      await page.locator('[data-kind="full"]').waitFor();
      const visitor = await page.locator("#visitor-facts dd").allInnerTexts();
      await page.locator("#calls summary").click();
      faults.push(...await findAccessibilityFaults(page));
      const signedOut = await tap("Sign out");
      await tap("Privacy choices");
      const declined = await tap("Decline");

      const basketAdd = 'Vendor.step("basket_add", {"tea":"sencha","grams":50,"price":9.5})';
      assertEquals(held, [basketAdd, "held back, and never sent: consent is pending"]);
      assertEquals(accepted, [
        'Vendor.setConsent("granted")',
        "This page was already counted without you; from here on events carry your visitor ID and session.",
      ]);
      assertEquals(bought, [basketAdd, "queued, sent within 1.5 s"]);
      assertEquals(signedIn, ['Vendor.identify("ada", {"plan":"team"})', "later events carry it"]);
      assertEquals([visitor.length, visitor[2]], [3, "ada"]);
      assertEquals(signedOut, ["Vendor.reset()", "new visitor ID, new session"]);
      assertEquals(declined[0], 'Vendor.setConsent("denied")');
      const rows = await page.locator("#feed-rows .event").evaluateAll((items) =>
        items.map((item) => `${(item as HTMLElement).dataset.kind} ${item.querySelector(".event__name")?.textContent}`)
      );
      assertEquals(rows, [
        'consent setConsent("denied")',
        "full basket_add",
        'consent setConsent("granted")',
        `held ${basketAdd.replace("Vendor.", "")}`,
        "aggregate $pageview",
        "aggregate $pageview",
      ]);
      assertEquals(await page.locator("[data-step]:not([data-done])").count(), 0);
      assertEquals([faults, await measureOverflow(page), await findSmallTargets(page)], [[], 0, []]);
    }));
}

Deno.test("the demo leads to the reports of its own events", () =>
  withSite(async (context, origin) => {
    const page = await context.newPage();
    await page.goto(origin);
    await page.locator('[data-kind="aggregate"]').waitFor();

    const [reports] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Reports" }).click(),
    ]);

    assertEquals(await reports.locator("h1").innerText(), origin);
    assertEquals(await reports.getByText("0 full · 1 aggregate").count(), 1);
  }));

Deno.test("the demo opens the SDK's inspector by its button, and at once with ?inspect", () =>
  withSite(async (context, origin) => {
    const page = await context.newPage();
    const delivered = page.locator("vendor-inspector li").filter({ hasText: "$pageview" }).getByText("delivered");
    await page.goto(`${origin}/teas?inspect`);
    await delivered.waitFor();

    await page.goto(`${origin}/teas`);
    assertEquals(await page.locator("vendor-inspector").count(), 0);
    await page.getByRole("button", { name: "Inspector" }).click();
    await page.locator("vendor-inspector").waitFor();
    await page.getByRole("button", { name: "Inspector" }).press("Enter"); // the panel lies over it
    assertEquals(await page.locator("vendor-inspector").count(), 1);
  }));

/** Lists the targets in sight that are less than 44 pixels high, but for links in a text. */
function findSmallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, summary, label, input:not([type=radio]), textarea, a:not(.skip, p a)")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44)
      .map((element) => element.outerHTML.slice(0, 120))
  );
}

/** Accepts in one tab, and opens another one. */
function withTwoTabs(run: (page: Page, other: Page) => Promise<void>): Promise<void> {
  return withSite(async (context, origin) => {
    const page = await context.newPage();
    await page.goto(origin);
    await page.getByRole("button", { name: "Accept" }).click();
    const other = await context.newPage();
    await other.goto(origin);
    await run(page, other);
  });
}

/** Goes round the page by a key; returns the stops and those that are wholly out of sight. */
async function walk(page: Page, key: string): Promise<{ readonly stops: number; readonly covered: readonly string[] }> {
  const covered: string[] = [];
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    await page.keyboard.press(key);
    const { name, isCovered, isRound } = await inspectFocus(page);
    if (isRound) return { stops, covered };
    if (isCovered) covered.push(name);
  }
  throw new Error(`${key} finds no end in ${MAX_STOPS} stops`);
}

interface Focus {
  readonly name: string;
  /** Whether nothing of it is in sight. */
  readonly isCovered: boolean;
  /** Whether the focus has left the page's elements. */
  readonly isRound: boolean;
}

function inspectFocus(page: Page): Promise<Focus> {
  return page.evaluate(async () => {
    // Chromium scrolls to the focus in the next frame.
    for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const focused = document.activeElement ?? document.body;
    const { left, right, top, bottom } = focused.getBoundingClientRect();
    const covers = [...document.querySelectorAll("#banner, #bar")]
      .filter((cover) => !cover.contains(focused))
      .map((cover) => cover.getBoundingClientRect())
      .filter((cover) => cover.left <= left && cover.right >= right && cover.bottom > top && cover.top < bottom);
    const seenTo = Math.min(innerHeight, bottom, ...covers.map((cover) => cover.top));
    const seenFrom = Math.max(0, top);
    return {
      name: (focused.id || focused.textContent || focused.tagName).trim(),
      isCovered: focused !== document.body && seenTo - seenFrom < 1,
      isRound: focused === document.body,
    };
  });
}

/** Serves the demo's site, with its ingest, to a browser profile of its own. */
async function withSite(run: (context: BrowserContext, origin: string) => Promise<void>): Promise<void> {
  if (!browser) throw new Error("Chromium wasn't launched");
  const feed = createFeed();
  const database = await openDatabase(undefined);
  const site = startServer({ port: 0, flag: "--port", handle: (request) => handle(request) });
  const ingest = startIngest({ port: 0, database, origins: [site.origin], onRow: feed.publish });
  const handle = createSiteHandler({ files: await loadSiteFiles(), endpoint: ingest.endpoint, feed });
  const context = await browser.newContext({ reducedMotion: "reduce" });
  try {
    await run(context, site.origin);
  } finally {
    await context.close();
    feed.close();
    await site.stop();
    await ingest.stop();
    await database.close();
  }
}
