import { assert, assertEquals, assertNotEquals } from "@std/assert";
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

browserTest("denied to granted starts over with new identifiers and no user", async (stage) => {
  stage.site.serve("/", { after: stage.init() });
  const page = await stage.open("/");
  await page.evaluate(() => {
    Vendor.identify("u-1", { plan: "pro" });
    Vendor.step("before");
  });
  await stage.ingest.untilStored(1);

  await page.evaluate(() => {
    Vendor.setConsent("denied");
    Vendor.identify("u-2");
    Vendor.setConsent("granted");
    Vendor.step("after");
  });

  const [before, after] = await stage.ingest.untilStored(2);
  assert(before?.identity && after?.identity);
  assertEquals(after.identity, { userId: null, anonymousId: after.identity.anonymousId ?? "" });
  assertNotEquals(after.identity.anonymousId, before.identity.anonymousId);
  assertNotEquals(after.sessionId, before.sessionId);
});

browserTest("pending to granted applies the remembered identify and the stored visitor", async (stage) => {
  stage.site.serve("/first", { after: stage.init() });
  stage.site.serve("/second", { after: stage.init({ consent: "pending" }) });
  const page = await stage.open("/first");
  await page.evaluate(() => Vendor.step("known"));
  await stage.ingest.untilStored(1);
  await page.goto(`${stage.site.origin}/second`);

  await page.evaluate(() => {
    Vendor.identify("u-1", { plan: "free" });
    Vendor.identify("u-2", { plan: "pro" });
    Vendor.step("pending");
    Vendor.setConsent("granted");
    Vendor.step("granted");
  });

  const [known, granted] = await stage.ingest.untilStored(2);
  assertEquals(names(stage.ingest.stored), ["known", "granted"]);
  assertEquals(granted?.identity, {
    userId: "u-2",
    anonymousId: known?.identity?.anonymousId ?? "",
    traits: { plan: "pro" },
  });
  assertEquals(granted?.sessionId, known?.sessionId);
});

browserTest("granted to pending sends what was queued and collects no more until granted again", async (stage) => {
  stage.site.serve("/", { after: stage.init({ flushInterval: 60_000 }) });
  const page = await stage.open("/");

  await page.evaluate(() => {
    Vendor.identify("u-1");
    Vendor.step("queued");
    Vendor.setConsent("pending");
    Vendor.step("pending");
  });
  await stage.ingest.untilStored(1);
  await page.evaluate(() => {
    Vendor.setConsent("granted");
    Vendor.step("again");
    return Vendor.flush();
  });

  const [queued, again] = await stage.ingest.untilStored(2);
  assertEquals(names(stage.ingest.stored), ["queued", "again"]);
  assertEquals(again?.identity, queued?.identity);
});

browserTest("a getter that withdraws consent while it is read keeps its own event back", async (stage) => {
  stage.site.serve("/", { after: stage.init() });
  const page = await stage.open("/");

  await page.evaluate(() => {
    Vendor.step("withdrawn", {
      get plan() {
        Vendor.setConsent("denied");
        return "pro";
      },
    });
    return Vendor.flush();
  });

  await quiet();
  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
  assertEquals(await readSdkKeys(page), []);
});
