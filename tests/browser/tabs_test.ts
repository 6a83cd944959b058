import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createBrowserTest, quiet } from "./harness.ts";
import { script } from "./html.ts";
import { readSdkKeys } from "./storage_keys.ts";

const browserTest = createBrowserTest();

/** Makes `heard` a promise of the first word from another tab's storage. */
const HEAR = script(() => {
  const heard = new Promise<void>((resolve) => addEventListener("storage", () => resolve(), { once: true }));
  Object.assign(globalThis, { heard });
});

browserTest("the tabs of a visitor share the visitor and the session, across reloads too", async (stage) => {
  stage.site.serve("/", { after: stage.init({ trackPageviews: true }) });

  const first = await stage.open("/");
  await stage.ingest.untilStored(1);
  await stage.open("/");
  await stage.ingest.untilStored(2);
  await first.reload();

  const events = await stage.ingest.untilStored(3);
  assertEquals(new Set(events.map(({ identity }) => identity?.anonymousId)).size, 1);
  assertEquals(new Set(events.map(({ sessionId }) => sessionId)).size, 1);
});

browserTest("reset() starts a new visitor and a new session, for later tabs as well", async (stage) => {
  stage.site.serve("/", { after: stage.init() });
  const page = await stage.open("/");
  await page.evaluate(() => {
    Vendor.identify("u-1");
    Vendor.step("before");
    Vendor.reset();
    Vendor.step("after");
  });
  await stage.ingest.untilStored(2);

  const later = await stage.open("/");
  await later.evaluate(() => Vendor.step("later tab"));

  const [before, after, inLaterTab] = await stage.ingest.untilStored(3);
  assertEquals(before?.identity?.userId, "u-1");
  assertEquals(after?.identity?.userId, null);
  assertNotEquals(after?.identity?.anonymousId, before?.identity?.anonymousId);
  assertNotEquals(after?.sessionId, before?.sessionId);
  assertEquals(inLaterTab?.identity, after?.identity);
  assertEquals(inLaterTab?.sessionId, after?.sessionId);
  assert((await readSdkKeys(page)).length > 0);
});

browserTest("a denial in one tab ends collection in the others and discards what they queued", async (stage) => {
  stage.site.serve("/quick", { after: stage.init() });
  stage.site.serve("/late", { after: stage.init({ flushInterval: 60_000, trackPageviews: true }) });
  const first = await stage.open("/late");
  await first.evaluate(HEAR);
  await first.evaluate(() => Vendor.step("queued"));
  const second = await stage.open("/quick");

  await second.evaluate(() => Vendor.setConsent("denied"));
  await first.evaluate(() => Reflect.get(globalThis, "heard"));
  await quiet();
  const consent = await first.evaluate(() => {
    Vendor.step("after the denial");
    return Vendor.getConsent();
  });
  await first.close();
  await quiet();

  assertEquals(consent, "denied");
  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
  assertEquals(await readSdkKeys(second), []);
});

browserTest("a tab whose page wrote its document anew hears of a denial in another one", async (stage) => {
  stage.site.serve("/", { after: stage.init() });
  const first = await stage.open("/");
  await first.evaluate(() => {
    document.open(); // takes every listener off document and window
    document.write("<!doctype html><title>anew</title>");
    document.close();
    Vendor.step("written anew");
  });
  await stage.ingest.untilStored(1);
  await first.evaluate(HEAR);
  const second = await stage.open("/");

  await second.evaluate(() => Vendor.setConsent("denied"));
  await first.evaluate(() => Reflect.get(globalThis, "heard"));
  await quiet();

  assertEquals(await first.evaluate(() => Vendor.getConsent()), "denied");
  assertEquals(await readSdkKeys(second), []);
});

browserTest("another visitor's browser has a visitor and a session of its own", async (stage) => {
  stage.site.serve("/", { after: stage.init({ trackPageviews: true }) });
  const browser = stage.context.browser();
  assert(browser);
  await stage.open("/");
  const other = await browser.newContext();

  await (await other.newPage()).goto(`${stage.site.origin}/`);

  const [mine, theirs] = await stage.ingest.untilStored(2);
  await other.close();
  assertNotEquals(mine?.identity?.anonymousId, theirs?.identity?.anonymousId);
  assertNotEquals(mine?.sessionId, theirs?.sessionId);
});
