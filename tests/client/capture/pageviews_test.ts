import { assertEquals } from "@std/assert";
import type { Instance } from "../../../src/client/instance.ts";
import { at, namesOf, onHide, only, startVisit, urlsOf, type Visit } from "../../support/visit.ts";

const FULL = { trackPageviews: true } as const;
const AGGREGATE = { trackPageviews: "auto", consent: "pending" } as const;

for (
  const [what, config, moves, views] of [
    ["a redirect is one view, of the last URL", FULL, ["push /a", "replace /b", "replace /b?c=1"], "/teas /b?c=1"],
    ["a redirect is one aggregate", AGGREGATE, ["push /a", "replace /b?c=1"], "/teas /b"],
    ["a redirect that an effect makes is one view", FULL, ["push /a", "wait 299", "replace /b"], "/teas /b"],
    ["a redirect that an effect makes is one aggregate", AGGREGATE, ["push /a", "wait 299", "replace /b"], "/teas /b"],
    [
      "a chain of redirects is one view",
      FULL,
      ["push /a", "wait 100", "replace /b", "wait 100", "replace /c"],
      "/teas /c",
    ],
    ["a page that was seen is a view", FULL, ["push /a", "wait 300", "replace /b"], "/teas /a /b"],
    ["a page that was seen is an aggregate", AGGREGATE, ["push /a", "wait 300", "replace /b"], "/teas /a /b"],
    ["a push behind a redirect is a view", FULL, ["push /a", "wait 100", "replace /b", "push /c"], "/teas /b /c"],
    ["going back behind a push makes both views", FULL, ["push /a", "back", "replace /b"], "/teas /a /teas /b"],
    ["a redirect back is no view", FULL, ["push /a", "replace /teas"], "/teas"],
    ["a redirect back to the path is no aggregate", AGGREGATE, ["push /a", "replace /teas?c=1"], "/teas"],
    ["two pushStates in one task are two views", FULL, ["push /a", "push /b"], "/teas /a /b"],
    ["two replaceStates in one task are two views", FULL, ["replace /a", "replace /b"], "/teas /a /b"],
    [
      "going back and a replaceState are two views",
      FULL,
      ["push /a", "wait", "back", "replace /b"],
      "/teas /a /teas /b",
    ],
    ["a call that leaves the URL as it was is no view", FULL, ["replace /teas", "wait", "push /teas", "back"], "/teas"],
    ["what Vue Router does is one view", FULL, ["replace /teas", "push /a", "replace /a"], "/teas /a"],
    ["going back and forward are views", FULL, ["push /a", "wait", "back", "wait", "forward"], "/teas /a /teas /a"],
    ["a change of the fragment is a view", FULL, ["fragment b"], "/teas /teas#b"],
  ] as const
) {
  Deno.test(`pageviews: ${what}`, async () => {
    const { browser, page, accepted } = await startSettled(config);

    for (const move of moves) {
      const [kind, url = ""] = move.split(" ");
      if (kind === "push") page.pushState(url);
      if (kind === "replace") page.replaceState(url);
      if (kind === "fragment") page.goToFragment(url);
      if (kind === "back") page.back();
      if (kind === "forward") page.forward();
      if (kind === "wait") await browser.advance(Number(url));
    }

    assertEquals(urlsOf(await accepted()).join(" ").replaceAll("https://shop.example", ""), views);
  });
}

Deno.test("pageviews: the initial load is recorded by itself, whatever follows in its task", async () => {
  const { page, accepted } = startVisit(FULL);

  page.replaceState("/teas?page=1");

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/teas?page=1"]);
});

Deno.test("pageviews: after a redirect back the next view has the right referrer", async () => {
  const { browser, page, accepted } = await startSettled();
  page.pushState("/account");
  page.replaceState("/teas");
  await browser.settle();

  page.pushState("/cart");

  assertEquals((await accepted()).map(({ context }) => context?.referrer), [undefined, "https://shop.example/teas"]);
});

for (
  const [what, configs, act] of [
    ["flush()", [FULL, AGGREGATE], ({ client }) => client.flush()],
    ["reset()", [FULL, AGGREGATE], ({ client }) => client.reset()],
    ["the page being hidden", [FULL, AGGREGATE], ({ page }) => page.hide()],
    ["a grant", [AGGREGATE], ({ client }) => client.setConsent("granted")],
    ["a withdrawal", [FULL], ({ client }) => client.setConsent("pending")],
    [
      "an init()",
      [FULL, AGGREGATE],
      ({ client }) => (client as unknown as Instance).init({ apiKey: "pk_test", ...FULL }),
    ],
    ["page()", [FULL], ({ client }) => client.page()],
  ] satisfies readonly [string, readonly Parameters<typeof startVisit>[0][], (visit: Visit) => unknown][]
) {
  for (const config of configs) {
    const form = config === FULL ? "full" : "aggregate";
    Deno.test(`pageviews: ${what} settles a ${form} view that awaits a redirect`, async () => {
      const visit = await startSettled(config);
      const { browser, page } = visit;
      page.pushState("/a");
      await browser.advance(100);

      await act(visit);
      page.replaceState("/b");
      await browser.advance(6000);

      const paths = urlsOf(page.events).map((url) => new URL(`${url}`).pathname);
      assertEquals(paths.includes("/a"), true, paths.join());
    });
  }
}

Deno.test("pageviews: neither timer nor size send a view that awaits a redirect, and it leaves soon after", async () => {
  const { browser, page, client } = startVisit({ ...FULL, flushInterval: 50, maxBatchSize: 2 });
  await browser.advance(1000);
  page.pushState("/a");
  client.step("b");
  client.step("c");
  await browser.advance(299);
  const before = page.events.length;

  page.replaceState("/d");
  await browser.advance(1050);

  assertEquals([before, namesOf(page.events)], [1, ["$pageview", "$pageview", "b", "c"]]);
  assertEquals(urlsOf(page.events).map((url) => new URL(`${url}`).pathname), ["/teas", "/d", "/a", "/a"]);
});

Deno.test("pageviews: a grant takes back the aggregate of the page that a redirect led back to, and no other", async () => {
  const { browser, page, client } = startVisit(AGGREGATE);
  await browser.settle();
  page.pushState("/a");
  page.pushState("/b");
  page.replaceState("/a");
  client.setConsent("granted");
  await browser.advance(6000);

  const views = page.events.map(({ identity, context }) => [identity ? "full" : "aggregate", context?.pageUrl]);
  assertEquals(views, [["aggregate", "https://shop.example/teas"], ["full", "https://shop.example/a"]]);
});

Deno.test("pageviews: a redirect has the title of its last page, and the referrer of the page before", async () => {
  const { browser, page } = startVisit(FULL, { title: "Teas" });
  await browser.advance(1000);
  page.pushState("/account");
  await browser.advance(200);
  page.replaceState("/sign-in");
  await browser.advance(900);
  page.setTitle("Sign in");
  await browser.advance(6000);

  const { context } = at(page.events, 1);
  assertEquals([context?.pageTitle, context?.referrer], ["Sign in", "https://shop.example/teas"]);
});

Deno.test("pageviews: URL, timestamp and user are fixed at the navigation", async () => {
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
});

Deno.test("pageviews: after reset() the open view keeps its visitor and session", async () => {
  const { page, accepted, client } = await startSettled();

  page.pushState("/cart");
  client.reset();
  client.step("a");

  const [load, cart, a] = await accepted();
  assertEquals([cart?.identity?.anonymousId, cart?.sessionId], [load?.identity?.anonymousId, load?.sessionId]);
  assertEquals(cart?.sessionId === a?.sessionId, false);
});

Deno.test("pageviews: order is kept, a view comes before the step after it", async () => {
  const { page, accepted, client } = startVisit(FULL);

  client.step("a");
  page.pushState("/cart");
  client.step("b");

  assertEquals(namesOf(await accepted()), ["$pageview", "a", "$pageview", "b"]);
});

Deno.test("pageviews: what a page's own handler navigates to as it's frozen is a view, and the restore another", async () => {
  const { browser, page, accepted } = await startSettled();
  let hides = 0;
  onHide(page, () => {
    if (++hides === 2) page.pushState("/left");
  });

  page.freeze();
  page.restore();
  await browser.settle();

  assertEquals(urlsOf(await accepted()).slice(1), ["https://shop.example/left", "https://shop.example/left"]);
});

Deno.test("page() records a full pageview each time", async () => {
  const { accepted, client } = startVisit();

  client.page();
  client.page();

  assertEquals(namesOf(await accepted()), ["$pageview", "$pageview"]);
});

Deno.test("page() becomes the automatic view that awaits its title, with its referrer and its time", async () => {
  const { browser, page, accepted, client } = startVisit(FULL, { referrer: "https://search.example/" });
  await browser.advance(999);

  client.page();
  page.pushState("/cart");
  client.page();

  const views = (await accepted()).map(({ timestamp, context }) => [timestamp, context?.pageUrl, context?.referrer]);
  assertEquals(views, [
    ["2026-01-01T00:00:00.000Z", "https://shop.example/teas", "https://search.example/"],
    ["2026-01-01T00:00:00.999Z", "https://shop.example/cart", "https://shop.example/teas"],
  ]);
});

Deno.test("page() is a view of its own once the automatic one has its title", async () => {
  const { browser, accepted, client } = startVisit(FULL);
  await browser.advance(1000);

  client.page();

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/teas"]);
});

Deno.test("page() where the URL changed unheard is no part of the view that awaits its title", async () => {
  const { page, client, accepted } = startVisit(FULL);
  page.environment.url = () => "https://shop.example/cart";

  client.page();

  assertEquals(urlsOf(await accepted()), ["https://shop.example/teas", "https://shop.example/cart"]);
});

Deno.test("page() is ignored while pending, with auto too, and while denied", async () => {
  const pending = startVisit({ consent: "pending" });
  const auto = startVisit(AGGREGATE);
  const denied = startVisit({ consent: "denied" });

  for (const { client } of [pending, auto, denied]) client.page();

  assertEquals(await pending.accepted(), []);
  assertEquals(only(await auto.accepted()).identity, undefined);
  assertEquals(await denied.accepted(), []);
});

/** Opens a page whose load is recorded. */
async function startSettled(config: Parameters<typeof startVisit>[0] = FULL): Promise<Visit> {
  const visit = startVisit(config);
  await visit.browser.settle();
  return visit;
}
