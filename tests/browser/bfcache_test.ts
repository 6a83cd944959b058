import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { createBrowserTest, flush, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { readViews } from "./views.ts";
import type { InitConfig } from "../../mod.ts";

const browserTest = createBrowserTest();

/** Comes from another site, looks at two views of a page, leaves it and returns with the back button. */
async function leaveAndReturn(stage: Stage, config: Partial<InitConfig>): Promise<Page> {
  stage.otherSite.serve("/from", { scripts: [] }, { "Referrer-Policy": "unsafe-url" });
  stage.site.serve("/left", { scripts: [] });
  stage.site.serve("/a", {
    after: stage.init(config) + script(() =>
      addEventListener("pageshow", ({ persisted }) => {
        if (persisted) Object.assign(globalThis, { isRestored: true });
      })
    ),
  });
  const page = await stage.context.newPage();
  await page.goto(`${stage.otherSite.origin}/from?q=1`);
  await page.evaluate((url) => location.assign(url), `${stage.site.origin}/a`);
  await page.waitForURL("**/a");
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 40)));
  await page.evaluate(() => history.pushState(null, "", "/b?c=1"));
  await page.goto(`${stage.site.origin}/left`);
  await page.goBack({ waitUntil: "commit" });
  await page.waitForFunction(() => Reflect.has(globalThis, "isRestored"));
  return page;
}

browserTest("a page restored from the back/forward cache is a load, from the document's referrer", async (stage) => {
  const page = await leaveAndReturn(stage, { trackPageviews: true });
  await stage.ingest.untilStored(3);

  await page.evaluate(() => history.pushState(null, "", "/c"));
  await flush(page);

  assertEquals(await readViews(stage, 4), [
    "full $pageview site:/a from other:/from?q=1",
    "full $pageview site:/b?c=1 from site:/a",
    "full $pageview site:/b?c=1 from other:/from?q=1",
    "full $pageview site:/c from site:/b?c=1",
  ]);
  assertEquals(stage.site.visits.filter((path) => path === "/a").length, 1);
});

browserTest("a restored page is an aggregate while consent is pending", async (stage) => {
  await leaveAndReturn(stage, { trackPageviews: "auto", consent: "pending" });
  await quiet();

  assertEquals(await readViews(stage, 3), [
    "aggregate $pageview site:/a from other:",
    "aggregate $pageview site:/b from site:",
    "aggregate $pageview site:/b from other:",
  ]);
});

browserTest("a restored page goes on sending, in the same session", async (stage) => {
  const page = await leaveAndReturn(stage, {});

  await page.evaluate(() => Vendor.step("back"));

  const [event] = await stage.ingest.untilStored(1);
  assertEquals(event?.name, "back");
  assertEquals(await readViews(stage, 1), ["full back site:/b?c=1 from other:/from?q=1"]);
});

browserTest("a restored page sends a batch again that got no answer, under its own batchId", async (stage) => {
  const { ingest, site } = stage;
  ingest.respondWith((request) => ingest.requests.indexOf(request) < 2 ? ingest.hang() : undefined);
  site.serve("/left", { scripts: [] });
  site.serve("/a", { after: stage.init() });
  const page = await stage.open("/a");
  await page.evaluate(() => Vendor.step("unanswered"));
  await ingest.untilRequested(1);

  await page.goto(`${site.origin}/left`); // sends it once more, since the first request dies with the page
  await ingest.untilRequested(2);
  await page.goBack({ waitUntil: "commit" });

  await ingest.untilStored(1);
  await quiet();
  assertEquals(ingest.requests.length, 3);
  assertEquals(new Set(ingest.requests.map(({ body }) => body.batchId)).size, 1);
  assertEquals(ingest.stored.map(({ name }) => name), ["unanswered"]);
  assertEquals(site.visits.filter((path) => path === "/a").length, 1);
});

browserTest("a page restored after a denial in another tab collects nothing", async (stage) => {
  stage.site.serve("/left", { after: stage.init() });
  stage.site.serve("/a", { after: stage.init({ trackPageviews: true }) });
  const page = await stage.open("/a");
  await stage.ingest.untilStored(1);
  await page.goto(`${stage.site.origin}/left`);
  await page.evaluate(() => Vendor.setConsent("denied"));

  await page.goBack({ waitUntil: "commit" });
  await page.evaluate(() => Vendor.step("after the denial"));
  await flush(page);

  assertEquals(await page.evaluate(() => Vendor.getConsent()), "denied");
  assertEquals(await readViews(stage, 1), ["full $pageview site:/a"]);
  assertEquals(stage.site.visits.filter((path) => path === "/a").length, 1);
});

for (const place of ["before", "after"] as const) {
  for (const type of ["resume", "visibilitychange"]) {
    browserTest(
      `what a restored page tracks on ${type}, heard ${place} init(), isn't sent after a denial`,
      async (stage) => {
        const track = script(
          (event: string) =>
            document.addEventListener(event, () => {
              if (event !== "resume" && document.visibilityState === "hidden") return;
              Vendor.step("welcome back");
              void Vendor.flush();
            }),
          type,
        );
        const start = stage.init({ trackPageviews: true });
        stage.site.serve("/left", { after: stage.init() });
        stage.site.serve("/a", { after: place === "before" ? track + start : start + track });
        const page = await stage.open("/a");
        await stage.ingest.untilStored(1);
        await page.goto(`${stage.site.origin}/left`);
        await page.evaluate(() => Vendor.setConsent("denied"));

        await page.goBack({ waitUntil: "commit" });
        await flush(page);

        assertEquals(await page.evaluate(() => Vendor.getConsent()), "denied");
        assertEquals(await readViews(stage, 1), ["full $pageview site:/a"]);
        assertEquals(stage.site.visits.filter((path) => path === "/a").length, 1);
      },
    );
  }
}

browserTest("a page that calls init() again as it turns visible is one load when it's restored", async (stage) => {
  const start = stage.init({ trackPageviews: true });
  const again = `() => { if (document.visibilityState === "visible") ${start} }`;
  stage.site.serve("/left", { scripts: [] });
  stage.site.serve("/a", { after: `${start} document.addEventListener("visibilitychange", ${again});` });
  const page = await stage.open("/a");
  await stage.ingest.untilStored(1);
  await page.goto(`${stage.site.origin}/left`);

  await page.goBack({ waitUntil: "commit" });
  await stage.ingest.untilStored(2);
  await flush(page);

  assertEquals(await readViews(stage, 2), ["full $pageview site:/a", "full $pageview site:/a"]);
});
