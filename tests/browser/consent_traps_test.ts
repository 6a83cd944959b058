import { assert, assertEquals } from "@std/assert";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { PAGE_HELPERS } from "./page_helpers.ts";
import { readSdkKeys } from "./storage_keys.ts";
import { TRAP_SCRIPT } from "./traps.ts";

const browserTest = createBrowserTest();

const REPORT_TRAPS = script(() =>
  addEventListener("pagehide", () => void fetch("/touched", { method: "POST", keepalive: true, body: touched.join() }))
);

/** Visits with everything trapped, comes from a page with a private path, and calls every method of the SDK. */
async function visitPending(stage: Stage, trackPageviews: true | "auto"): Promise<string> {
  const { promise: reported, resolve: report } = Promise.withResolvers<string>();
  stage.site.handle("/touched", async (request) => {
    report(await request.text());
    return new Response();
  });
  stage.otherSite.serve("/private", { scripts: [] }, { "Referrer-Policy": "unsafe-url" });
  stage.site.serve("/start", {
    before: PAGE_HELPERS + TRAP_SCRIPT,
    after: stage.init({ trackPageviews, consent: "pending", debug: true }) + REPORT_TRAPS,
  });
  const page = await stage.context.newPage();
  await page.goto(`${stage.otherSite.origin}/private?q=referrersecret`);
  await page.evaluate((url) => location.assign(url), `${stage.site.origin}/start?q=querysecret#hashsecret`);
  await page.waitForURL("**/start?*");

  await page.evaluate(async () => {
    const callAll = async () => {
      Vendor.step("stepsecret", { secret: "propertysecret" });
      Vendor.identify("usersecret", { secret: "traitsecret" });
      Vendor.page();
      Vendor.reset();
      Vendor.getConsent();
      Vendor.setConsent("pending");
      await Vendor.flush();
    };
    await callAll();
    history.pushState({ secret: "statesecret" }, "", "/pushed?q=querysecret#hashsecret");
    await pause();
    history.replaceState(null, "", "/replaced?q=querysecret");
    await pause();
    location.hash = "hashsecret2";
    await traverse(-1);
    await callAll();
    dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
    history.pushState(null, "", "/last?q=querysecret");
  });
  await page.evaluate((url) => location.assign(url), `${stage.otherSite.origin}/private`);
  await page.waitForURL("**/private");
  return await reported;
}

browserTest('pending with "auto" touches nothing of the device and sends paths alone', async (stage) => {
  const touched = await visitPending(stage, "auto");

  const events = await stage.ingest.untilStored(4);
  await quiet();
  assertEquals(touched, "");
  assertEquals(events.map(({ context }) => context?.pageUrl?.replace(stage.site.origin, "")), [
    "/start",
    "/pushed",
    "/replaced",
    "/last",
  ]);
  assertEquals(
    new Set(events.map(({ context }) => context?.referrer)),
    new Set([stage.otherSite.origin, stage.site.origin]),
  );
  const sent = stage.ingest.requests.map(({ text, target, headers }) => text + target + JSON.stringify(headers)).join();
  assertEquals(/secret/.test(sent), false);
  assertEquals(/sessionId|identity|anonymousId|pageTitle|screen/.test(sent), false);
});

browserTest("pending with true touches nothing of the device and sends nothing", async (stage) => {
  const touched = await visitPending(stage, true);

  await quiet();
  assertEquals(touched, "");
  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
});

browserTest("pending leaves stored keys as they are, whoever's they are", async (stage) => {
  stage.site.serve("/", {
    before: script(() => {
      localStorage.setItem("vendor.sdk.visitor", "8e26cb5b-2c4c-4b0f-9d43-6ad6d6d0a1f0");
      localStorage.setItem("cart", "3");
    }) + TRAP_SCRIPT,
    after: stage.init({ trackPageviews: "auto", consent: "pending" }),
  });
  const page = await stage.open("/");

  await stage.ingest.untilStored(1);

  assertEquals(await page.evaluate(() => [...touched]), []);
  assertEquals(await page.evaluate(() => Object.entries(localStorage).sort()), [
    ["cart", "3"],
    ["vendor.sdk.visitor", "8e26cb5b-2c4c-4b0f-9d43-6ad6d6d0a1f0"],
  ]);
});

browserTest("the traps see what granted consent allows", async (stage) => {
  stage.site.serve("/", {
    before: TRAP_SCRIPT,
    after: stage.init({ trackPageviews: true, consent: "pending" }),
  });
  const page = await stage.open("/");

  const touchedPending = await page.evaluate(() => [...touched]);
  await page.evaluate(() => Vendor.setConsent("granted"));
  await stage.ingest.untilStored(1);

  const seen = new Set(await page.evaluate(() => [...touched]));
  assertEquals(touchedPending, []);
  for (const name of ["window.localStorage", "Storage.getItem", "Storage.setItem", "window.screen", "Document.title"]) {
    assert(seen.has(name), `${name} wasn't trapped`);
  }
  assert((await readSdkKeys(page)).length > 0);
});
