import { assertEquals } from "@std/assert";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { PAGE_HELPERS } from "./page_helpers.ts";
import { readViews } from "./views.ts";

const browserTest = createBrowserTest();

/** Serves a page of the site that counts its views while nothing is consented to. */
function serve(stage: Stage, after = ""): void {
  stage.site.serve("/a", {
    before: PAGE_HELPERS,
    after: stage.init({ trackPageviews: "auto", consent: "pending" }) + after,
    body: `<a href="#link">down</a>`,
  });
}

browserTest("aggregates count push, replace, back and forward by path", async (stage) => {
  serve(stage);
  const page = await stage.open("/a?q=1#h");

  await page.evaluate(async () => {
    await pause();
    history.pushState(null, "", "/b?q=2");
    await pause();
    history.replaceState(null, "", "/c#h");
    await pause();
    await traverse(-1);
    await traverse(1);
  });

  assertEquals(await readViews(stage, 5), [
    "aggregate $pageview site:/a",
    "aggregate $pageview site:/b from site:",
    "aggregate $pageview site:/c from site:",
    "aggregate $pageview site:/a from site:",
    "aggregate $pageview site:/c from site:",
  ]);
});

browserTest("aggregates ignore the query, the fragment and the same URL", async (stage) => {
  serve(stage);
  const page = await stage.open("/a");

  await page.click("a");
  await page.evaluate(async () => {
    location.hash = "script";
    await pause();
    history.pushState(null, "", "?page=2");
    history.replaceState(null, "", "?page=3#h");
    await pause();
    await traverse(-1);
    history.pushState(null, "", "/a");
    history.replaceState({ key: 1 }, "");
  });
  await quiet();

  assertEquals(await readViews(stage, 1), ["aggregate $pageview site:/a"]);
});

browserTest("aggregates take push and replace in one task for one view", async (stage) => {
  serve(stage);
  const page = await stage.open("/a");

  await page.evaluate(async () => {
    history.pushState(null, "", "/guarded");
    history.replaceState(null, "", "/login?back=guarded");
    await pause();
    history.pushState(null, "", "/away");
    history.replaceState(null, "", "/login#again");
  });
  await quiet();

  assertEquals(await readViews(stage, 2), [
    "aggregate $pageview site:/a",
    "aggregate $pageview site:/login from site:",
  ]);
});

browserTest("aggregates record a load by itself, before a replace of its path", async (stage) => {
  serve(stage, script(() => history.replaceState(null, "", "/en/a")));

  await stage.open("/a");

  assertEquals(await readViews(stage, 2), [
    "aggregate $pageview site:/a",
    "aggregate $pageview site:/en/a from site:",
  ]);
});

browserTest("page() and steps add nothing to aggregates", async (stage) => {
  serve(stage);
  const page = await stage.open("/a");

  await page.evaluate(() => {
    history.pushState(null, "", "/b");
    Vendor.page();
    Vendor.step("pending");
    Vendor.page();
  });
  await quiet();

  assertEquals(await readViews(stage, 2), [
    "aggregate $pageview site:/a",
    "aggregate $pageview site:/b from site:",
  ]);
});
