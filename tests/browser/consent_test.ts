import { assertEquals } from "@std/assert";
import { createBrowserTest, quiet } from "./harness.ts";
import { script } from "./html.ts";
import { readSdkKeys } from "./storage_keys.ts";

const browserTest = createBrowserTest();

const names = (events: readonly { readonly name: string }[]): string[] => events.map(({ name }) => name);

browserTest("denied at init erases the SDK's keys alone and sends nothing, at page hide neither", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", {
    before: script(() => {
      localStorage.setItem("vendor.sdk.visitor", "8e26cb5b-2c4c-4b0f-9d43-6ad6d6d0a1f0");
      localStorage.setItem("vendor.sdk.outbox.1.ab12.cd34", "{}");
      localStorage.setItem("vendor.sdk.", "");
      localStorage.setItem("vendor.sdkx", "foreign");
      localStorage.setItem("cart", "3");
      sessionStorage.setItem("vendor.sdk.tab", "foreign");
    }),
    after: stage.init({ trackPageviews: "auto", consent: "denied" }),
  });
  const page = await stage.open("/");

  const storage = await page.evaluate(async () => {
    Vendor.identify("u-1");
    Vendor.step("denied");
    Vendor.page();
    history.pushState(null, "", "/next");
    Vendor.reset();
    await Vendor.flush();
    return { local: Object.entries(localStorage).sort(), session: Object.entries(sessionStorage) };
  });
  await page.goto(`${stage.otherSite.origin}/`);
  await quiet();

  assertEquals(storage.local, [["cart", "3"], ["vendor.sdkx", "foreign"]]);
  assertEquals(storage.session, [["vendor.sdk.tab", "foreign"]]);
  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
});

browserTest("granted to denied aborts what hangs, and nothing is stored or sent later", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", { after: stage.init({ trackPageviews: true }) });
  stage.ingest.respondWith(() => stage.ingest.hang());
  const page = await stage.open("/");
  await page.evaluate(() => Vendor.identify("u-1"));
  await page.evaluate(() => Vendor.step("hangs"));
  const [request] = await stage.ingest.untilRequested(1);
  await page.evaluate(() => {
    for (let index = 0; index < 120; index++) Vendor.step("queued");
  });

  const keys = await page.evaluate(() => {
    Vendor.setConsent("denied");
    const keys = Object.keys(localStorage); // in the same task
    Vendor.step("denied");
    return keys;
  });

  await stage.ingest.untilAborted(request);
  stage.ingest.respondWith();
  await page.goto(`${stage.otherSite.origin}/`);
  await quiet();
  assertEquals(keys, []);
  assertEquals(names(stage.ingest.stored), []);
  assertEquals(stage.ingest.requests.length, 1);
});

browserTest("denied while the preflight is under way lets no event leave", async (stage) => {
  stage.site.serve("/", { after: stage.init() });
  const release = stage.ingest.holdPreflights();
  const page = await stage.open("/");
  await page.evaluate(() => Vendor.step("unsent"));
  await stage.ingest.untilPreflighted(1);

  await page.evaluate(() => Vendor.setConsent("denied"));
  await quiet(); // the abort is on its way from the page to the browser's network process
  release();

  await quiet();
  assertEquals(stage.ingest.requests.length, 0);
});

browserTest("denied while the page goes, before the SDK hears of it, lets no event leave", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", {
    before: script(() => addEventListener("pagehide", () => Vendor.setConsent("denied"))),
    after: stage.init({ flushInterval: 60_000 }) + script(() => Vendor.step("unsent")),
  });
  const page = await stage.open("/");

  await page.goto(`${stage.otherSite.origin}/`);
  await quiet();

  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
});

browserTest("pending to denied aborts the aggregate that hangs and forgets the next", async (stage) => {
  stage.site.serve("/", { after: stage.init({ trackPageviews: "auto", consent: "pending" }) });
  stage.ingest.respondWith(() => stage.ingest.hang());
  const page = await stage.open("/");
  const [request] = await stage.ingest.untilRequested(1);

  await page.evaluate(() => {
    history.pushState(null, "", "/next");
    Vendor.setConsent("denied");
  });

  await stage.ingest.untilAborted(request);
  stage.ingest.respondWith();
  await quiet();
  assertEquals(stage.ingest.requests.length, 1);
  assertEquals(await readSdkKeys(page), []);
});
