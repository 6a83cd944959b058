import { assertEquals } from "@std/assert";
import { at, namesOf, only, startVisit, urlsOf } from "./support/visit.ts";

const AUTO_PENDING = { trackPageviews: "auto", consent: "pending" } as const;

Deno.test("setConsent() with the same state does nothing", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });
  client.identify("user-1");
  client.step("a");
  const before = page.touched;

  client.setConsent("granted");

  assertEquals(page.touched, before);
  await browser.advance(5000);
  assertEquals(namesOf(page.events), ["$pageview", "a"]);
  client.close();
});

Deno.test("pending -> granted makes identifiers where there are none", async () => {
  const { browser, client, accepted } = startVisit({ consent: "pending" });
  client.step("lost");
  const before = browser.storage.size;

  client.setConsent("granted");
  client.step("a");

  const { identity, sessionId } = only(await accepted());
  const stored = [...browser.storage.values()].join(" ");
  assertEquals([before, stored.includes(identity?.anonymousId ?? "?"), stored.includes(sessionId ?? "?")], [
    0,
    true,
    true,
  ]);
  client.close();
});

Deno.test("pending -> granted reads identifiers of earlier visits", async () => {
  const first = startVisit();
  first.client.step("a");
  const a = only(await first.accepted());
  first.page.close();
  const second = startVisit({ consent: "pending" }, { browser: first.browser });

  second.client.setConsent("granted");
  second.client.step("b");

  const b = only(await second.accepted());
  assertEquals([b.identity?.anonymousId, b.sessionId], [a.identity?.anonymousId, a.sessionId]);
  second.client.close();
});

Deno.test("pending -> granted applies the last identify()", async () => {
  const { client, accepted } = startVisit({ consent: "pending" });
  client.identify("user-1", { plan: "pro" });
  client.identify("user-2", { plan: "free" });

  client.setConsent("granted");
  client.step("a");

  const { identity } = only(await accepted());
  assertEquals([identity?.userId, identity?.traits], ["user-2", { plan: "free" }]);
  client.close();
});

Deno.test("pending -> granted with true records the current page, since it wasn't yet", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: true, consent: "pending" });
  page.pushState("/cart");

  client.setConsent("granted");
  client.step("a");

  const events = await accepted();
  assertEquals(namesOf(events), ["$pageview", "a"]);
  assertEquals(urlsOf(events), ["https://shop.example/cart", "https://shop.example/cart"]);
  client.close();
});

Deno.test("pending -> granted with auto drops an aggregate that was never sent, the page is recorded in full", async () => {
  const { browser, page, client, accepted } = startVisit(AUTO_PENDING, {
    url: "https://shop.example/teas?sort=price",
    referrer: "https://search.example/?q=tea",
  });
  await browser.advance(1000);

  client.setConsent("granted");

  const { name, context, timestamp, identity } = only(await accepted());
  assertEquals([name, !!identity, timestamp], ["$pageview", true, "2026-01-01T00:00:01.000Z"]);
  assertEquals([context?.pageUrl, context?.referrer], [
    "https://shop.example/teas?sort=price",
    "https://search.example/?q=tea",
  ]);
  assertEquals(page.requests.length, 1);
  client.close();
});

Deno.test("pending -> granted in the task of init() records one full pageview", async () => {
  const { page, client, accepted } = startVisit(AUTO_PENDING);

  client.setConsent("granted");

  assertEquals((await accepted()).map(({ identity }) => !!identity), [true]);
  assertEquals(page.requests.length, 1);
  client.close();
});

Deno.test("pending -> granted with auto leaves an aggregate that was handed over, the page isn't counted again", async () => {
  const { browser, page, client, accepted } = startVisit(AUTO_PENDING);
  browser.respond("hang");
  client.flush();
  await browser.settle();

  client.setConsent("granted");
  at(page.requests, 0).answer({ status: 202 });
  browser.respond({ status: 202 });

  assertEquals((await accepted()).map(({ identity }) => !!identity), [false]);
  client.close();
});

Deno.test("pending -> granted with auto leaves an aggregate that failed, it's tried again as it is", async () => {
  const { browser, page, client } = startVisit(AUTO_PENDING);
  browser.respond({ status: 503 });
  await browser.advance(5000);

  client.setConsent("granted");
  browser.respond({ status: 202 });
  await browser.advance(60_000);

  assertEquals(page.events.map(({ identity }) => !!identity), [false]);
  assertEquals(new Set(page.requests.map(({ body }) => body.batchId)).size, 1);
  client.close();
});

Deno.test("pending -> granted sends aggregates of earlier pages as such", async () => {
  const { browser, page, client, accepted } = startVisit(AUTO_PENDING, { url: "https://shop.example/teas?a=1" });
  await browser.settle();
  page.pushState("/cart?b=2");
  await browser.settle();

  client.setConsent("granted");

  const events = await accepted();
  assertEquals(events.map(({ identity }) => !!identity), [false, true]);
  assertEquals(urlsOf(events), ["https://shop.example/teas", "https://shop.example/cart?b=2"]);
  client.close();
});

Deno.test("pending -> granted with 'auto': an aggregate behind one that the ingest fails at becomes full", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" });
  browser.respond({ status: 500 });
  while (page.requests.length < 4) await browser.advance(100);
  page.pushState("/b");
  while (page.requests.length < 5) await browser.advance(100); // from its fifth 500 on, the first batch lets others go first

  browser.respond({ status: 202 });
  client.setConsent("granted");
  client.flush();
  await browser.advance(60_000);

  const views = page.requests.filter(({ body }) => body.events.some(({ context }) => context?.pageUrl?.endsWith("/b")));
  assertEquals(views.map(({ body }) => "collection" in body), [false]);
  client.close();
});

Deno.test("pending -> granted with auto: an aggregate is dropped after a redirect back to its page, too", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" });
  await browser.advance(100);
  page.pushState("/members");
  page.replaceState("/teas");
  await browser.advance(100);

  client.setConsent("granted");
  await browser.advance(10_000);

  assertEquals(page.requests.map(({ body }) => "collection" in body), [false]);
  client.close();
});
