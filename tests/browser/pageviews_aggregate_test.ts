import { assertEquals } from "@std/assert";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { PAGE_HELPERS } from "./page_helpers.ts";
import { readViews } from "./views.ts";

const browserTest = createBrowserTest();

/** Serves a page of the site that counts its views while nothing is consented to. */
function serve(stage: Stage): void {
  stage.site.serve("/a", {
    before: PAGE_HELPERS,
    after: stage.init({ trackPageviews: "auto", consent: "pending" }),
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
