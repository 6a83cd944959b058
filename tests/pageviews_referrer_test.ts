import { assertEquals } from "@std/assert";
import { at, only, startVisit, type Visit } from "./support/visit.ts";
import type { StepEvent } from "../src/testing/mod.ts";

const SEARCH = "https://search.example/?q=tea";

Deno.test("pageviews: the referrer is document.referrer as long as no view was recorded", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: true, consent: "denied" }, { referrer: SEARCH });
  page.pushState("/one");
  page.pushState("/two");

  client.setConsent("granted");

  assertEquals(referrers(await accepted()), [SEARCH]);
  client.close();
});

Deno.test("pageviews: after an aggregate the referrer of a full view is the restricted URL", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    url: "https://shop.example/teas?sort=price",
    referrer: SEARCH,
  });
  await accepted();

  client.setConsent("granted");
  page.pushState("/cart");

  assertEquals(referrers(await accepted()), ["https://search.example", "https://shop.example/teas"]);
  client.close();
});

Deno.test("pageviews: after a full view the referrer of an aggregate is its origin", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: "auto" }, { referrer: SEARCH });
  await accepted();

  client.setConsent("pending");
  page.pushState("/cart");

  assertEquals(referrers(await accepted()), [SEARCH, "https://shop.example"]);
  client.close();
});

Deno.test("pageviews: an aggregate replaced by a full view has document.referrer read then", async () => {
  const { accepted, client } = startVisit({ trackPageviews: "auto", consent: "pending" }, { referrer: SEARCH });

  client.setConsent("granted");

  assertEquals(referrers(await accepted()), [SEARCH]);
  client.close();
});

Deno.test("pageviews: an opaque referrer is absent from an aggregate", async () => {
  const { accepted, client } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    referrer: "android-app://com.example.mail/",
  });

  assertEquals(referrers(await accepted()), [undefined]);
  client.close();
});

Deno.test("pageviews: credentials of the page's URL never reach an aggregate", async () => {
  const { page, client, accepted } = startVisit({ trackPageviews: "auto" }, {
    url: "https://ada:secret@shop.example/teas",
  });
  await accepted();

  client.setConsent("pending");
  page.pushState("/cart");

  assertEquals(at(await accepted(), 1).context?.referrer, "https://shop.example");
  assertEquals(at(page.requests, 1).text.includes("secret"), false);
  client.close();
});

Deno.test("pageviews: credentials of the referrer never reach an aggregate", async () => {
  const { client, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    referrer: "https://ada:secret@search.example:8443/x",
  });

  assertEquals(only(await accepted()).context?.referrer, "https://search.example:8443");
  client.close();
});

Deno.test("page(): the referrer of the next view is its URL", async () => {
  const { page, accepted, client } = startVisit({}, { referrer: SEARCH });

  client.page();
  page.pushState("/cart?step=1");
  client.page();

  assertEquals(referrers(await accepted()), [SEARCH, "https://shop.example/teas"]);
  client.close();
});

Deno.test("page(): called twice on a page, the second has the page itself as referrer", async () => {
  const { accepted, client } = startVisit({}, { referrer: SEARCH });

  client.page();
  client.page();

  assertEquals(referrers(await accepted()), [SEARCH, "https://shop.example/teas"]);
  client.close();
});

Deno.test("step(): context.referrer is that of its page", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: true }, { referrer: SEARCH });

  client.step("a");
  page.pushState("/cart");
  client.step("b");

  assertEquals(referrers(await accepted()), [SEARCH, SEARCH, "https://shop.example/teas", "https://shop.example/teas"]);
  client.close();
});

Deno.test("step(): without pageviews context.referrer is document.referrer", async () => {
  const { accepted, client } = startVisit({}, { referrer: SEARCH });

  client.step("a");

  assertEquals(referrers(await accepted()), [SEARCH]);
  client.close();
});

Deno.test("pageviews: a restore from the back/forward cache is a load with document.referrer", async () => {
  const { browser, page, accepted, client } = startVisit({ trackPageviews: true }, { referrer: SEARCH });
  await browser.settle();
  page.pushState("/cart");
  await accepted();

  page.freeze();
  page.restore();

  const events = await accepted();
  assertEquals(referrers(events), [SEARCH, "https://shop.example/teas", SEARCH]);
  assertEquals(at(events, 2).context?.pageUrl, "https://shop.example/cart");
  client.close();
});

Deno.test("pageviews: a restore while pending is an aggregate load", async () => {
  const { page, accepted, client } = startVisit({ trackPageviews: "auto", consent: "pending" });
  await accepted();

  page.freeze();
  page.restore();

  assertEquals((await accepted()).map(({ identity }) => identity), [undefined, undefined]);
  client.close();
});

Deno.test("pageviews: a restore is no view with trackPageviews false", async () => {
  const { page, accepted, client } = startVisit();

  page.freeze();
  page.restore();

  assertEquals(await accepted(), []);
  client.close();
});

Deno.test("pageviews: turning hidden and visible again is no view", async () => {
  const { page, accepted, client }: Visit = startVisit({ trackPageviews: true });
  await accepted();

  page.hide();
  page.show();

  assertEquals((await accepted()).length, 1);
  client.close();
});

function referrers(events: readonly StepEvent[]): readonly (string | undefined)[] {
  return events.map(({ context }) => context?.referrer);
}

Deno.test("pageviews: the referrer is the last page that was recorded, whatever wasn't since", async () => {
  const { browser, page, client, accepted } = startVisit({ trackPageviews: true }, {
    referrer: "https://search.example/",
  });
  await browser.settle();
  client.setConsent("pending");
  page.pushState("/a");
  page.pushState("/b");

  client.setConsent("granted");

  const views = (await accepted()).map(({ context }) => [context?.pageUrl, context?.referrer]);
  assertEquals(views[1], ["https://shop.example/b", "https://shop.example/teas"]);
  client.close();
});

Deno.test("pageviews: of a referrer on plain http an aggregate has the origin too", async () => {
  const { client, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    referrer: "http://news.example:8080/article?id=1#top",
  });

  assertEquals((await accepted()).map(({ context }) => context?.referrer), ["http://news.example:8080"]);
  client.close();
});

Deno.test("pageviews: an opaque referrer with a URL in its path is absent from an aggregate", async () => {
  const { client, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" }, {
    referrer: "android-app://com.news/https://private.example/article",
  });

  assertEquals((await accepted()).map(({ context }) => context?.referrer), [undefined]);
  client.close();
});
