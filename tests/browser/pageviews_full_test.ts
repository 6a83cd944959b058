import { assertEquals } from "@std/assert";
import { createBrowserTest, flush, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { PAGE_HELPERS } from "./page_helpers.ts";
import { readViews } from "./views.ts";

const browserTest = createBrowserTest();

/** Serves a page of the site that counts every view in full. */
function serve(stage: Stage, after = ""): void {
  stage.site.serve("/a", { title: "A", before: PAGE_HELPERS, after: stage.init({ trackPageviews: true }) + after });
}

browserTest("a load is recorded with the document's referrer", async (stage) => {
  serve(stage);
  stage.otherSite.serve("/from", { scripts: [] }, { "Referrer-Policy": "unsafe-url" });
  const page = await stage.context.newPage();
  await page.goto(`${stage.otherSite.origin}/from?q=1`);

  await page.evaluate((url) => location.assign(url), `${stage.site.origin}/a?b=1#c`);

  assertEquals(await readViews(stage, 1), ["full $pageview site:/a?b=1#c from other:/from?q=1"]);
  assertEquals(stage.ingest.stored[0]?.context?.pageTitle, "A");
});

browserTest("push, replace, back and forward are views, each from the one before", async (stage) => {
  serve(stage);
  const page = await stage.open("/a");

  await page.evaluate(async () => {
    await pause();
    history.pushState(null, "", "/b");
    await pause();
    history.replaceState(null, "", "/c");
    await pause();
    await traverse(-1);
    await traverse(1);
  });

  assertEquals(await readViews(stage, 5), [
    "full $pageview site:/a",
    "full $pageview site:/b from site:/a",
    "full $pageview site:/c from site:/b",
    "full $pageview site:/a from site:/c",
    "full $pageview site:/c from site:/a",
  ]);
});

browserTest("a change of the query or the fragment is a view, by a link as by script", async (stage) => {
  serve(stage);
  stage.site.serve("/a", {
    before: PAGE_HELPERS,
    after: stage.init({ trackPageviews: true }),
    body: `<a href="#link">down</a>`,
  });
  const page = await stage.open("/a");

  await page.click("a");
  await page.evaluate(async () => {
    await pause();
    location.hash = "script";
    await pause();
    history.pushState(null, "", "?page=2");
    await pause();
    history.replaceState(null, "", "?page=3");
  });

  assertEquals(await readViews(stage, 5), [
    "full $pageview site:/a",
    "full $pageview site:/a#link from site:/a",
    "full $pageview site:/a#script from site:/a#link",
    "full $pageview site:/a?page=2 from site:/a#script",
    "full $pageview site:/a?page=3 from site:/a?page=2",
  ]);
});

browserTest("a call that leaves the URL as it was is no view", async (stage) => {
  serve(stage);
  const page = await stage.open("/a#top");

  await page.evaluate(async () => {
    await pause();
    history.replaceState({ scroll: 1 }, "");
    history.pushState({ scroll: 2 }, "", "/a#top");
    history.pushState({ scroll: 3 }, "");
    await pause();
    await traverse(-1);
    dispatchEvent(new PopStateEvent("popstate"));
    await pause();
  });
  await flush(page);

  assertEquals(await readViews(stage, 1), ["full $pageview site:/a#top"]);
});

browserTest("a replace while the page loads leaves the load recorded by itself", async (stage) => {
  serve(stage, script(() => history.replaceState(null, "", "/a?lang=en")));

  await stage.open("/a");

  assertEquals(await readViews(stage, 2), ["full $pageview site:/a", "full $pageview site:/a?lang=en from site:/a"]);
});

browserTest("a title is read a second after the navigation, or when the next one comes", async (stage) => {
  stage.site.serve("/a", {
    title: "Placeholder",
    before: PAGE_HELPERS,
    after: stage.init({ trackPageviews: true, flushInterval: 60_000 }) + script(async () => {
      const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      await sleep(500);
      document.title = "A";
      history.pushState(null, "", "/b");
      document.title = "B";
      Vendor.step("on b");
      await sleep(500);
      document.title = "B, late";
      await sleep(1000);
      document.title = "B, too late";
      history.pushState(null, "", "/c");
      document.title = "C";
      await Vendor.flush();
      document.title = "C, too late";
    }),
  });

  await stage.open("/a");

  const events = await stage.ingest.untilStored(4);
  assertEquals(events.map(({ name, context }) => `${name} ${context?.pageTitle}`), [
    "$pageview A",
    "$pageview B, late",
    "on b B",
    "$pageview C",
  ]);
});
