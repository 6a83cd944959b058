import { assertEquals } from "@std/assert";
import { type Opened, openPage, startVisit, type Visit } from "../../support/visit.ts";

Deno.test("pageviews: the title is read a second after the load and after each navigation", async () => {
  const { browser, page, accepted } = startVisit({ trackPageviews: true }, { title: "placeholder" });
  await browser.advance(999);
  page.setTitle("Teas");
  await browser.advance(1);
  page.setTitle("too late");
  page.pushState("/cart");
  await browser.advance(999);
  page.setTitle("Cart");
  await browser.advance(1);
  page.setTitle("too late");

  assertEquals(titles(await accepted()), ["Teas", "Cart"]);
});

for (
  const [what, act] of [
    ["the next navigation", ({ page }) => page.pushState("/cart")],
    ["a view by page()", ({ vendor }) => vendor.page()],
    ["the page being hidden", ({ page }) => page.hide()],
    ["the page being left", ({ page }) => page.close()],
    ["flush()", ({ vendor }) => vendor.flush()],
    ["the timer", ({ browser }) => browser.advance(400)],
    ["a full batch", ({ browser, vendor }) => {
      vendor.step("a");
      vendor.step("b");
      return browser.settle();
    }],
    ["reset()", ({ vendor }) => vendor.reset()],
    ["a withdrawal to pending", ({ vendor }) => vendor.setConsent("pending")],
    ["an init()", ({ vendor }) => vendor.init({ apiKey: "pk" })],
    ["an init() with another key", ({ vendor }) => vendor.init({ apiKey: "pk_other" })],
  ] satisfies readonly [string, (opened: Opened) => unknown][]
) {
  Deno.test(`pageviews: the title is read at once with ${what}`, async () => {
    const opened = openPage({ title: "placeholder" });
    const { browser, page, vendor } = opened;
    vendor.init({ apiKey: "pk", trackPageviews: true, maxBatchSize: 3, flushInterval: 500 });
    await browser.advance(100);

    page.setTitle("Teas");
    await act(opened);
    page.setTitle("too late");
    await browser.advance(5000);

    assertEquals(titles(page.events).slice(0, 1), ["Teas"]);
  });
}

for (
  const [what, act] of [
    ["step()", ({ client }) => client.step("a")],
    ["identify()", ({ client }) => client.identify("user-1")],
    ["the same consent again", ({ client }) => client.setConsent("granted")],
    ["a call that leaves the URL as it was", ({ page }) => page.replaceState("/teas")],
  ] satisfies readonly [string, (visit: Visit) => unknown][]
) {
  Deno.test(`pageviews: ${what} leaves the title its second`, async () => {
    const visit = startVisit({ trackPageviews: true }, { title: "placeholder" });

    act(visit);
    await visit.browser.advance(500);
    visit.page.setTitle("Teas");

    assertEquals(titles(await visit.accepted())[0], "Teas");
  });
}

Deno.test("pageviews: what comes behind a view that awaits its title keeps its order, and has its own title", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true }, { title: "placeholder" });
  client.step("early");
  await browser.advance(200);
  page.setTitle("Teas");
  client.step("late");
  await browser.advance(500);
  page.setTitle("Teas (2)");
  page.pushState("/cart");
  page.setTitle("Cart");
  client.step("in the cart");

  await browser.advance(10_000);

  assertEquals(page.events.map(({ name, context }) => [name, context?.pageTitle]), [
    ["$pageview", "Teas (2)"],
    ["early", "placeholder"],
    ["late", "Teas"],
    ["$pageview", "Cart"],
    ["in the cart", "Cart"],
  ]);
});

Deno.test("pageviews: an aggregate awaits no title", async () => {
  const { browser, page } = startVisit({ trackPageviews: "auto", consent: "pending", maxBatchSize: 1 });

  await browser.settle();

  assertEquals(page.events.length, 1);
});

Deno.test("pageviews: what still awaits its title as the page closes leaves with it", () => {
  const { page, client } = startVisit({ trackPageviews: true }, { title: "Teas" });
  client.step("a");
  page.pushState("/cart");

  page.close();

  assertEquals(titles(page.requests.flatMap(({ body }) => body.events)), ["Teas", "Teas", "Teas"]);
});

function titles(events: readonly { readonly context?: { readonly pageTitle?: string } }[]): readonly unknown[] {
  return events.map(({ context }) => context?.pageTitle);
}

Deno.test("page() takes properties as step() does; an automatic pageview that awaits its title gets them", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: true });
  const properties = { template: "product", tags: new Set(["tea"]) };

  client.page(properties); // the load
  client.page({ second: true });
  page.pushState("/cart");
  client.page();
  client.page({ text: "x".repeat(40_000) }); // as a step, it's dropped

  assertEquals((await accepted()).map(({ name, properties }) => [name, properties]), [
    ["$pageview", { template: "product", tags: ["tea"] }],
    ["$pageview", { second: true }],
    ["$pageview", undefined],
  ]);
  assertEquals(client.drops(), { too_large: 1 });
});
