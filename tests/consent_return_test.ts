import { assertEquals } from "@std/assert";
import { at, namesOf, startVisit, urlsOf } from "./support/visit.ts";

const AUTO_PENDING = { trackPageviews: "auto", consent: "pending" } as const;

Deno.test("denied -> granted with true records the current page if it wasn't", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: true, consent: "denied" });
  page.pushState("/cart");

  client.setConsent("granted");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/cart"]);
  client.close();
});

Deno.test("denied -> granted doesn't record a page again that was recorded and discarded", async () => {
  const { browser, client, accepted } = startVisit({ trackPageviews: "auto" });
  await browser.settle();

  client.setConsent("denied");
  client.setConsent("granted");

  assertEquals(await accepted(), []);
  client.close();
});

Deno.test("denied -> granted records the page that was navigated to while denied", async () => {
  const { browser, page, client, accepted } = startVisit({ trackPageviews: true });
  await browser.settle();
  client.setConsent("denied");
  page.pushState("/cart?step=1");

  client.setConsent("granted");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/cart?step=1"]);
  client.close();
});

Deno.test("denied -> pending with auto records the current page as an aggregate if it wasn't", async () => {
  const { client, accepted } = startVisit({ trackPageviews: "auto", consent: "denied" });

  client.setConsent("pending");

  assertEquals((await accepted()).map(({ name, identity }) => [name, identity]), [["$pageview", undefined]]);
  client.close();
});

Deno.test("denied -> pending doesn't record a page again that was recorded", async () => {
  const { browser, client, accepted } = startVisit({ trackPageviews: "auto" });
  await browser.settle();
  client.setConsent("denied");

  client.setConsent("pending");

  assertEquals(await accepted(), []);
  client.close();
});

Deno.test("denied -> pending with true records nothing", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: true, consent: "denied" });

  client.setConsent("pending");
  page.pushState("/cart");

  assertEquals(await accepted(), []);
  client.close();
});

Deno.test("denied -> pending -> granted forgets who was identified before", async () => {
  const { client, accepted } = startVisit();
  client.identify("user-1");
  client.setConsent("denied");

  client.setConsent("pending");
  client.setConsent("granted");
  client.step("a");

  assertEquals(at(await accepted(), 0).identity?.userId, null);
  client.close();
});

Deno.test("granted -> pending makes one drain as at page hide, the open pageview included", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });
  client.step("a");
  page.pushState("/cart");

  client.setConsent("pending");
  const atOnce = page.requests.length;
  await browser.advance(60_000);

  assertEquals([atOnce, page.requests.length], [1, 1]);
  assertEquals(namesOf(page.events), ["$pageview", "a", "$pageview"]);
  client.close();
});

Deno.test("granted -> pending makes no retry of full events", async () => {
  const { browser, page, client } = startVisit();
  client.step("a");
  browser.respond({ status: 503 });

  client.setConsent("pending");
  await browser.advance(600_000);

  assertEquals(page.requests.length, 1);
  client.close();
});

Deno.test("granted -> pending sends no more than one drain takes while pending", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  for (let i = 0; i < 30; i++) client.step("a");

  client.setConsent("pending");
  const atOnce = page.requests.length;
  const leaving = page.requests.filter(({ state }) => state === "pending");
  browser.respond({ status: 202 });
  for (const request of leaving) request.answer({ status: 202 });
  await browser.advance(600_000);

  assertEquals([leaving.length, page.requests.length - atOnce], [8, 0]);
  client.close();
});

Deno.test("granted -> pending stops full collection, no storage is touched any more", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });
  await browser.settle();
  client.setConsent("pending");
  await browser.settle(); // the drain is acknowledged, and its key removed
  const before = page.touched;

  client.step("a");
  client.identify("user-1");
  client.reset();
  client.page();
  page.pushState("/cart");
  await browser.advance(60_000);

  const { storage, title, screen, url } = page.touched;
  assertEquals({ storage, title, screen, url }, {
    storage: before.storage,
    title: before.title,
    screen: before.screen,
    url: before.url,
  });
  client.close();
});

Deno.test("granted -> pending: a batch that is too large to leave touches no storage when the page is hidden", async () => {
  const { browser, page, client } = startVisit({}, { url: `https://shop.example/?${"q".repeat(7500)}` });
  client.identify("user-1", { text: "x".repeat(8000) });
  client.step("small");
  await browser.advance(5000);
  browser.respond("hang");
  client.step("large", { text: "x".repeat(32_000) });
  await browser.advance(1000);
  browser.fillStorage(); // so that the count of its errors can't be saved
  at(page.requests, -1).answer({ status: 500 });
  await browser.advance(5000);
  client.setConsent("pending");
  const before = page.touched.storage;
  const sent = page.requests.length;

  page.hide();

  assertEquals([page.requests.length, at(page.requests, -1).keepalive], [sent + 1, false]);
  assertEquals(page.touched.storage, before);
  client.close();
});

Deno.test("granted -> pending with auto counts from the next navigation", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: "auto" });
  await accepted();

  client.setConsent("pending");
  page.pushState("/cart?step=1");

  const events = await accepted();
  assertEquals(events.map(({ identity }) => !!identity), [true, false]);
  assertEquals(urlsOf(events), ["https://shop.example/teas", "https://shop.example/cart"]);
  client.close();
});

Deno.test("granted -> pending forgets query and fragment: a change of those is no navigation", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: "auto" }, { url: "https://shop.example/teas?a=1#b" });
  await accepted();

  client.setConsent("pending");
  page.pushState("?a=2");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas?a=1#b"]);
  client.close();
});

Deno.test("granted -> pending -> granted: the referrer is the URL as it may be held while pending", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: "auto" }, { url: "https://shop.example/teas?a=1#b" });
  await accepted();

  client.setConsent("pending");
  client.setConsent("granted");
  page.pushState("/cart");

  assertEquals(at(await accepted(), 1).context?.referrer, "https://shop.example/teas");
  client.close();
});

Deno.test("granted -> pending keeps the user in memory, unused until granted", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: "auto" });
  client.identify("user-1", { plan: "pro" });
  client.step("a");
  const anonymousId = at(await accepted(), -1).identity?.anonymousId;

  client.setConsent("pending");
  page.pushState("/cart");
  await accepted();
  client.setConsent("granted");
  client.step("b");

  const events = await accepted();
  assertEquals<unknown>(at(events, -1).identity, { userId: "user-1", traits: { plan: "pro" }, anonymousId });
  assertEquals(events.filter(({ identity }) => !identity).length, 1);
  client.close();
});

Deno.test("denied at init() erases and sends nothing, at page hide either", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "denied" });

  client.step("a");
  page.pushState("/cart");
  page.close();
  await browser.advance(60_000);

  assertEquals(page.requests, []);
  assertEquals([...browser.storage.keys()], []);
});

Deno.test("pending touches no storage, screen, title or full URL, neither to read nor to probe", async () => {
  const { browser, page, client } = startVisit(AUTO_PENDING, {
    title: "Teas",
    referrer: "https://search.example/?q=a",
  });

  client.step("a", { ok: true });
  client.identify("user-1", { plan: "pro" });
  client.page();
  client.reset();
  page.pushState("/cart?step=1");
  await browser.advance(60_000);
  page.hide();
  page.show();
  page.freeze();
  page.restore();
  await browser.advance(60_000);

  const { storage, title, screen, url } = page.touched;
  assertEquals({ storage, title, screen, url }, { storage: 0, title: 0, screen: 0, url: 0 });
  client.close();
});

Deno.test("pending discards step() and page(), and never replays them", async () => {
  const { client, accepted } = startVisit({ consent: "pending" });
  client.step("a");
  client.page();

  client.setConsent("granted");
  client.step("b");

  assertEquals(namesOf(await accepted()), ["b"]);
  client.close();
});

Deno.test("while pending a page back from the back/forward cache doesn't repeat what was under way", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  client.setConsent("pending");
  page.freeze();
  browser.respond({ status: 202 });

  page.restore();
  await browser.advance(600_000);

  assertEquals([page.requests.length, client.drops()], [1, {}]);
  client.close();
});

Deno.test("while pending a page back from the back/forward cache counts what it doesn't repeat, if the device didn't take it", () => {
  const { browser, page, client } = startVisit();
  browser.fillStorage();
  browser.respond("hang");
  client.step("a");
  client.setConsent("pending");
  page.freeze();

  page.restore();

  assertEquals(client.drops(), { consent: 1 });
  client.close();
});

Deno.test("pending -> granted takes back the aggregate of the current page alone, while others wait as well", async () => {
  const { browser, page, client, accepted } = startVisit({ ...AUTO_PENDING, maxBatchSize: 1 });
  browser.goOffline();
  await browser.settle();
  page.pushState("/cart");
  await browser.settle();

  client.setConsent("granted");
  browser.goOnline();
  await browser.advance(5000);

  const views = (await accepted()).map(({ context, identity }) => [context?.pageUrl, !!identity]);
  assertEquals(views, [["https://shop.example/teas", false], ["https://shop.example/cart", true]]);
  client.close();
});
