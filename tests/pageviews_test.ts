import { assertEquals } from "@std/assert";
import { at, namesOf, onHide, only, startVisit, urlsOf, type Visit } from "./support/visit.ts";

const AUTO_PENDING = { trackPageviews: "auto", consent: "pending" } as const;

Deno.test("pageviews: a replaceState in the task of a pushState makes the two one, with the last URL", async () => {
  const { page, accepted, client } = await startSettled();

  page.pushState("/account");
  page.replaceState("/login");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/login"]);
  assertEquals(at(page.events, 1).context?.referrer, "https://shop.example/teas");
  client.close();
});

Deno.test("pageviews: several replaceStates in the task of a pushState make one view", async () => {
  const { page, accepted, client } = await startSettled();

  page.pushState("/account");
  page.replaceState("/login");
  page.replaceState("/login?next=account");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/login?next=account"]);
  client.close();
});

Deno.test("pageviews: a redirect in one task is one aggregate too", async () => {
  const { page, accepted, client } = await startSettled(AUTO_PENDING);

  page.pushState("/account");
  page.replaceState("/login?next=account");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/login"]);
  client.close();
});

Deno.test("pageviews: a redirect back to the page it came from is no view", async () => {
  const { page, accepted, client } = await startSettled();

  page.pushState("/account");
  page.replaceState("/teas");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas"]);
  client.close();
});

Deno.test("pageviews: after a redirect back the next view has the right referrer", async () => {
  const { browser, page, accepted, client } = await startSettled();
  page.pushState("/account");
  page.replaceState("/teas");
  await browser.settle();

  page.pushState("/cart");

  assertEquals((await accepted()).map(({ context }) => context?.referrer), [undefined, "https://shop.example/teas"]);
  client.close();
});

Deno.test("pageviews: a replaceState one task after the pushState is a view of its own", async () => {
  const { browser, page, accepted, client } = await startSettled();

  page.pushState("/account");
  await browser.settle();
  page.replaceState("/login");

  assertEquals(urlsOf(await accepted()).slice(1), ["https://shop.example/account", "https://shop.example/login"]);
  client.close();
});

Deno.test("pageviews: two pushStates in one task are two views", async () => {
  const { page, accepted, client } = await startSettled();

  page.pushState("/one");
  page.pushState("/two");

  assertEquals(urlsOf(await accepted()).slice(1), ["https://shop.example/one", "https://shop.example/two"]);
  client.close();
});

Deno.test("pageviews: the initial load is recorded by itself, whatever follows in its task", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: true });

  page.replaceState("/teas?page=1");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/teas?page=1"]);
  client.close();
});

Deno.test("pageviews: a call that leaves the URL as it was is no navigation", async () => {
  const { browser, page, accepted, client } = await startSettled();

  page.replaceState("/teas");
  await browser.settle();
  page.pushState("/teas");
  await browser.settle();
  page.back();

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas"]);
  client.close();
});

Deno.test("pageviews: a replaceState, then a pushState to the same URL, as Vue Router does, is one view", async () => {
  const { page, accepted, client } = await startSettled();

  page.replaceState("/teas");
  page.pushState("/cart");
  page.replaceState("/cart");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/cart"]);
  client.close();
});

Deno.test("pageviews: going back is a view", async () => {
  const { browser, page, accepted, client } = await startSettled();
  page.pushState("/cart");
  await browser.settle();

  page.back();
  await browser.settle();
  page.forward();

  assertEquals(urlsOf(await accepted()).slice(1), [
    "https://shop.example/cart",
    "https://shop.example/teas",
    "https://shop.example/cart",
  ]);
  client.close();
});

Deno.test("pageviews: the full form counts a change of the fragment, the aggregate form none", async () => {
  const full = await startSettled();
  const aggregate = await startSettled(AUTO_PENDING);

  full.page.goToFragment("#reviews");
  aggregate.page.goToFragment("#reviews");

  assertEquals([(await full.accepted()).length, (await aggregate.accepted()).length], [2, 1]);
  full.client.close();
  aggregate.client.close();
});

Deno.test("pageviews: an aggregate pushState back to the path it came from is no view", async () => {
  const { page, accepted, client } = await startSettled(AUTO_PENDING);

  page.pushState("/account");
  page.replaceState("/teas?denied=1");

  assertEquals((await accepted()).length, 1);
  client.close();
});

Deno.test("pageviews: id, URL, referrer, timestamp, identity and session are fixed at the navigation", async () => {
  const { browser, page, accepted, client } = await startSettled();
  client.identify("user-1");
  await browser.advance(1000);

  page.pushState("/cart");
  browser.setNow(browser.now() + 500);
  client.identify("user-2");

  const { timestamp, identity, context } = at(await accepted(), 1);
  assertEquals([timestamp, identity?.userId, context?.pageUrl], [
    "2026-01-01T00:00:01.000Z",
    "user-1",
    "https://shop.example/cart",
  ]);
  client.close();
});

Deno.test("pageviews: after reset() the open view keeps its visitor and session", async () => {
  const { page, accepted, client } = await startSettled();

  page.pushState("/cart");
  client.reset();
  client.step("a");

  const [load, cart, a] = await accepted();
  assertEquals([cart?.identity?.anonymousId, cart?.sessionId], [load?.identity?.anonymousId, load?.sessionId]);
  assertEquals(cart?.sessionId === a?.sessionId, false);
  client.close();
});

Deno.test("pageviews: order is kept, a view comes before the step after it", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: true });

  client.step("a");
  page.pushState("/cart");
  client.step("b");

  assertEquals(namesOf(await accepted()), ["$pageview", "a", "$pageview", "b"]);
  client.close();
});

Deno.test("page() records a full pageview each time", async () => {
  const { accepted, client } = startVisit();

  client.page();
  client.page();

  assertEquals(namesOf(await accepted()), ["$pageview", "$pageview"]);
  client.close();
});

Deno.test("page() becomes an automatic view of the same navigation that isn't settled yet", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: true });

  client.page();
  page.pushState("/cart");
  client.page();

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/cart"]);
  client.close();
});

Deno.test("page() is a view of its own once the automatic one is settled", async () => {
  const { browser, page, accepted, client } = await startSettled();

  page.pushState("/cart");
  page.setTitle("Cart");
  await browser.settle();
  client.page();

  assertEquals(urlsOf(await accepted()).slice(1), ["https://shop.example/cart", "https://shop.example/cart"]);
  client.close();
});

Deno.test("page() is ignored while pending, with auto too, and while denied", async () => {
  const pending = startVisit({ consent: "pending" });
  const auto = startVisit(AUTO_PENDING);
  const denied = startVisit({ consent: "denied" });

  for (const { client } of [pending, auto, denied]) client.page();

  assertEquals(await pending.accepted(), []);
  assertEquals(only(await auto.accepted()).identity, undefined);
  assertEquals(await denied.accepted(), []);
  for (const { client } of [pending, auto, denied]) client.close();
});

/** Opens a page whose load is recorded. */
async function startSettled(config: Parameters<typeof startVisit>[0] = { trackPageviews: true }): Promise<Visit> {
  const visit = startVisit(config);
  await visit.browser.settle();
  return visit;
}

Deno.test("page() that becomes an automatic view keeps its referrer and its time", async () => {
  const { browser, accepted, client } = startVisit({ trackPageviews: true }, { referrer: "https://search.example/" });
  const startedMs = browser.now();
  browser.setNow(startedMs + 40);

  client.page();

  const { timestamp, context } = only(await accepted());
  assertEquals([Date.parse(timestamp), context?.referrer], [startedMs, "https://search.example/"]);
  client.close();
});

Deno.test("pageviews: two replaceStates in one task are two views", async () => {
  const { page, accepted, client } = await startSettled();

  page.replaceState("/a");
  page.replaceState("/b");

  assertEquals(urlsOf(await accepted()).slice(1), ["https://shop.example/a", "https://shop.example/b"]);
  client.close();
});

Deno.test("pageviews: going back and a replaceState in one task are two views", async () => {
  const { browser, page, accepted, client } = await startSettled();
  page.pushState("/a");
  await browser.settle();

  page.back();
  page.replaceState("/b");

  assertEquals(urlsOf(await accepted()).slice(2), ["https://shop.example/teas", "https://shop.example/b"]);
  client.close();
});

Deno.test("pageviews: what a page's own handler navigates to as it's frozen is a view, and the restore another", async () => {
  const { browser, page, accepted, client } = await startSettled();
  let hides = 0;
  onHide(page, () => {
    if (++hides === 2) page.pushState("/left");
  });

  page.freeze();
  page.restore();
  await browser.settle();

  assertEquals(urlsOf(await accepted()).slice(1), ["https://shop.example/left", "https://shop.example/left"]);
  client.close();
});
