import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { ConsentState } from "../../mod.ts";
import { createBrowserTest, flush, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { buildPlatformScripts, type PlatformScripts } from "./platform_scripts.ts";
import { OPT_OUT_PLATFORMS, type Platform, PLATFORMS } from "./platforms.ts";
import { readSdkKeys } from "./storage_keys.ts";
import { TRAP_SCRIPT } from "./traps.ts";

declare global {
  /** Ends what the page follows. */
  var stopFollowing: () => void;
}

const browserTest = createBrowserTest();

let scripts: PlatformScripts;
Deno.test.beforeAll(async () => {
  scripts = await buildPlatformScripts();
});

const SCRIPTS = ["/sdk.js", "/consent.js", "/platforms.js"];

/** Serves a page that follows a platform, which starts when the page does or later. */
function servePage(stage: Stage, platform: Platform, start = "startPlatform();"): void {
  scripts.serve(stage.site);
  stage.site.serve("/", {
    scripts: SCRIPTS,
    body: `<script>${platform.script}${stage.init({ trackPageviews: "auto", consent: "pending" })}
      globalThis.stopFollowing = VendorConsent.followConsent(Vendor, ${platform.source});
      ${start}</script>`,
  });
}

async function untilConsent(page: Page, state: ConsentState): Promise<void> {
  await page.waitForFunction((state) => Vendor.getConsent() === state, state);
}

/** Says that consent is what it is, and stays that. */
async function expectConsent(page: Page, state: ConsentState): Promise<void> {
  await untilConsent(page, state);
  await quiet();
  assertEquals(await page.evaluate(() => Vendor.getConsent()), state);
}

for (const platform of PLATFORMS) {
  browserTest(`${platform.name}: first visit, accept, return, change of mind, return`, async (stage) => {
    servePage(stage, platform);
    const page = await stage.open("/");
    await expectConsent(page, "pending");
    assertEquals(await readSdkKeys(page), []);

    await platform.answer(page, "accept");
    await untilConsent(page, "granted");
    await page.evaluate(() => Vendor.step("accepted"));
    await flush(page);

    await page.reload();
    await untilConsent(page, "granted");
    await platform.reopen(page);
    await expectConsent(page, "granted"); // a dialog that is open again is no answer
    await platform.answer(page, "decline");
    await untilConsent(page, "denied");
    assertEquals(await readSdkKeys(page), []);

    await page.reload();
    await expectConsent(page, "denied");
    const full = stage.ingest.stored.filter(({ identity }) => identity);
    assertEquals(full.filter(({ name }) => name === "accepted").length, 1);
  });

  browserTest(`${platform.name}: decline, return, change of mind`, async (stage) => {
    servePage(stage, platform);
    const page = await stage.open("/");
    await untilConsent(page, "pending");

    await platform.answer(page, "decline");
    await untilConsent(page, "denied");
    await page.reload();
    await expectConsent(page, "denied");
    assertEquals(stage.ingest.stored.filter(({ identity }) => identity), []);

    await platform.reopen(page);
    await platform.answer(page, "accept");
    await expectConsent(page, "granted");
  });

  browserTest(`${platform.name}: loads later, and is heard no more once it isn't followed`, async (stage) => {
    stage.site.handle("/later.js", () => new Response("startPlatform();"));
    const later = script(() => {
      const element = document.createElement("script");
      element.src = "/later.js";
      setTimeout(() => document.head.append(element), 50);
    });
    servePage(stage, platform, later);
    const page = await stage.open("/");
    await page.waitForFunction(() => document.querySelector("script[src='/later.js']"));

    await platform.answer(page, "accept");
    await untilConsent(page, "granted");
    await page.evaluate(() => stopFollowing());
    await platform.reopen(page);
    await platform.answer(page, "decline");

    await expectConsent(page, "granted");
  });

  browserTest(`${platform.name}: is followed after it has started`, async (stage) => {
    servePage(stage, platform);
    const page = await stage.open("/");
    await platform.answer(page, "accept");
    await untilConsent(page, "granted");
    scripts.serve(stage.site);
    stage.site.serve("/late", {
      scripts: SCRIPTS,
      body: `<script>${platform.script}startPlatform();${stage.init({ consent: "pending" })}
        setTimeout(() => VendorConsent.followConsent(Vendor, ${platform.source}), 100);</script>`,
    });

    await page.goto(`${stage.site.origin}/late`);

    await expectConsent(page, "granted");
  });
}

for (const platform of OPT_OUT_PLATFORMS) {
  browserTest(`${platform.name}: what is on without an answer is no grant`, async (stage) => {
    servePage(stage, platform, "startPlatform(true);");
    const page = await stage.open("/");
    await expectConsent(page, "pending");

    await platform.answer(page, "decline");

    await expectConsent(page, "denied");
  });
}

/** Serves a page that follows a cookie, with what runs before the SDK. */
function serveCookiePage(stage: Stage, before = ""): void {
  scripts.serve(stage.site);
  stage.site.serve("/", {
    before,
    scripts: ["/sdk.js", "/consent.js"],
    after: stage.init({ trackPageviews: "auto", consent: "pending" }) + script(() => {
      globalThis.stopFollowing = VendorConsent.followConsent(
        Vendor,
        VendorConsent.fromCookie({ name: "choice", granted: "a=1", denied: "none" }),
      );
    }),
  });
}

const setCookie = (page: Page, text: string): Promise<void> =>
  page.evaluate((text) => void (document.cookie = text), text);

browserTest("a cookie is followed: accept, return, decline, another tab, removal", async (stage) => {
  serveCookiePage(stage);
  const page = await stage.open("/");
  await expectConsent(page, "pending");

  await setCookie(page, "xchoice=none");
  await setCookie(page, "choice=something else");
  await expectConsent(page, "pending");
  await setCookie(page, "choice=a%3D1");
  await untilConsent(page, "granted");

  await page.reload();
  await untilConsent(page, "granted");
  const other = await stage.open("/");
  await untilConsent(other, "granted");
  await setCookie(other, "choice=none");
  await untilConsent(other, "denied");
  await untilConsent(page, "denied");
  await setCookie(page, "choice=a=1");
  await untilConsent(page, "granted");
  await untilConsent(other, "granted");

  await setCookie(page, "choice=; max-age=0");
  await untilConsent(page, "pending");
});

browserTest(
  "a cookie is followed where the browser doesn't tell of changes, and after its end no more",
  async (stage) => {
    serveCookiePage(stage, script(() => Reflect.deleteProperty(globalThis, "cookieStore")));
    const page = await stage.open("/");
    assertEquals(await page.evaluate(() => typeof globalThis.cookieStore), "undefined");

    await setCookie(page, "choice=a=1");

    await untilConsent(page, "granted");
  },
);

/** What a page may have under the name of a platform, and whether it tells anything. */
const NAMESAKES: Readonly<Record<string, readonly [html: string, source: string, isWarned: boolean]>> = {
  CookieConsent: [
    `<form id="CookieConsent"><input name="validConsent"></form>`,
    `fromCookieConsent({ category: "analytics" })`,
    true,
  ],
  klaro: [
    `<form id="klaro"><input name="getManager"></form>`,
    `fromKlaro({ service: "analytics" })`,
    false,
  ],
  __tcfapi: [`<iframe name="__tcfapi" sandbox></iframe>`, `fromTcf({ purposes: [1], outsideGdpr: "granted" })`, false],
  OneTrust: [
    `<form id="OneTrust"><input name="IsAlertBoxClosed"></form><script>OnetrustActiveGroups = ",C0002,";</script>`,
    `fromOneTrust({ group: "C0002" })`,
    true,
  ],
  Cookiebot: [`<iframe name="Cookiebot" sandbox></iframe>`, `fromCookiebot({ category: "statistics" })`, true],
  // Cookies can be read all the same.
  cookie: [`<img name="cookie" src="data:,">`, `fromCookie({ name: "choice", granted: "yes", denied: "no" })`, false],
};

for (const [name, [html, source, isWarned]] of Object.entries(NAMESAKES)) {
  browserTest(`what a page has under the name ${name} is no answer, and no error`, async (stage) => {
    scripts.serve(stage.site);
    const start = `${stage.init({ consent: "granted" })}
      globalThis.stopFollowing = VendorConsent.followConsent(Vendor, VendorConsent.${source});`;
    stage.site.serve("/", { scripts: ["/sdk.js", "/consent.js"], body: `${html}<script>${start}</script>` });
    const page = await stage.open("/");

    await expectConsent(page, "pending");
    await page.evaluate(() => stopFollowing());

    const warning = "[Vendor] the consent platform failed: no answer";
    assertEquals(stage.messages.map((message) => message.startsWith(warning)), isWarned ? [true] : []);
  });
}

browserTest("a source without its platform reads nothing of the device but what it needs", async (stage) => {
  scripts.serve(stage.site);
  const SOURCES = {
    fromTcf: `{ purposes: [1], outsideGdpr: "granted" }`,
    fromCookieConsent: `{ category: "analytics" }`,
    fromKlaro: `{ service: "analytics" }`,
    fromOneTrust: `{ group: "C0002" }`,
    fromCookiebot: `{ category: "statistics" }`,
    fromCookie: `{ name: "choice", granted: "yes", denied: "no" }`,
  };
  const touchedBy: Record<string, string[]> = {};
  for (const [name, options] of Object.entries(SOURCES)) {
    stage.site.serve(`/${name}`, {
      before: TRAP_SCRIPT,
      scripts: ["/sdk.js", "/consent.js"],
      after:
        `Vendor.init({ apiKey: "k", endpoint: "${stage.ingest.endpoint}", consent: VendorConsent.initialConsent() });
        VendorConsent.followConsent(Vendor, VendorConsent.${name}(${options}));`,
      body: `<div id="klaro"></div><img src="data:,">`,
    });
    const page = await stage.open(`/${name}`);
    await expectConsent(page, "pending");
    touchedBy[name] = await page.evaluate(() => [...new Set(touched)].sort());
    await page.close();
  }

  assertEquals(touchedBy, {
    fromTcf: [],
    fromCookieConsent: [],
    fromKlaro: [],
    fromOneTrust: [],
    fromCookiebot: [],
    fromCookie: ["Document.cookie", "window.cookieStore"],
  });
});
