import { assertEquals } from "@std/assert";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { createFeed } from "../../scripts/demo/feed.ts";
import { loadSiteFiles } from "../../scripts/demo/site_files.ts";
import { createSiteHandler } from "../../scripts/demo/site_handler.ts";
import { CHROMIUM_ARGS, CHROMIUM_PATH } from "./chromium.ts";

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
    const covers = [...document.querySelectorAll("#banner, .tabs")]
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

/** Serves the demo's site to a browser profile of its own. Its ingest isn't needed, so there is none. */
async function withSite(run: (context: BrowserContext, origin: string) => Promise<void>): Promise<void> {
  if (!browser) throw new Error("Chromium wasn't launched");
  const feed = createFeed();
  const handle = createSiteHandler({ files: await loadSiteFiles(), endpoint: "http://127.0.0.1:9/v1/events", feed });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handle);
  const context = await browser.newContext({ reducedMotion: "reduce" });
  try {
    await run(context, `http://127.0.0.1:${server.addr.port}`);
  } finally {
    await context.close();
    feed.close();
    await server.shutdown();
  }
}
