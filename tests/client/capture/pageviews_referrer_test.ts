import { assertEquals } from "@std/assert";
import { startVisit, urlsOf, type Visit } from "../../support/visit.ts";

const SEARCH = "https://search.example/?q=tea";

for (
  const [what, config, act, expected] of [
    [
      "document.referrer, as long as no view was recorded",
      { trackPageviews: true, consent: "denied" },
      async (visit) => {
        visit.page.pushState("/one");
        visit.page.pushState("/two");
        await visit.browser.settle();
        visit.client.setConsent("granted");
      },
      [SEARCH],
    ],
    [
      "the last page that was recorded, whatever wasn't since",
      { trackPageviews: true },
      async ({ client, ...visit }) => {
        await visit.browser.settle();
        client.setConsent("pending");
        visit.page.pushState("/one");
        visit.page.pushState("/two");
        client.setConsent("granted");
      },
      [SEARCH, "https://shop.example/teas"],
    ],
    ["the restricted URL after an aggregate", { trackPageviews: "auto", consent: "pending" }, async (visit) => {
      await visit.accepted();
      visit.client.setConsent("granted");
      visit.page.pushState("/cart");
    }, ["https://search.example", "https://shop.example/teas"]],
    ["the origin, of an aggregate after a full view", { trackPageviews: "auto" }, async (visit) => {
      await visit.accepted();
      visit.client.setConsent("pending");
      visit.page.pushState("/cart");
    }, [SEARCH, "https://shop.example"]],
    [
      "read anew where a full view replaces an aggregate",
      { trackPageviews: "auto", consent: "pending" },
      ({ client }) => {
        client.setConsent("granted");
      },
      [SEARCH],
    ],
    ["the page before, of views by page()", {}, ({ client, page }) => {
      client.page();
      page.pushState("/cart?step=1");
      client.page();
      client.page();
    }, [SEARCH, "https://shop.example/teas", "https://shop.example/cart?step=1"]],
    ["that of its page, of an event by step()", { trackPageviews: true }, ({ client, page }) => {
      client.step("a");
      page.pushState("/cart");
      client.step("b");
    }, [SEARCH, SEARCH, "https://shop.example/teas", "https://shop.example/teas"]],
    ["document.referrer, of an event without pageviews", {}, ({ client }) => client.step("a"), [SEARCH]],
    ["document.referrer again after a restore, which is a load", { trackPageviews: true }, async (visit) => {
      visit.page.pushState("/cart");
      await visit.accepted();
      visit.page.freeze();
      visit.page.restore();
    }, [SEARCH, "https://shop.example/teas", SEARCH]],
  ] satisfies readonly [string, Parameters<typeof startVisit>[0], (visit: Visit) => unknown, readonly string[]][]
) {
  Deno.test(`pageviews: the referrer is ${what}`, async () => {
    const visit = startVisit(config, { referrer: SEARCH });

    await act(visit);

    assertEquals((await visit.accepted()).map(({ context }) => context?.referrer), [...expected]);
  });
}

for (
  const [referrer, expected] of [
    ["http://news.example:8080/article?id=1#top", "http://news.example:8080"],
    ["android-app://com.example.mail/", undefined],
    ["android-app://com.news/https://private.example/article", undefined],
  ] as const
) {
  Deno.test(`pageviews: of the referrer ${referrer} an aggregate has ${expected}`, async () => {
    const { accepted } = startVisit({ trackPageviews: "auto", consent: "pending" }, { referrer });

    assertEquals((await accepted()).map(({ context }) => context?.referrer), [expected]);
  });
}

for (
  const [what, config, views] of [
    ["a full view while granted", { trackPageviews: true }, [true, true]],
    ["an aggregate while pending", { trackPageviews: "auto", consent: "pending" }, [false, false]],
    ["no view without pageviews", {}, []],
  ] as const
) {
  Deno.test(`pageviews: a restore from the back/forward cache is ${what}, turning visible again is none`, async () => {
    const { page, accepted } = startVisit(config);
    await accepted();

    page.hide();
    page.show();
    page.freeze();
    page.restore();

    const events = await accepted();
    assertEquals(events.map(({ identity }) => !!identity), [...views]);
    assertEquals(new Set(urlsOf(events)).size, Math.min(views.length, 1));
  });
}
