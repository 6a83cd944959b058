import { assertEquals } from "@std/assert";
import { SDK_VERSION } from "../../src/client/base/version.ts";
import { at, only, startVisit } from "../support/visit.ts";

const AGGREGATE = { trackPageviews: "auto", consent: "pending" } as const;

Deno.test("SPEC 2.5 pageUrl: full URL for consented events", async () => {
  const { client, accepted } = startVisit({}, { url: "https://shop.example/teas?sort=price#green" });

  client.step("a");

  assertEquals(only(await accepted()).context?.pageUrl, "https://shop.example/teas?sort=price#green");
});

Deno.test("SPEC 2.5 pageUrl: origin plus pathname only for aggregate pageviews", async () => {
  const { accepted } = startVisit(AGGREGATE, { url: "https://shop.example:8443/teas/?sort=price#green" });

  assertEquals(only(await accepted()).context?.pageUrl, "https://shop.example:8443/teas/");
});

Deno.test("SPEC 2.5 referrer: the document referrer for the first pageview", async () => {
  const { accepted } = startVisit({ trackPageviews: true }, { referrer: "https://search.example/?q=tea" });

  assertEquals(only(await accepted()).context?.referrer, "https://search.example/?q=tea");
});

Deno.test("SPEC 2.5 referrer: the previous pageview's URL for later pageviews", async () => {
  const { page, accepted } = startVisit({ trackPageviews: true }, {
    referrer: "https://search.example/?q=tea",
  });

  page.pushState("/cart?step=1");
  page.pushState("/thanks");

  assertEquals((await accepted()).map(({ context }) => context?.referrer), [
    "https://search.example/?q=tea",
    "https://shop.example/teas",
    "https://shop.example/cart?step=1",
  ]);
});

Deno.test("SPEC 2.5 referrer: restricted to the origin for aggregate pageviews", async () => {
  const { page, accepted } = startVisit(AGGREGATE, { referrer: "https://search.example/find?q=tea#top" });

  page.pushState("/cart");

  assertEquals((await accepted()).map(({ context }) => context?.referrer), [
    "https://search.example",
    "https://shop.example",
  ]);
});

Deno.test("SPEC 2.5 referrer: absent when empty", async () => {
  const { accepted } = startVisit({ trackPageviews: true }, { referrer: "" });

  const { context } = only(await accepted());

  assertEquals(Object.hasOwn(context ?? {}, "referrer"), false);
});

Deno.test("SPEC 2.5 referrer: absent when empty in aggregate pageviews", async () => {
  const { accepted } = startVisit(AGGREGATE, { referrer: "" });

  const { context } = only(await accepted());

  assertEquals(Object.hasOwn(context ?? {}, "referrer"), false);
});

Deno.test("SPEC 2.5 pageTitle: the document's title", async () => {
  const { client, accepted } = startVisit({}, { title: "Teas" });

  client.step("a");

  assertEquals(only(await accepted()).context?.pageTitle, "Teas");
});

Deno.test("SPEC 2.5 pageTitle: optional, absent when the document has none", async () => {
  const { client, accepted } = startVisit({}, { title: "" });

  client.step("a");

  assertEquals(Object.hasOwn(only(await accepted()).context ?? {}, "pageTitle"), false);
});

Deno.test("SPEC 2.5 screenWidth and screenHeight: numbers, in CSS pixels", async () => {
  const { client, accepted } = startVisit({}, { screen: { width: 390.5, height: 844 } });

  client.step("a");

  const { screenWidth, screenHeight } = only(await accepted()).context ?? {};
  assertEquals([screenWidth, screenHeight], [390.5, 844]);
});

Deno.test("SPEC 2.5 and 2.6 EventContext: captured when the event is tracked", async () => {
  const { client, page, accepted } = startVisit({}, { title: "Teas" });

  client.step("a");
  page.pushState("/cart");
  page.setTitle("Cart");
  client.step("b");

  const events = await accepted();
  assertEquals(events.map(({ context }) => [context?.pageUrl, context?.pageTitle]), [
    ["https://shop.example/teas", "Teas"],
    ["https://shop.example/cart", "Cart"],
  ]);
});

Deno.test("SPEC 2.5 EventContext: holds nothing but the seven fields", async () => {
  const { client, accepted } = startVisit({}, { title: "Teas", referrer: "https://search.example/" });

  client.step("a");

  assertEquals(Object.keys(only(await accepted()).context ?? {}).sort(), [
    "pageTitle",
    "pageUrl",
    "referrer",
    "screenHeight",
    "screenWidth",
    "sdkName",
    "sdkVersion",
  ]);
});

Deno.test("SPEC 2.5 EventContext: of an aggregate pageview holds no title and no screen", async () => {
  const { accepted } = startVisit(AGGREGATE, { title: "Teas", referrer: "https://search.example/" });

  assertEquals(only(await accepted()).context, {
    sdkName: "@vendor/sdk",
    sdkVersion: SDK_VERSION,
    pageUrl: "https://shop.example/teas",
    referrer: "https://search.example",
  });
});

Deno.test("SPEC 2.5 EventContext: after consent the full URL is captured again", async () => {
  const { client, accepted } = startVisit(AGGREGATE, { url: "https://shop.example/teas?sort=price" });
  await accepted();

  client.setConsent("granted");
  client.step("a");

  assertEquals(at(await accepted(), -1).context?.pageUrl, "https://shop.example/teas?sort=price");
});
