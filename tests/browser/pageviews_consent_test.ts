import { assertEquals } from "@std/assert";
import { createBrowserTest, flush, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { PAGE_HELPERS } from "./page_helpers.ts";
import { readViews } from "./views.ts";
import type { InitConfig } from "../../mod.ts";

const browserTest = createBrowserTest();

/** Opens a page of the site that comes from another one with a private URL. */
async function openFromOther(stage: Stage, config: Partial<InitConfig>, after = "") {
  stage.otherSite.serve("/from", { scripts: [] }, { "Referrer-Policy": "unsafe-url" });
  stage.site.serve("/a", { before: PAGE_HELPERS, after: stage.init(config) + after });
  const page = await stage.context.newPage();
  await page.goto(`${stage.otherSite.origin}/from?q=1`);
  await page.evaluate((url) => location.assign(url), `${stage.site.origin}/a?b=1#c`);
  await page.waitForURL("**/a?b=1#c");
  return page;
}

browserTest("true records the current page in full once consent is granted", async (stage) => {
  const page = await openFromOther(stage, { trackPageviews: true, consent: "pending" });

  await page.evaluate(async () => {
    history.pushState(null, "", "/b?c=1");
    await pause();
    Vendor.setConsent("granted");
    await pause();
    history.pushState(null, "", "/d");
  });

  assertEquals(await readViews(stage, 2), [
    "full $pageview site:/b?c=1 from other:/from?q=1",
    "full $pageview site:/d from site:/b?c=1",
  ]);
});

browserTest('"auto" records a page in full when its aggregate was never sent', async (stage) => {
  const config = { trackPageviews: "auto", consent: "pending", flushInterval: 60_000 } as const;
  const page = await openFromOther(stage, config);

  await page.evaluate(async () => {
    await pause();
    Vendor.setConsent("granted");
    Vendor.step("consented");
    await Vendor.flush();
  });
  await flush(page);

  assertEquals(await readViews(stage, 2), [
    "full $pageview site:/a?b=1#c from other:/from?q=1",
    "full consented site:/a?b=1#c from other:/from?q=1",
  ]);
});

browserTest('"auto" records a page in full when consent is granted in the task of its load', async (stage) => {
  const after = script(() => Vendor.setConsent("granted"));

  const page = await openFromOther(stage, { trackPageviews: "auto", consent: "pending" }, after);
  await flush(page);

  assertEquals(await readViews(stage, 1), ["full $pageview site:/a?b=1#c from other:/from?q=1"]);
});

browserTest('"auto" counts a page once whose aggregate is on its way', async (stage) => {
  const page = await openFromOther(stage, { trackPageviews: "auto", consent: "pending" });
  await stage.ingest.untilStored(1);

  await page.evaluate(async () => {
    Vendor.setConsent("granted");
    await pause();
    history.pushState(null, "", "/b?c=1");
  });
  await flush(page);

  assertEquals(await readViews(stage, 2), [
    "aggregate $pageview site:/a from other:",
    "full $pageview site:/b?c=1 from site:/a",
  ]);
});

browserTest('"auto" sends the aggregates of earlier pages after consent is granted', async (stage) => {
  const config = { trackPageviews: "auto", consent: "pending", flushInterval: 60_000 } as const;
  const page = await openFromOther(stage, config);

  await page.evaluate(async () => {
    await pause();
    history.pushState(null, "", "/b?c=1");
    await pause();
    Vendor.setConsent("granted");
    await Vendor.flush();
  });

  assertEquals((await readViews(stage, 2)).slice(0, 1), ["aggregate $pageview site:/a from other:"]);
  assertEquals((await readViews(stage, 2))[1]?.startsWith("full $pageview site:/b?c=1"), true);
  assertEquals(stage.ingest.stored.length, 2);
});

browserTest('"auto" counts from the next navigation when consent goes back to pending', async (stage) => {
  const page = await openFromOther(stage, { trackPageviews: "auto" });
  await stage.ingest.untilStored(1);

  await page.evaluate(async () => {
    Vendor.setConsent("pending");
    await pause();
    history.pushState(null, "", "/b?c=1");
  });
  await flush(page);

  assertEquals(await readViews(stage, 2), [
    "full $pageview site:/a?b=1#c from other:/from?q=1",
    "aggregate $pageview site:/b from site:",
  ]);
});

browserTest('"auto" records the current page when a denial turns into a grant', async (stage) => {
  const page = await openFromOther(stage, { trackPageviews: "auto", consent: "denied" });

  await page.evaluate(() => {
    history.pushState(null, "", "/b?c=1");
    Vendor.setConsent("granted");
  });
  await flush(page);

  assertEquals(await readViews(stage, 1), ["full $pageview site:/b?c=1 from other:/from?q=1"]);
});

browserTest('"auto" records the current page as an aggregate when a denial is taken back', async (stage) => {
  const page = await openFromOther(stage, { trackPageviews: "auto", consent: "denied" });

  await page.evaluate(() => Vendor.setConsent("pending"));
  await flush(page);

  assertEquals(await readViews(stage, 1), ["aggregate $pageview site:/a from other:"]);
});

browserTest("a denial between two grants records the page no second time", async (stage) => {
  const page = await openFromOther(stage, { trackPageviews: true });
  await stage.ingest.untilStored(1);

  await page.evaluate(() => {
    Vendor.setConsent("denied");
    Vendor.setConsent("granted");
  });
  await flush(page);

  assertEquals(await readViews(stage, 1), ["full $pageview site:/a?b=1#c from other:/from?q=1"]);
});
