/**
 * The banner of docs/consent.md, and its start with a user, as they are printed.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { createBrowserTest, flush, type Stage } from "./harness.ts";
import { readExample } from "./read_example.ts";
import { readSdkKeys } from "./storage_keys.ts";

const browserTest = createBrowserTest();

function serveBanner({ site, ingest }: Stage): void {
  const code = readExample("docs/consent.md", { after: "## Save the choice", endpoint: ingest.endpoint });
  const headers = { "Content-Type": "text/javascript" };
  site.handle("/start.js", () => new Response(`${code}\nglobalThis.Vendor = Vendor;`, { headers }));
  site.serve("/", {
    scripts: [],
    body: `<h1>Teas</h1><script type="module" src="/start.js"></script>
      <div id="consent-banner" hidden><button id="accept">Accept</button><button id="decline">Decline</button></div>`,
  });
}

/** Returns name, collection and query of what arrived, in the order of arrival. */
function storedOf({ ingest }: Stage): readonly unknown[] {
  return ingest.stored.map((
    { name, collection, context },
  ) => [name, collection, new URL(`${context?.pageUrl}`).search]);
}

browserTest("docs/consent.md: who accepts keeps the campaign, and isn't asked again", async (stage) => {
  serveBanner(stage);
  const page = await stage.open("/?utm_source=news");
  await page.getByRole("button", { name: "Accept" }).waitFor();
  await flush(page);
  await page.getByRole("button", { name: "Accept" }).click();
  await flush(page);
  const isHidden = await page.locator("#consent-banner").isHidden();
  await page.goto(`${stage.site.origin}/?again`);
  await flush(page);

  assertEquals([isHidden, await page.locator("#consent-banner").isHidden()], [true, true]);
  assertEquals(storedOf(stage), [
    ["$pageview", "aggregate", ""],
    ["$consent", "full", "?utm_source=news"],
    ["$pageview", "full", "?again"],
  ]);
});

browserTest(
  "docs/consent.md: who declines isn't asked again, and nothing is kept or sent from then on",
  async (stage) => {
    serveBanner(stage);
    const page = await stage.open("/?utm_source=news");
    await page.getByRole("button", { name: "Decline" }).click();
    await flush(page);
    const isHidden = await page.locator("#consent-banner").isHidden();
    await page.goto(`${stage.site.origin}/?again`);
    await flush(page);

    assertEquals([isHidden, await page.locator("#consent-banner").isHidden()], [true, true]);
    assertEquals(await readSdkKeys(page), []);
    assertEquals([storedOf(stage), stage.ingest.requests.length], [[], 0]);
  },
);

for (
  const { trackPageviews, choice, views } of [
    { trackPageviews: '"auto"', choice: "granted", views: [["full", "user-42"]] },
    { trackPageviews: "true", choice: "granted", views: [["full", "user-42"]] },
    { trackPageviews: '"auto"', choice: "pending", views: [["aggregate", undefined]] },
    { trackPageviews: "true", choice: "pending", views: [] },
    { trackPageviews: '"auto"', choice: "denied", views: [] },
    { trackPageviews: "true", choice: "denied", views: [] },
  ] as const
) {
  browserTest(
    `docs/consent.md: with trackPageviews ${trackPageviews} and ${choice}, a signed-in user's page is counted once at most`,
    async (stage) => {
      const { site, ingest, context } = stage;
      const after = "## Somebody who is signed in";
      const code = readExample("docs/consent.md", { after, endpoint: ingest.endpoint })
        .replace('trackPageviews: "auto"', `trackPageviews: ${trackPageviews}`);
      const headers = { "Content-Type": "text/javascript" };
      site.handle("/start.js", () => new Response(`${code}\nglobalThis.Vendor = Vendor;`, { headers }));
      const scripts = '<script type="module" src="/start.js"></script>';
      const body = `<script>document.documentElement.dataset.user = "user-42";</script>${scripts}`;
      site.serve("/", { scripts: [], body });
      await context.addCookies([{ name: "consent", value: choice, url: site.origin }]);

      const page = await stage.open("/");
      await flush(page);
      await page.reload();
      await flush(page);

      const seen = ingest.stored.map(({ name, collection, identity }) => [name, collection, identity?.userId]);
      assertEquals(seen, [...views, ...views].map((view) => ["$pageview", ...view]));
      assertEquals([await page.evaluate(() => Vendor.getConsent()), ingest.requests.length], [choice, seen.length]);
    },
  );
}
