import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH } from "./chromium.ts";
import { createBrowserTest, withStage } from "./harness.ts";
import { script } from "./html.ts";

const browserTest = createBrowserTest();

/** Chromium's setting "block all cookies", which blocks every storage of a site. */
const BLOCKED = { profile: { default_content_setting_values: { cookies: 2 } } };

Deno.test("events arrive where the visitor blocks storage, with identifiers for the page", async () => {
  const profile = await Deno.makeTempDir();
  await Deno.mkdir(`${profile}/Default`);
  await Deno.writeTextFile(`${profile}/Default/Preferences`, JSON.stringify(BLOCKED));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM_PATH,
    args: [...CHROMIUM_ARGS],
  });
  await withStage(context, async (stage) => {
    stage.site.serve("/", { after: stage.init({ trackPageviews: true }) });
    const page = await stage.open("/");

    const failure = await page.evaluate(() => {
      try {
        return `localStorage has ${localStorage.length} keys`;
      } catch (error) {
        return error instanceof DOMException ? error.name : "";
      }
    });
    await page.evaluate(() => Vendor.step("blocked"));
    const [view, step] = await stage.ingest.untilStored(2);
    await page.evaluate(() => {
      Vendor.reset();
      Vendor.setConsent("denied");
      Vendor.setConsent("granted");
      Vendor.step("granted again");
    });

    const [again] = (await stage.ingest.untilStored(3)).slice(2);
    assertEquals(failure, "SecurityError");
    assertEquals(step?.identity, view?.identity);
    assertEquals(step?.sessionId, view?.sessionId);
    assertNotEquals(again?.identity?.anonymousId, view?.identity?.anonymousId);
  });
  await Deno.remove(profile, { recursive: true });
});

browserTest("events arrive where storage is full, and what fills it stays", async (stage) => {
  stage.site.serve("/", {
    before: script(() => {
      for (let size = 2 ** 22; size >= 1;) {
        try {
          localStorage.setItem(`fill ${size} ${localStorage.length}`, "x".repeat(size));
        } catch {
          size = Math.floor(size / 2); // full for that size
        }
      }
      Object.assign(globalThis, { filled: localStorage.length });
    }),
    after: stage.init({ trackPageviews: true }),
  });
  const page = await stage.open("/");

  await page.evaluate(() => Vendor.step("full"));
  const [view, step] = await stage.ingest.untilStored(2);
  const isLeft = await page.evaluate(() => Reflect.get(globalThis, "filled") === localStorage.length);

  assertEquals(step?.name, "full");
  assertEquals(step?.identity, view?.identity);
  assertEquals(step?.sessionId, view?.sessionId);
  assertEquals(isLeft, true);
  assertEquals(stage.messages, []);
});

browserTest("the SDK keeps nothing on the device but its own keys, and never the API key", async (stage) => {
  stage.site.serve("/", { after: stage.init({ trackPageviews: true }) });
  const page = await stage.open("/");
  await page.evaluate(() => {
    Vendor.identify("u-secret", { mail: "visitor@site.example" });
    Vendor.step("stored");
  });
  await stage.ingest.untilStored(2);

  const device = await page.evaluate(async () => ({
    local: Object.entries(localStorage),
    session: Object.keys(sessionStorage),
    cookie: document.cookie,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }));

  assert(device.local.every(([key]) => key.startsWith("vendor.sdk.")), JSON.stringify(device.local));
  assert(!/pk_browser_test|u-secret|visitor@/.test(JSON.stringify(device)), JSON.stringify(device));
  assertEquals({ ...device, local: [] }, { local: [], session: [], cookie: "", databases: [], caches: [] });
});
