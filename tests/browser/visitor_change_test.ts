import { assertEquals, assertNotEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { StoredEvent } from "../../src/ingest/mod.ts";
import { createBrowserTest, goBack, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

/** Makes `heard` a promise of the first word from another tab's storage. */
const HEAR = script(() => {
  const heard = new Promise<void>((resolve) => addEventListener("storage", () => resolve(), { once: true }));
  Object.assign(globalThis, { heard });
});

/** Opens a page whose user has signed in, and returns what it sent. */
async function signIn(stage: Stage): Promise<{ readonly page: Page; readonly before: StoredEvent | undefined }> {
  stage.site.serve("/", { after: stage.init() });
  stage.site.serve("/other", { after: stage.init() });
  stage.site.serve("/plain", { scripts: [] });
  const page = await stage.open("/");
  await page.evaluate(() => {
    Vendor.identify("u-1", { plan: "pro" });
    Vendor.step("before");
  });
  const [before] = await stage.ingest.untilStored(1);
  await quiet();
  await page.evaluate(HEAR);
  return { page, before };
}

/** Returns every value on the device. */
const readDevice = (page: Page): Promise<string> => page.evaluate(() => Object.values(localStorage).join());

browserTest("who signs out in one tab is nobody's user in another", async (stage) => {
  const { page, before } = await signIn(stage);
  const other = await stage.open("/other");

  await other.evaluate(() => {
    Vendor.reset();
    Vendor.step("signed out");
  });
  await stage.ingest.untilStored(2);
  await page.evaluate(() => Reflect.get(globalThis, "heard"));
  await quiet();
  await page.evaluate(() => Vendor.step("after"));

  const [, signedOut, after] = await stage.ingest.untilStored(3);
  assertNotEquals(signedOut?.identity?.anonymousId, before?.identity?.anonymousId);
  assertEquals(after?.identity, { userId: null, anonymousId: signedOut?.identity?.anonymousId ?? "" });
  assertEquals(after?.sessionId, signedOut?.sessionId);
});

browserTest("who signs out is nobody's user on a page that comes back from the back/forward cache", async (stage) => {
  const { page, before } = await signIn(stage);
  await page.goto(`${stage.site.origin}/other`);
  await page.evaluate(() => {
    Vendor.reset();
    Vendor.step("signed out");
  });
  await stage.ingest.untilStored(2);
  await quiet();

  await goBack(page, "/");
  await page.evaluate(() => Vendor.step("after"));

  const [, signedOut, after] = await stage.ingest.untilStored(3);
  assertNotEquals(signedOut?.identity?.anonymousId, before?.identity?.anonymousId);
  assertEquals(after?.identity, { userId: null, anonymousId: signedOut?.identity?.anonymousId ?? "" });
  assertEquals(stage.site.visits.filter((path) => path === "/").length, 1);
});

browserTest("a site that clears its storage in another tab denies nothing, and gets a new visitor", async (stage) => {
  const { page, before } = await signIn(stage);
  const other = await stage.open("/plain");

  await other.evaluate(() => localStorage.clear());
  await page.evaluate(() => Reflect.get(globalThis, "heard"));
  await page.evaluate(() => Vendor.step("after"));

  const [, after] = await stage.ingest.untilStored(2);
  const device = await readDevice(page);
  assertEquals(await page.evaluate(() => Vendor.getConsent()), "granted");
  assertEquals(after?.identity?.userId, null);
  assertNotEquals(after?.identity?.anonymousId, before?.identity?.anonymousId);
  assertEquals(device.includes(`${before?.identity?.anonymousId}`), false);
  assertEquals(device.includes(`${after?.identity?.anonymousId}`), true);
});

browserTest("a site that clears its storage on the page itself never gets the old id back there", async (stage) => {
  const { page, before } = await signIn(stage);

  await page.evaluate(() => localStorage.clear());
  await page.evaluate(() => Vendor.step("after"));
  await stage.ingest.untilStored(2);
  await page.reload();
  const device = await readDevice(page);
  await page.evaluate(() => Vendor.step("reloaded"));

  const [, , reloaded] = await stage.ingest.untilStored(3);
  assertEquals(device.includes(`${before?.identity?.anonymousId}`), false);
  assertEquals(reloaded?.identity?.userId, null);
  assertNotEquals(reloaded?.identity?.anonymousId, before?.identity?.anonymousId);
});

browserTest(
  "storage emptied while a page slept is a denial until the saved choice is set, for a new visitor",
  async (stage) => {
    const { page, before } = await signIn(stage);
    await page.goto(`${stage.site.origin}/plain`);
    await page.evaluate(() => localStorage.clear());

    await goBack(page, "/");
    const found = await page.evaluate(() => Vendor.getConsent());
    await page.evaluate(() => {
      Vendor.setConsent("granted");
      Vendor.step("after");
    });

    const [, after] = await stage.ingest.untilStored(2);
    assertEquals([found, after?.name, after?.identity?.userId], ["denied", "after", null]);
    assertNotEquals(after?.identity?.anonymousId, before?.identity?.anonymousId);
    assertEquals(stage.site.visits.filter((path) => path === "/").length, 1);
  },
);

browserTest(
  "a denial on another page is found by a page that comes back from the back/forward cache",
  async (stage) => {
    const { page } = await signIn(stage);
    await page.goto(`${stage.site.origin}/other`);
    await page.evaluate(() => Vendor.setConsent("denied"));

    await goBack(page, "/");
    await page.evaluate(() => Vendor.step("after"));
    await page.evaluate(() => Vendor.flush());
    await quiet();

    assertEquals([await page.evaluate(() => Vendor.getConsent()), await readDevice(page)], ["denied", ""]);
    assertEquals(stage.ingest.stored.map(({ name }) => name), ["before"]);
    assertEquals(stage.site.visits.filter((path) => path === "/").length, 1);
  },
);
