import { assertEquals } from "@std/assert";
import { createBrowserEnvironment } from "../../src/client/platform/browser.ts";
import { createClient } from "../../src/client/mod.ts";
import { SDK_VERSION } from "../../src/client/base/version.ts";
import { only, startVisit } from "../support/visit.ts";
import { Window } from "happy-dom";

Deno.test("SPEC 2.1, 4.1 and 9 rule 1 address: default is the service's ingest address with path /v1/events", async () => {
  const { client, page, accepted } = startVisit();

  client.step("a");
  await accepted();

  assertEquals(only(page.requests).url, "https://ingest.vendor.example/v1/events");
});

Deno.test("SPEC 4.1 method: an HTTP request with a body, POST", async () => {
  const window = new Window({ url: "https://shop.example/" });
  const sent: Request[] = [];
  Reflect.set(window, "fetch", (url: string, init: RequestInit) => {
    sent.push(new Request(url, init));
    return Promise.resolve(new Response(null, { status: 202 }));
  });
  const client = createClient({ apiKey: "pk_test" }, createBrowserEnvironment(window));

  client.step("a");
  await client.flush();

  const request = only(sent);
  assertEquals([request.method, request.url], ["POST", "https://ingest.vendor.example/v1/events"]);
  assertEquals((await request.json()).events.length, 1);
  client.close();
  await window.happyDOM.close();
});

Deno.test("SPEC 4.1 request headers: of full analytics", async () => {
  const { client, page, accepted } = startVisit({ apiKey: "pk_live_1" });

  client.step("a");
  await accepted();

  assertEquals(only(page.requests).headers, {
    "Content-Type": "application/json",
    "X-API-Key": "pk_live_1",
    "X-Vendor-SDK-Version": SDK_VERSION,
  });
});

Deno.test("SPEC 4.1 request headers: of aggregate pageviews", async () => {
  const { page, accepted } = startVisit({ apiKey: "pk_1", trackPageviews: "auto", consent: "pending" });

  await accepted();

  assertEquals(only(page.requests).headers, {
    "Content-Type": "application/json",
    "X-API-Key": "pk_1",
    "X-Vendor-SDK-Version": SDK_VERSION,
  });
});

Deno.test("SPEC 4.1 request body: full and aggregate events never share one", async () => {
  const { client, page, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" });
  page.pushState("/cart");

  client.setConsent("granted");
  client.step("a");
  await accepted();

  const kinds = page.requests.map((
    { body },
  ) => ["collection" in body, body.events.map((event) => "identity" in event)]);
  assertEquals(kinds, [[true, [false]], [false, [true, true]]]);
});

Deno.test("SPEC 4.1 flush triggers: the timer (flushInterval)", async () => {
  const { browser, client, page } = startVisit({ flushInterval: 300 });

  client.step("a");
  await browser.advance(299);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.length], [0, 1]);
});

Deno.test("SPEC 4.1 flush triggers: the queue reaching maxBatchSize", async () => {
  const { browser, client, page } = startVisit({ maxBatchSize: 2 });

  client.step("a");
  await browser.settle();
  const before = page.requests.length;
  client.step("b");
  await browser.settle();

  assertEquals([before, page.requests.length], [0, 1]);
});

Deno.test("SPEC 4.1 flush triggers: page hide", () => {
  const { client, page } = startVisit();

  client.step("a");
  const before = page.requests.length;
  page.hide();

  assertEquals([before, page.requests.length], [0, 1]);
});

Deno.test("SPEC 4.1 flush triggers: page hide as the page is left", () => {
  const { browser, client, page } = startVisit();

  client.step("a");
  page.close();

  assertEquals([page.requests.length, browser.requests.length], [1, 1]);
});
