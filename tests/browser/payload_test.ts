import { assert, assertEquals, assertMatch } from "@std/assert";
import manifest from "../../deno.json" with { type: "json" };
import type { EventRequestPayload } from "../../mod.ts";
import { createBrowserTest } from "./harness.ts";
import { script } from "./html.ts";
import { KEY, type ReceivedRequest } from "./ingest_server.ts";

const browserTest = createBrowserTest();

const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a browser adds to any cross-origin POST, and no page can leave out. */
const BROWSER_HEADERS =
  /^(accept|accept-encoding|accept-language|cache-control|connection|content-length|host|origin|pragma|user-agent|sec-.*)$/;

/** Headers that the SDK is responsible for. */
function ownHeaders({ headers }: ReceivedRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !BROWSER_HEADERS.test(name)));
}

const OWN_HEADERS = {
  "content-type": "application/json",
  "x-api-key": KEY,
  "x-vendor-sdk-version": manifest.version,
};

browserTest("Vendor.step() sends the request of SPEC 2.7 and 4.1", async (stage) => {
  stage.site.serve("/cart", { title: "Cart", after: stage.init() });
  const page = await stage.open("/cart?step=2#pay");
  const startMs = Date.now();

  const screen = await page.evaluate(() => {
    document.cookie = "seen=1";
    Vendor.identify("u-1", { plan: "pro" });
    Vendor.step("Checkout started", { total: 12.5, items: [{ sku: "s-1" }] });
    return { screenWidth: window.screen.width, screenHeight: window.screen.height };
  });

  const [request] = await stage.ingest.untilRequested(1);
  assert(request);
  const body = request.body as EventRequestPayload;
  const [event] = body.events;
  const identity = { userId: "u-1", anonymousId: body.identity.anonymousId, traits: { plan: "pro" } };
  const context = {
    sdkName: "@vendor/sdk",
    sdkVersion: request.headers["x-vendor-sdk-version"],
    pageUrl: `${stage.site.origin}/cart?step=2#pay`,
    pageTitle: "Cart",
    ...screen,
  };
  const { id, timestamp } = event ?? {};
  assertEquals(body as unknown, {
    type: "event",
    batchId: body.batchId,
    sessionId: body.sessionId,
    identity,
    events: [{
      id,
      name: "Checkout started",
      properties: { total: 12.5, items: [{ sku: "s-1" }] },
      timestamp,
      sessionId: body.sessionId,
      identity,
      context,
    }],
    sentAt: body.sentAt,
    context,
  });
  assertEquals(ownHeaders(request), OWN_HEADERS);
  assertEquals(request.target, "/v1/events");
  assertEquals(request.headers.origin, stage.site.origin);
  for (const uuid of [id, body.batchId, body.sessionId, identity.anonymousId]) assertMatch(uuid ?? "", UUID_V4);
  assertEquals(new Set([id, body.batchId, body.sessionId, identity.anonymousId]).size, 4);
  for (const time of [timestamp, body.sentAt]) assertMatch(time ?? "", ISO_UTC);
  assert(Date.parse(timestamp ?? "") >= startMs && Date.parse(timestamp ?? "") <= Date.parse(body.sentAt));
  assertEquals(request.text.includes(KEY), false);
});

browserTest("aggregate pageviews are the request of SPEC 2.8", async (stage) => {
  stage.otherSite.serve("/search", { scripts: [] }, { "Referrer-Policy": "unsafe-url" });
  stage.site.serve("/cart", {
    title: "Cart",
    after: stage.init({ trackPageviews: "auto", consent: "pending" }) +
      script(() => Vendor.identify("u-1", { plan: "pro" })),
  });
  const page = await stage.context.newPage();
  await page.goto(`${stage.otherSite.origin}/search?q=secret`);

  await page.evaluate((url) => location.assign(url), `${stage.site.origin}/cart?step=2#pay`);

  const [request] = await stage.ingest.untilRequested(1);
  assert(request);
  const { batchId, sentAt, events: [event] } = request.body;
  assertEquals(request.body as unknown, {
    type: "event",
    collection: "aggregate",
    batchId,
    events: [{
      id: event?.id,
      name: "$pageview",
      timestamp: event?.timestamp,
      context: {
        sdkName: "@vendor/sdk",
        sdkVersion: manifest.version,
        pageUrl: `${stage.site.origin}/cart`,
        referrer: stage.otherSite.origin,
      },
    }],
    sentAt,
  });
  assertEquals(ownHeaders(request), OWN_HEADERS);
  assertMatch(batchId, UUID_V4);
  assertMatch(event?.id ?? "", UUID_V4);
  assertMatch(event?.timestamp ?? "", ISO_UTC);
  assertMatch(sentAt, ISO_UTC);
});

browserTest("one preflight without the key admits the requests of a visit", async (stage) => {
  stage.site.serve("/", { after: stage.init() });
  const page = await stage.open("/");

  await page.evaluate(() => Vendor.step("first"));
  await stage.ingest.untilStored(1);
  await page.evaluate(() => Vendor.step("second"));
  await stage.ingest.untilStored(2);

  assertEquals(stage.ingest.preflights.length, 1);
  const [preflight] = stage.ingest.preflights;
  assertEquals(preflight?.["access-control-request-headers"], "content-type,x-api-key,x-vendor-sdk-version");
  assertEquals(JSON.stringify(stage.ingest.preflights).includes(KEY), false);
  assertEquals(stage.ingest.requests.length, 2);
});

browserTest("events arrive from a page whose wrapper of fetch() adds credentials", async (stage) => {
  const before = script(() => {
    const send = window.fetch;
    window.fetch = (input, options) => send(input, { ...options, credentials: "include" });
  });
  stage.site.serve("/", { before, after: stage.init() });
  const page = await stage.open("/");

  await page.evaluate(() => {
    Vendor.step("first");
    return Vendor.flush();
  });

  await stage.ingest.untilStored(1);
  assertEquals(stage.ingest.requests.length, 1);
});

browserTest("an endpoint on the site's own origin gets neither cookie nor Referer", async (stage) => {
  const setCookie = { "Set-Cookie": "login=secret; HttpOnly" };
  stage.site.serve("/", { after: stage.init({ endpoint: `${stage.site.origin}/v1/events` }) }, setCookie);
  stage.site.handle("/v1/events", stage.ingest.handle);
  stage.site.handle("/echo", ({ headers }) => new Response(headers.get("cookie")));
  const page = await stage.open("/?private=1");
  const cookieOfOthers = await page.evaluate(() => fetch("/echo").then((answer) => answer.text()));

  await page.evaluate(() => Vendor.step("same origin"));

  await stage.ingest.untilStored(1);
  assertEquals(cookieOfOthers, "login=secret");
  assertEquals(stage.ingest.requests.map(ownHeaders), [OWN_HEADERS]);
});

browserTest("the ES module works where the script does, and importing it does nothing", async (stage) => {
  stage.site.serve("/", { scripts: [] });
  const page = await stage.open("/");

  const before = await page.evaluate(async (url) => {
    const sdk: { Vendor: typeof Vendor } = await import(url);
    globalThis.Vendor = sdk.Vendor;
    return {
      names: Object.keys(sdk),
      keys: Object.keys(localStorage),
      isWrapped: !/native/.test(`${history.pushState}`),
    };
  }, `${stage.site.origin}/sdk.mjs`);
  await page.evaluate((config) => {
    Vendor.init(config);
    Vendor.step("from a module");
  }, { apiKey: KEY, endpoint: stage.ingest.endpoint, flushInterval: 0 });

  const [event] = await stage.ingest.untilStored(1);
  assertEquals(before, { names: ["Vendor"], keys: [], isWrapped: false });
  assertEquals(event?.name, "from a module");
});

browserTest("10,000 steps of one task all arrive in order, at most 100 to a request", async (stage) => {
  stage.site.serve("/", { after: stage.init({ maxBatchSize: 100 }) });
  const page = await stage.open("/");

  await page.evaluate(() => {
    for (let index = 0; index < 10_000; index++) Vendor.step(`step ${index}`);
  });

  const events = await stage.ingest.untilStored(10_000);
  assertEquals(events.map(({ name }) => name), Array.from({ length: 10_000 }, (_, index) => `step ${index}`));
  assert(stage.ingest.requests.every(({ body }) => body.events.length <= 100));
  assert(stage.ingest.requests.every(({ text }) => new TextEncoder().encode(text).length <= 60_000));
  assertEquals(new Set(stage.ingest.requests.map(({ body }) => body.batchId)).size, stage.ingest.requests.length);
});
