import { assertEquals, assertNotEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { bundle } from "../../scripts/support/bundle.ts";
import type { Client, createClient, detectEnvironment } from "../../src/client/mod.ts";
import type { withCookie } from "../../src/addons/cookie/mod.ts";
import type { ConsentState, StepEvent } from "../../src/client/base/types.ts";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { buildAnswer, KEY } from "./ingest_server.ts";
import { readSdkKeys } from "./storage_keys.ts";

declare global {
  /** What an application imports, in a page of this test. */
  var Application: {
    readonly createClient: typeof createClient;
    readonly detectEnvironment: typeof detectEnvironment;
    readonly withCookie: typeof withCookie;
  };
  /** The client of the page. */
  var client: Client;
}

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

/** The application's bundle. */
const APPLICATION = [
  bundle({ entry: "src/client/mod.ts", format: "iife", minify: true, globalName: "ClientModule" }),
  bundle({ entry: "src/addons/cookie/mod.ts", format: "iife", minify: true, globalName: "CookieModule" }),
  "Object.assign(globalThis, { Application: { ...ClientModule, ...CookieModule } });",
].join("\n");

/** Takes cookieStore away, which a browser may not have: then nobody tells of a cookie. */
const WITHOUT_COOKIE_STORE = "Object.defineProperty(globalThis, 'cookieStore', { value: undefined });";

interface Settings {
  readonly domain?: string;
  readonly consent?: ConsentState;
  /** Runs before the client is created. */
  readonly before?: string;
}

/** Opens a page of a subdomain of shop.localhost. */
async function open(stage: Stage, subdomain: string, settings: Settings = {}): Promise<Page> {
  const { domain = "shop.localhost", consent = "granted", before = "" } = settings;
  const { site, ingest, context } = stage;
  const start = script(
    ({ domain, ...config }) => {
      const { createClient, detectEnvironment, withCookie } = Application;
      globalThis.client = createClient(
        { ...config, flushInterval: 20, trackPageviews: "auto" },
        withCookie(detectEnvironment(), { domain }),
      );
    },
    { domain, consent, apiKey: KEY, endpoint: ingest.endpoint },
  );
  ingest.respondWith(() => buildAnswer(202));
  site.handle("/application.js", () => new Response(APPLICATION, { headers: { "Content-Type": "text/javascript" } }));
  site.serve(`/${subdomain}`, { before, scripts: ["/application.js"], after: start });
  const page = await context.newPage();
  await page.goto(`http://${subdomain}.shop.localhost:${new URL(site.origin).port}/${subdomain}`);
  await page.waitForFunction(() => !!globalThis.client);
  return page;
}

/** Records a step, and returns it as it was sent; nothing if it wasn't. */
async function step(stage: Stage, page: Page, name: string): Promise<StepEvent | undefined> {
  await page.evaluate(async (name) => {
    client.step(name);
    await client.flush();
  }, name);
  await quiet();
  return events(stage).find((event) => event.name === name);
}

function events({ ingest }: Stage): readonly StepEvent[] {
  return ingest.requests.flatMap(({ body }): readonly StepEvent[] => body.events);
}

function consentOf(page: Page): Promise<ConsentState> {
  return page.evaluate(() => client.getConsent());
}

browserTest("two subdomains have one visitor and one session, in cookies of the domain", async (stage) => {
  const www = await open(stage, "www");
  const first = await step(stage, www, "on www");
  const app = await open(stage, "app");
  const second = await step(stage, app, "on app");

  assertEquals(second?.identity?.anonymousId, first?.identity?.anonymousId);
  assertEquals(second?.sessionId, first?.sessionId);
  assertEquals([await readSdkKeys(www), await readSdkKeys(app)], [[], []]);
  const cookies = (await stage.context.cookies()).sort((a, b) => b.expires - a.expires);
  assertEquals(
    cookies.map(({ name, domain, path, secure, sameSite }) => ({ name, domain, path, secure, sameSite })),
    ["vendor.sdk.visitor", "vendor.sdk.session"].map((name) => (
      { name, domain: ".shop.localhost", path: "/", secure: true, sameSite: "Lax" as const }
    )),
  );
  assertEquals(cookies[0]?.value, first?.identity?.anonymousId);
  const days = ((cookies[0]?.expires ?? 0) - Date.now() / 1000) / 86_400;
  assertEquals(Math.round(days), 390);
});

browserTest("cookies that were set for a part of the domain move to it, and a denial leaves none", async (stage) => {
  const before = await open(stage, "www", { domain: "www.shop.localhost" });
  const first = await step(stage, before, "for www");
  await before.close();

  const www = await open(stage, "www");
  const second = await step(stage, www, "for all");
  const domains = (await stage.context.cookies()).map(({ domain }) => domain);
  await www.evaluate(() => client.setConsent("denied"));

  assertEquals(second?.identity?.anonymousId, first?.identity?.anonymousId);
  assertEquals(domains, [".shop.localhost", ".shop.localhost"]);
  assertEquals(await stage.context.cookies(), []);
});

browserTest("a page that is pending touches no cookie, and counts what it may", async (stage) => {
  const before = script(() => {
    const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
    let touches = 0;
    Object.defineProperty(document, "cookie", {
      get() {
        touches++;
        return cookie?.get?.call(document);
      },
      set(text) {
        touches++;
        cookie?.set?.call(document, text);
      },
    });
    Object.defineProperty(globalThis, "touches", { get: () => touches });
  });
  const page = await open(stage, "www", { consent: "pending", before });
  const touches = (): Promise<number> => page.evaluate(() => Reflect.get(globalThis, "touches"));

  await stage.ingest.untilRequested(1);
  await quiet();
  assertEquals(await touches(), 0);

  await page.evaluate(() => client.setConsent("granted"));
  await step(stage, page, "granted");
  assertNotEquals(await touches(), 0);
});

browserTest(
  "a denial on one subdomain holds on the other at once, where the browser tells of cookies",
  async (stage) => {
    const www = await open(stage, "www");
    const app = await open(stage, "app");
    await step(stage, www, "on www");
    await step(stage, app, "on app");

    await www.evaluate(() => client.setConsent("denied"));
    await app.waitForFunction(() => client.getConsent() === "denied");

    assertEquals(await stage.context.cookies(), []);
    assertEquals(await step(stage, app, "too late"), undefined);
  },
);

browserTest("a denial on one subdomain holds on the other with its next event otherwise", async (stage) => {
  const www = await open(stage, "www");
  const app = await open(stage, "app", { before: WITHOUT_COOKIE_STORE });
  await step(stage, www, "on www");
  await step(stage, app, "on app");

  await www.evaluate(() => client.setConsent("denied"));
  await quiet();
  // Nothing tells the page: at most it looked by itself meanwhile, as when it's shown.
  assertEquals(await app.evaluate(() => Reflect.get(globalThis, "cookieStore")), undefined);

  assertEquals(await step(stage, app, "too late"), undefined);
  assertEquals(await consentOf(app), "denied");
  assertEquals(await stage.context.cookies(), []);
});

browserTest("who signs out on one subdomain is nobody's user on the other", async (stage) => {
  const www = await open(stage, "www");
  const app = await open(stage, "app");
  await app.evaluate(() => client.identify("u-1"));
  const before = await step(stage, app, "before");

  await www.evaluate(() => client.reset());
  const signedOut = await step(stage, www, "signed out");
  const after = await step(stage, app, "after");

  assertEquals(before?.identity?.userId, "u-1");
  assertNotEquals(signedOut?.identity?.anonymousId, before?.identity?.anonymousId);
  assertEquals(after?.identity, { userId: null, anonymousId: signedOut?.identity?.anonymousId ?? "" });
  assertEquals(after?.sessionId, signedOut?.sessionId);
});

browserTest("a public suffix gives a warning, and each subdomain its own visitor", async (stage) => {
  const www = await open(stage, "www", { domain: "localhost" });
  const first = await step(stage, www, "on www");
  await www.reload();
  const again = await step(stage, www, "again");
  const app = await open(stage, "app", { domain: "localhost" });
  const second = await step(stage, app, "on app");

  assertEquals(again?.identity?.anonymousId, first?.identity?.anonymousId);
  assertNotEquals(second?.identity?.anonymousId, first?.identity?.anonymousId);
  assertEquals(await stage.context.cookies(), []);
  assertEquals((await readSdkKeys(www)).sort(), ["vendor.sdk.session", "vendor.sdk.visitor"]);
  assertEquals(new Set(stage.messages), new Set(["[Vendor] no cookies: the browser sets none for localhost"]));
});
