/**
 * One choice, and several tabs that hear of it: each in a process of its own, which another one's localStorage reaches
 * some milliseconds late.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { RememberedConsent } from "../../src/addons/consent/mod.ts";
import { KEY } from "./ingest_server.ts";
import { createBrowserTest, flush, type Stage } from "./harness.ts";

declare global {
  /** The choice, in a page of these tests. */
  var remembered: RememberedConsent;
}

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

const REMEMBER = `globalThis.remembered = rememberConsent(Vendor);
Vendor.init({ ...config, consent: remembered.saved() });
remembered.onChange((mustAsk) => document.documentElement.dataset.asks = mustAsk);`;

/** Opens tabs that start without an answer; `follow` is the code behind `init()`. */
async function openTabs(
  stage: Stage,
  { count = 2, follow = REMEMBER }: { readonly count?: number; readonly follow?: string } = {},
): Promise<readonly [Page, ...Page[]]> {
  const { site, ingest } = stage;
  const code = `import { Vendor } from "/sdk.mjs";
import { followConsent, fromCookie, rememberConsent } from "/consent.mjs";
globalThis.Vendor = Vendor;
const config = { apiKey: "${KEY}", endpoint: "${ingest.endpoint}", trackPageviews: "auto", flushInterval: 20 };
${follow}`;
  site.handle("/start.js", () => new Response(code, { headers: { "Content-Type": "text/javascript" } }));
  site.serve("/", { scripts: [], body: '<script type="module" src="/start.js"></script>' });
  const open = async (): Promise<Page> => {
    const page = await stage.open("/");
    await page.waitForFunction(() => globalThis.Vendor?.getConsent());
    return page;
  };
  const first = await open();
  const others: Page[] = [];
  while (others.length < count - 1) others.push(await open());
  return [first, ...others];
}

const untilGranted = (page: Page): Promise<unknown> => page.waitForFunction(() => Vendor.getConsent() === "granted");

/** Lets every tab record a step, and returns what the tabs recorded with consent: names, visitors and sessions. */
async function recordIn(stage: Stage, pages: readonly Page[]): Promise<Readonly<Record<string, unknown>>> {
  for (const page of pages) {
    await untilGranted(page);
    await page.evaluate(() => Vendor.step("later"));
    await flush(page);
  }
  const full = stage.ingest.stored.filter(({ collection }) => collection === "full");
  return {
    names: full.map(({ name }) => name).sort(),
    visitors: new Set(full.map(({ identity }) => identity?.anonymousId)).size,
    sessions: new Set(full.map(({ sessionId }) => sessionId)).size,
  };
}

for (const count of [2, 3]) {
  browserTest(
    `who accepts in one of ${count} tabs is one visitor, in one session, who accepted once`,
    async (stage) => {
      const pages = await openTabs(stage, { count });
      for (const page of pages) await flush(page); // the pageviews leave as aggregates

      await pages[0].evaluate(() => remembered.choose("granted"));

      const names = ["$consent", ...pages.map(() => "later")];
      assertEquals(await recordIn(stage, pages), { names, visitors: 1, sessions: 1 });
    },
  );

  browserTest(`who takes a denial back in one of ${count} tabs is one visitor, in one session`, async (stage) => {
    const pages = await openTabs(stage, { count });
    for (const page of pages) await flush(page);
    await pages[0].evaluate(() => remembered.choose("denied"));
    for (const page of pages) await page.waitForFunction(() => Vendor.getConsent() === "denied");

    await pages[0].evaluate(() => remembered.choose("granted"));

    const names = ["$consent", ...pages.map(() => "later")];
    assertEquals(await recordIn(stage, pages), { names, visitors: 1, sessions: 1 });
  });
}

browserTest(
  "who accepts in one tab, and declines in another one at once, is recorded in none from then on",
  async (stage) => {
    const [first, second] = await openTabs(stage);
    assertEquals(await first.locator("[data-asks=true]").count(), 1);

    await first.evaluate(() => remembered.choose("granted"));
    await second?.locator("[data-asks=false]").waitFor({ state: "attached" }); // it has heard of the grant
    await second?.evaluate(() => remembered.choose("denied"));
    await first.waitForFunction(() => Vendor.getConsent() === "denied");
    await new Promise((resolve) => setTimeout(resolve, 1000)); // past the moment that a grant would be applied in

    assertEquals(await second?.evaluate(() => [Vendor.getConsent(), localStorage.length]), ["denied", 0]);
  },
);

browserTest("who accepts by a cookie in a tab is the same visitor in the tabs behind it", async (stage) => {
  // No tab is hidden while Playwright is attached.
  const follow =
    `if (document.cookie.includes("opened")) Object.defineProperty(document, "visibilityState", { value: "hidden" });
document.cookie = "opened=1";
Vendor.init({ ...config, consent: "pending" });
followConsent(Vendor, fromCookie({ name: "choice", granted: "all", denied: "none" }));`;
  const pages = await openTabs(stage, { count: 3, follow });
  for (const page of pages) await flush(page);

  await pages[0].evaluate(() => void (document.cookie = "choice=all"));

  const { visitors, sessions } = await recordIn(stage, pages);
  assertEquals([visitors, sessions], [1, 1]);
});
