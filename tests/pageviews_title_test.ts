import { assertEquals } from "@std/assert";
import { createClient, type InitConfig, type PageEnvironment } from "../src/client.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { only, startVisit, urlsOf, type Visit } from "./support/visit.ts";

Deno.test("pageviews: the title is read one task after the navigation", async () => {
  const { browser, page, accepted, client } = await startTitled();

  page.pushState("/cart");
  page.setTitle("Cart");
  await browser.settle();
  page.setTitle("too late");

  assertEquals(titles(await accepted()), ["Teas", "Cart"]);
  client.close();
});

Deno.test("pageviews: a title that is still that of the page before gets a second", async () => {
  const { browser, page, accepted, client } = await startTitled();

  page.pushState("/cart");
  await browser.advance(999);
  page.setTitle("Cart");
  await browser.advance(1);
  page.setTitle("too late");

  assertEquals(titles(await accepted()), ["Teas", "Cart"]);
  client.close();
});

Deno.test("pageviews: a title that a framework takes away before it sets the next gets a second", async () => {
  const { browser, page, accepted, client } = await startTitled();

  page.pushState("/cart");
  page.setTitle("");
  await browser.advance(999);
  page.setTitle("Cart");
  await browser.advance(1);
  page.setTitle("too late");

  assertEquals(titles(await accepted()), ["Teas", "Cart"]);
  client.close();
});

Deno.test("pageviews: a title that stays the same is recorded after a second", async () => {
  const { browser, page, accepted, client } = await startTitled();

  page.pushState("/teas?sort=price");
  await browser.advance(1_000);
  page.setTitle("too late");

  assertEquals(titles(await accepted()), ["Teas", "Teas"]);
  client.close();
});

Deno.test("pageviews: a replace while the title is awaited, in a later task, is a view of its own", async () => {
  const { browser, page, accepted, client } = await startTitled();

  page.pushState("/cart");
  await browser.settle();
  page.replaceState("/cart?step=1");

  assertEquals((await accepted()).map(({ context }) => context?.pageUrl), [
    "https://shop.example/teas",
    "https://shop.example/cart",
    "https://shop.example/cart?step=1",
  ]);
  client.close();
});

Deno.test("pageviews: the title of the load is read one task later too", async () => {
  const { browser, page, accepted, client } = startVisit({ trackPageviews: true }, { title: "loading" });

  page.setTitle("Teas");
  await browser.settle();

  assertEquals(titles(await accepted()), ["Teas"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when step() comes", async () => {
  const { page, accepted, client } = await startTitled();

  page.pushState("/cart");
  client.step("a");
  page.setTitle("Cart");

  assertEquals(titles(await accepted()), ["Teas", "Teas", "Teas"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when identify() comes", async () => {
  const { page, accepted, client } = await startTitled();

  page.pushState("/cart");
  client.identify("user-1");
  page.setTitle("Cart");

  assertEquals(titles(await accepted()), ["Teas", "Teas"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when reset() comes", async () => {
  const { page, accepted, client } = await startTitled();

  page.pushState("/cart");
  client.reset();
  page.setTitle("Cart");

  assertEquals(titles(await accepted()), ["Teas", "Teas"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when page() comes", async () => {
  const { page, accepted, client } = await startTitled();

  page.pushState("/cart");
  client.page();
  page.setTitle("Cart");

  assertEquals(titles(await accepted()), ["Teas", "Teas"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when setConsent() comes", async () => {
  const { page, client, browser } = await startTitled();

  page.pushState("/cart");
  client.setConsent("pending");
  page.setTitle("Cart");
  await browser.settle();

  assertEquals(titles(page.events), ["Teas", "Teas"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when flush() comes", async () => {
  const { browser, page, client } = await startTitled();

  page.pushState("/cart");
  client.flush();
  page.setTitle("Cart");
  await browser.settle();

  assertEquals(titles(page.events), ["Teas", "Teas"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when a push comes", async () => {
  const { page, accepted, client } = await startTitled();

  page.pushState("/cart");
  page.pushState("/thanks");
  page.setTitle("Thanks");

  assertEquals(titles(await accepted()), ["Teas", "Teas", "Thanks"]);
  client.close();
});

Deno.test("pageviews: the title is read at once when the page is hidden", () => {
  const { page, client } = startVisit({ trackPageviews: true }, { title: "Teas" });

  page.hide();
  page.setTitle("too late");

  assertEquals(only(only(page.requests).body.events).context?.pageTitle, "Teas");
  client.close();
});

Deno.test("pageviews: a view that is open as the page closes still leaves", () => {
  const { page } = startVisit({ trackPageviews: true }, { title: "Teas" });

  page.pushState("/cart");
  page.close();

  assertEquals(only(page.requests).body.events.map(({ context }) => context?.pageUrl), [
    "https://shop.example/teas",
    "https://shop.example/cart",
  ]);
});

Deno.test("pageviews: where the parser hasn't come to the title yet, the load gets a second", async () => {
  const { browser, page, client, accepted } = startVisit({ trackPageviews: true });

  await browser.advance(900);
  page.setTitle("Teas");
  await browser.advance(100);

  assertEquals(titles(await accepted()), ["Teas"]);
  client.close();
});

Deno.test("pageviews: a page without a title is recorded after a second", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true, flushInterval: 0 });

  await browser.advance(1000);

  assertEquals(titles(page.events), [undefined]);
  client.close();
});

Deno.test("pageviews: waiting for a title doesn't put the flush off", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true, flushInterval: 2000 });

  await browser.advance(2000);

  assertEquals(titles(page.events), [undefined]);
  client.close();
});

Deno.test("pageviews: no timer is late before it starts, however long the title took", async () => {
  const delays: number[] = [];
  const { browser, client } = startOn("https://shop.example/", { flushInterval: 500 }, (environment) => ({
    setTimer(callback, delayMs) {
      delays.push(delayMs);
      return environment.setTimer(callback, delayMs);
    },
  }));

  await browser.advance(5000);

  assertEquals(delays.filter((delayMs) => delayMs < 0), []);
  client.close();
});

Deno.test("pageviews: page() where the URL changed unheard is no part of the view that awaits its title", async () => {
  let url = "https://shop.example/teas";
  const { browser, page, client } = startOn(url, {}, () => ({ url: () => url }));
  url = "https://shop.example/cart";

  client.page();
  await browser.advance(5000);

  assertEquals(urlsOf(page.events), ["https://shop.example/teas", "https://shop.example/cart"]);
  client.close();
});

function titles(events: readonly { readonly context?: { readonly pageTitle?: string } }[]): readonly unknown[] {
  return events.map(({ context }) => context?.pageTitle);
}

/** Opens a page titled "Teas" whose load is recorded. */
async function startTitled(): Promise<Visit> {
  const visit = startVisit({ trackPageviews: true }, { title: "Teas" });
  await visit.browser.settle();
  return visit;
}

/** Opens a page without a title, whose environment the test changes, and records its load. */
function startOn(
  url: string,
  config: Partial<InitConfig>,
  change: (environment: PageEnvironment) => Partial<PageEnvironment>,
) {
  const browser = createTestBrowser();
  const page = browser.open(url);
  const environment = { ...page.environment, ...change(page.environment) };
  return { browser, page, client: createClient({ apiKey: "pk_test", trackPageviews: true, ...config }, environment) };
}
