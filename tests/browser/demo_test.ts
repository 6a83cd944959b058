import { assertEquals } from "@std/assert";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { buildShop } from "../../scripts/demo/build_shop.ts";
import { openDemoStore } from "../../src/ingest/server/cli/demo_command.ts";
import { startDemo } from "../../src/ingest/server/demo/run_demo.ts";
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

Deno.test("a tab of the demo asks again when another one forgets the choice, and follows its next one", () =>
  withSite(async (context, origin) => {
    const page = await context.newPage();
    const other = await context.newPage();
    const banner = page.locator("#banner");
    await page.goto(origin);
    await page.getByRole("button", { name: "Accept" }).click();
    await other.goto(origin);

    await other.evaluate(() => cookieStore.delete("tidewater.consent"));
    await banner.waitFor();
    await other.getByRole("link", { name: "Privacy choices" }).click();
    await other.getByRole("button", { name: "Decline" }).click();
    await banner.waitFor({ state: "hidden" });
    await page.locator("vendor-inspector").getByText('setConsent("denied")').waitFor();

    const calls = await page.locator("vendor-inspector .name").allInnerTexts();
    assertEquals(calls.filter((call) => call.startsWith("setConsent")), [
      'setConsent("denied")',
      'setConsent("pending")',
      'setConsent("granted")',
    ]);
  }));

for (const [screen, viewport] of Object.entries(SCREENS)) {
  Deno.test(`the demo's tour shows what became of each tap, on a ${screen}, without a fault that axe finds`, () =>
    withSite(async (context, origin) => {
      const page = await context.newPage();
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: screen === "phone" ? "dark" : "light" });
      const tap = (name: string): Promise<void> => page.locator("main").getByRole("button", { name }).click();
      await page.goto(origin);
      const asked = await page.locator("#banner p").innerText();
      await page.getByRole("link", { name: "Sencha" }).click();
      await page.locator('[data-kind="aggregate"]').nth(1).waitFor();
      await tap("Buy");
      const faults = [...await findAccessibilityFaults(page)];
      await tap("Accept");
      await tap("Buy");
      await tap("Sign in");
      await page.locator('[data-kind="full"]').nth(1).waitFor(); // $consent, and what was bought
      await page.locator(".direct summary").click();
      await page.getByRole("button", { name: "One event twice" }).click();
      await page.locator('[data-kind="duplicate"]').waitFor();
      await page.getByRole("button", { name: "A wrong key" }).click();
      await page.locator('[data-kind="refused"]').waitFor();
      await page.locator("#rows summary").first().click();
      faults.push(...await findAccessibilityFaults(page));
      const next = await page.locator("[aria-current=step] b").innerText();
      await tap("Sign out");
      await page.getByRole("link", { name: "Privacy choices" }).click();
      await tap("Decline");

      assertEquals(asked.endsWith("Until you choose, pages are counted without you."), true, asked);
      assertEquals(next, "Sign out");
      assertEquals(await page.locator("[data-step]:not([data-done])").count(), 0);
      assertEquals(await page.locator("#next").textContent(), "That was the tour. The reports have counted it.");
      const rows = await page.locator("#rows li").evaluateAll((items) =>
        items.map((item) => `${(item as HTMLElement).dataset.kind} ${item.querySelector(".row__name")?.textContent}`)
      );
      assertEquals(rows, [
        `refused 401 unknown_key: header X-API-Key must carry a known key; the request is of ${origin}`,
        "duplicate 1 known already",
        "full sent_by_hand",
        "full basket_add",
        "full $consent",
        "aggregate $pageview",
        "aggregate $pageview",
      ]);
      assertEquals(await page.locator("#counts").innerText(), "3 full · 2 aggregate · 1 duplicate · 1 refused");
      assertEquals([faults, await measureOverflow(page), await findSmallTargets(page)], [[], 0, []]);
    }));
}

Deno.test("the demo tells the SDK after a load who is signed in to the shop", () =>
  withSite(async (context, origin) => {
    const page = await context.newPage();
    await page.goto(origin);
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.goto(`${origin}/story`);
    await page.getByRole("link", { name: "Teas", exact: true }).click();

    await page.locator(".row__owner").filter({ hasText: /^ada/ }).waitFor();
    assertEquals(await page.locator("#sign").innerText(), "Sign out ada");
  }));

Deno.test("the demo's tour asks a visitor who comes back for nothing that they have done", () =>
  withSite(async (context, origin) => {
    const page = await context.newPage();
    const next = page.locator("[aria-current=step] b");
    await page.goto(origin);
    await page.getByRole("button", { name: "Accept" }).click();
    const afterAccept = await next.innerText();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.goto(origin);
    const done = await page.locator("[data-done] b").allInnerTexts();
    const asGranted = await next.innerText();
    await page.getByRole("link", { name: "Privacy choices" }).click();
    await page.getByRole("button", { name: "Decline" }).click();
    await page.goto(origin);

    assertEquals([afterAccept, asGranted, await next.innerText()], ["Buy", "Buy", "Accept"]);
    assertEquals(done, ["Browse", "Accept", "Sign in"]);
    assertEquals([page.url(), await page.locator("#banner").isVisible()], [`${origin}/`, false]);
  }));

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
    assertEquals(await reports.getByText("0 with consent, 1 before it").first().isVisible(), true);
  }));

Deno.test("the demo opens the SDK's inspector where it has a place, by its button, and with ?inspect", () =>
  withSite(async (context, origin) => {
    const page = await context.newPage();
    const panel = page.locator("vendor-inspector");
    const toggle = page.getByRole("button", { name: "Inspector" });
    await page.setViewportSize(SCREENS.desktop);
    await page.goto(`${origin}/teas`);
    await panel.locator("li").filter({ hasText: "$pageview" }).getByText("delivered").waitFor();
    const names = await panel.locator(".name").allInnerTexts(); // newest first; consent has none
    assertEquals(names.slice(-3), ["init()", "$pageview", ""]);
    await toggle.click();
    assertEquals(await panel.count(), 0);

    await page.setViewportSize(SCREENS.phone);
    await page.goto(`${origin}/teas`);
    assertEquals(await panel.count(), 0);
    await toggle.click();
    await panel.waitFor();
    await page.goto(`${origin}/teas?inspect`);
    await panel.waitFor();
  }));

Deno.test("the demo says that its server is gone, and that it's back", () =>
  withSite(async (context, origin) => {
    const page = await context.newPage();
    const feed = "**/_demo/feed";
    await page.route(feed, (route) => route.abort());
    await page.goto(origin);

    await page.getByText("lost, is the demo still running?").waitFor();
    await page.unroute(feed);
    await page.getByText("live", { exact: true }).waitFor();
    await page.locator('[data-kind="aggregate"]').waitFor();
  }));

/** Lists the targets in sight that are less than 44 pixels high, but for links in a text. */
function findSmallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, summary, label, input:not([type=radio]), textarea, a:not(.skip, p a)")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44)
      .map((element) => element.outerHTML.slice(0, 120))
  );
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
    const covers = [...document.querySelectorAll("#banner, vendor-inspector")]
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
  const openStore = openDemoStore;
  const demo = await startDemo({ port: 0, ingestPort: 0, files: await buildShop(), visitsPerDay: 0, openStore });
  const context = await browser.newContext({ reducedMotion: "reduce" });
  try {
    await run(context, demo.site);
  } finally {
    await context.close();
    await demo.stop();
  }
}
