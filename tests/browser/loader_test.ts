import { assert, assertEquals } from "@std/assert";
import { createBrowserTest, quiet } from "./harness.ts";
import { script } from "./html.ts";
import { openLoading, serveLoader, serveRuledLoader } from "./loader_page.ts";
import { TRAP_SCRIPT } from "./traps.ts";
import { readViews } from "./views.ts";

const browserTest = createBrowserTest();

browserTest("queued calls are made with their own time and URL", async (stage) => {
  const after = stage.init({ trackPageviews: true }) + script(() => {
    const cart = { items: 1 };
    Vendor.step("first", cart);
    cart.items = 2;
    history.pushState(null, "", "/cart?step=2#top");
    Vendor.identify("user");
    Vendor.step("second", cart);
  });
  const arrive = serveLoader(stage, "/", { after });
  const page = await openLoading(stage, "/?q=1");
  const queuedMs = Date.now();
  await quiet();
  const early = stage.ingest.requests.length;
  arrive();

  assertEquals(await readViews(stage, 4), [
    "full $pageview site:/?q=1",
    "full first site:/?q=1",
    "full $pageview site:/cart?step=2#top from site:/?q=1",
    "full second site:/cart?step=2#top from site:/?q=1",
  ]);
  const { stored } = stage.ingest;
  assertEquals(early, 0);
  assertEquals(stored.map(({ properties }) => properties?.items), [undefined, 1, undefined, 2]);
  assertEquals(stored.map(({ identity }) => identity?.userId), [null, null, null, "user"]);
  assert(stored.every(({ timestamp }) => Date.parse(timestamp) <= queuedMs), "the time of the call");
  assertEquals(await page.evaluate(() => Vendor.getConsent()), "granted");
  assertEquals(stage.messages, []);
});

browserTest("rules in front of the file see what was queued before them", async (stage) => {
  const after = stage.init({ trackPageviews: true }) + script(() => Vendor.step("queued"));
  serveRuledLoader(stage, "/", { after });
  await openLoading(stage, "/?token=secret");

  assertEquals(await readViews(stage, 2), ["full $pageview site:/", "full queued site:/"]);
});

browserTest("while pending neither the loader nor the replay touches the device", async (stage) => {
  const after = stage.init({ trackPageviews: "auto", consent: "pending" }) + script(() => {
    Vendor.step("stepsecret");
    Vendor.page();
    Vendor.identify("user", { plan: "pro" });
    Vendor.reset();
  });
  const arrive = serveLoader(stage, "/", { before: TRAP_SCRIPT, after });
  const page = await openLoading(stage, "/?q=querysecret");
  const queue = await page.evaluate(() => JSON.stringify(Reflect.get(Vendor, "queue")));
  arrive();

  assertEquals(await readViews(stage, 1), ["aggregate $pageview site:/"]);
  assertEquals(await page.evaluate(() => globalThis.touched), []);
  assertEquals(/secret/.test(queue + stage.ingest.requests[0]?.text), false);
});

browserTest("a denial before the file arrives lets nothing leave and erases what is stored", async (stage) => {
  const after = script(() => {
    localStorage.setItem("vendor.sdk.visitor", "00000000-0000-4000-8000-000000000000");
    localStorage.setItem("other", "kept");
  }) + stage.init({ trackPageviews: true }) + script(() => {
    Vendor.step("stepsecret");
    Vendor.setConsent("denied");
  });
  const arrive = serveLoader(stage, "/", { after });
  const page = await openLoading(stage, "/?q=querysecret");
  const queue = await page.evaluate(() => JSON.stringify(Reflect.get(Vendor, "queue")));
  arrive();
  await page.waitForFunction(() => !Reflect.get(Vendor, "queue"));
  await quiet();

  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
  assertEquals(await page.evaluate(() => Object.keys(localStorage)), ["other"]);
  assertEquals(/secret/.test(queue), false);
});

browserTest("the file alone, in a plain script tag, is the SDK", async (stage) => {
  const arrive = serveLoader(stage, "/unused", {});
  arrive();
  stage.site.serve("/", { scripts: ["/vendor.global.js"], after: stage.init({ trackPageviews: true }) });
  await openLoading(stage, "/");

  assertEquals(await readViews(stage, 1), ["full $pageview site:/"]);
});
