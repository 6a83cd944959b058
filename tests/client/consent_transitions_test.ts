import { assertEquals } from "@std/assert";
import type { InitConfig } from "../../mod.ts";
import { createInstance, type Instance } from "../../src/client/instance.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { at, namesOf, only, startVisit, type Visit } from "../support/visit.ts";
import type { KeyValueStorage } from "../../src/client/mod.ts";

const AUTO = { trackPageviews: "auto" } as const;
const PENDING = { trackPageviews: "auto", consent: "pending" } as const;
const DENIED = { trackPageviews: "auto", consent: "denied" } as const;

for (
  const [what, config, act, views] of [
    ["pending -> granted with true records the current page", { trackPageviews: true, consent: "pending" }, (visit) => {
      visit.page.pushState("/cart");
      visit.client.setConsent("granted");
    }, ["full /cart"]],
    ["pending -> granted with auto records a page in full whose aggregate still waits", PENDING, async (visit) => {
      await visit.browser.advance(4999);
      visit.client.setConsent("granted");
    }, ["full /teas?a=1"]],
    ["pending -> granted in the task of init() records one full view", PENDING, ({ client }) => {
      client.setConsent("granted");
    }, ["full /teas?a=1"]],
    ["pending -> granted leaves an aggregate that was handed over", PENDING, async ({ browser, page, client }) => {
      browser.respond("hang");
      await browser.advance(5000);
      client.setConsent("granted");
      browser.respond({ status: 202 });
      at(page.requests, 0).answer({ status: 202 });
    }, ["aggregate /teas"]],
    ["pending -> granted leaves an aggregate that failed, and tries it again", PENDING, async ({ browser, client }) => {
      browser.respond({ status: 503 });
      await browser.advance(5000);
      client.setConsent("granted");
      browser.respond({ status: 202 });
      await browser.advance(60_000);
    }, ["aggregate /teas"]],
    ["pending -> granted leaves an aggregate whose batch an attempt has sealed", PENDING, async (visit) => {
      visit.browser.respond({ status: 503 });
      await visit.browser.advance(5000);
      visit.page.pushState("/cart");
      await visit.browser.advance(60_000);
      visit.browser.respond({ status: 202 });
      visit.client.setConsent("granted");
      await visit.browser.advance(300_000);
    }, ["aggregate /teas", "aggregate /cart"]],
    ["pending -> granted leaves aggregates of earlier pages", PENDING, async ({ browser, page, client }) => {
      page.pushState("/cart?b=2");
      await browser.settle();
      client.setConsent("granted");
    }, ["aggregate /teas", "full /cart?b=2"]],
    ["pending -> granted does so with a batch for each view", { ...PENDING, maxBatchSize: 1 }, async (visit) => {
      visit.browser.goOffline();
      await visit.browser.settle();
      visit.page.pushState("/cart");
      visit.client.setConsent("granted");
      visit.browser.goOnline();
    }, ["aggregate /teas", "full /cart"]],
    [
      "pending -> granted after a redirect back records the page in full",
      PENDING,
      async ({ browser, page, client }) => {
        await browser.settle();
        page.pushState("/members");
        page.replaceState("/teas?a=1");
        await browser.settle();
        client.setConsent("granted");
      },
      ["full /teas?a=1"],
    ],
    ["granted -> pending counts from the next navigation, which has another path", AUTO, async (visit) => {
      await visit.accepted();
      visit.client.setConsent("pending");
      visit.page.pushState("?a=2");
      visit.page.pushState("/cart?b=2");
    }, ["full /teas?a=1", "aggregate /cart"]],
    ["denied -> granted records the current page if it wasn't", DENIED, ({ page, client }) => {
      page.pushState("/cart");
      client.setConsent("granted");
    }, ["full /cart"]],
    ["denied -> granted doesn't record a page again that was recorded and discarded", AUTO, async (visit) => {
      await visit.browser.settle();
      visit.client.setConsent("denied");
      visit.client.setConsent("granted");
    }, []],
    ["denied -> granted records the page that was navigated to while denied", AUTO, ({ page, client }) => {
      client.setConsent("denied");
      page.pushState("/cart?b=2");
      client.setConsent("granted");
    }, ["full /cart?b=2"]],
    ["denied -> pending records the current page as an aggregate if it wasn't", DENIED, ({ client }) => {
      client.setConsent("pending");
    }, ["aggregate /teas"]],
    ["denied -> pending doesn't record a page again that was recorded", AUTO, async ({ browser, client }) => {
      await browser.settle();
      client.setConsent("denied");
      client.setConsent("pending");
    }, []],
    ["denied -> pending with true records nothing", { trackPageviews: true, consent: "denied" }, ({ page, client }) => {
      client.setConsent("pending");
      page.pushState("/cart");
    }, []],
  ] satisfies readonly [string, Partial<InitConfig>, (visit: Visit) => unknown, readonly string[]][]
) {
  Deno.test(what, async () => {
    const visit = startVisit(config, { url: "https://shop.example/teas?a=1" });

    await act(visit);

    const seen = (await visit.accepted()).map(({ identity, context }) =>
      `${identity ? "full" : "aggregate"} ${context?.pageUrl?.replace("https://shop.example", "")}`
    );
    assertEquals(seen, [...views]);
  });
}

Deno.test("setConsent() with the same state does nothing", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });
  client.step("a");
  const before = page.touched;

  client.setConsent("granted");

  assertEquals(page.touched, before);
  await browser.advance(5000);
  assertEquals(namesOf(page.events), ["$pageview", "a"]);
});

Deno.test("pending -> granted makes identifiers where there are none, and what came before is never replayed", async () => {
  const { browser, client, accepted } = startVisit({ consent: "pending" });
  client.step("lost");
  client.page();
  await browser.settle();
  assertEquals(browser.storage.size, 0);

  client.setConsent("granted");
  client.step("a");

  const { name, identity, sessionId } = only(await accepted());
  const stored = [...browser.storage.values()].join(" ");
  assertEquals([name, stored.includes(`${identity?.anonymousId}`), stored.includes(`${sessionId}`)], ["a", true, true]);
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
});

Deno.test("pending -> granted applies the last identify()", async () => {
  const { client, accepted } = startVisit({ consent: "pending" });
  client.identify("user-1", { plan: "pro" });
  client.identify("user-2", { plan: "free" });

  client.setConsent("granted");
  client.step("a");

  const { identity } = only(await accepted());
  assertEquals([identity?.userId, identity?.traits], ["user-2", { plan: "free" }]);
});

Deno.test("granted -> pending makes one drain as at page hide, the open pageview included", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });
  client.step("a");
  page.pushState("/cart");

  client.setConsent("pending");
  const atOnce = page.requests.length;
  await browser.advance(600_000);

  assertEquals([atOnce, page.requests.length], [1, 1]);
  assertEquals(namesOf(page.events), ["$pageview", "a", "$pageview"]);
});

Deno.test("granted -> pending sends no more than one drain takes, makes no retry, and the rest waits for granted", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond({ status: 503 });
  for (let i = 0; i < 30; i++) client.step(`${i}`);

  client.setConsent("pending");
  await browser.advance(600_000);
  const { length } = page.requests;
  browser.respond({ status: 202 });
  client.setConsent("granted");
  await browser.advance(60_000);

  assertEquals([length, new Set(namesOf(page.events)).size, client.drops()], [8, 30, {}]);
});

Deno.test("granted -> pending obeys a Retry-After that the drain is answered with", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto" });
  await browser.advance(2000);
  browser.respond({ status: 429, retryAfterMs: 60_000 });
  client.setConsent("pending");
  await browser.settle();
  browser.respond({ status: 202 });
  page.pushState("/cart");

  await browser.advance(59_999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.length], [1, 2]);
  client.close();
});

Deno.test("granted -> pending drops and counts what the device refuses", async () => {
  const { browser, page, client } = startVisit();
  browser.fillStorage();
  browser.goOffline();
  client.step("a");

  client.setConsent("pending");
  await browser.settle();
  browser.goOnline();
  client.setConsent("granted");
  await browser.advance(60_000);

  assertEquals([page.events, client.drops()], [[], { consent: 1 }]);
});

Deno.test("granted -> pending stops full collection: nothing is read or stored any more", async () => {
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
  page.hide();

  const { storage, title, screen, url } = page.touched;
  assertEquals([storage, title, screen, url], [before.storage, before.title, before.screen, before.url]);
});

/** What an acknowledgement takes away: what was saved of the batch, and the lease once nothing is saved any more. */
const ACKNOWLEDGED = ["remove vendor.sdk.outbox.3", "remove vendor.sdk.lease"];

for (
  const [what, config, act, whilePending] of [
    ["pending", {}, () => {}, []],
    ["pending -> granted", {}, ({ client }) => client.setConsent("granted"), []],
    ["pending -> denied", {}, ({ client }) => client.setConsent("denied"), []],
    ["granted -> pending", { consent: "granted" }, ({ client }) => client.setConsent("pending"), ACKNOWLEDGED],
    ["granted -> pending by an init()", { consent: "granted" }, ({ client }) => {
      client.init({ apiKey: "pk_test", consent: "pending" });
    }, ACKNOWLEDGED],
    ["granted -> pending, and nothing is acknowledged", { consent: "granted" }, ({ browser, client }) => {
      browser.goOffline();
      client.setConsent("pending");
    }, []],
    ["granted -> pending -> granted", { consent: "granted" }, async ({ browser, client }) => {
      client.setConsent("pending");
      await browser.advance(60_000);
      client.setConsent("granted");
    }, ACKNOWLEDGED],
    ["denied -> pending", { consent: "denied" }, ({ client }) => client.setConsent("pending"), []],
  ] satisfies readonly [
    string,
    Partial<InitConfig>,
    (visit: Pick<Visit, "browser"> & { client: Instance }) => unknown,
    readonly string[],
  ][]
) {
  Deno.test(`${what}: while pending the device is left alone, but for what is acknowledged`, async () => {
    const browser = createTestBrowser({ storage: { "vendor.sdk.outbox.3.7.left.page": "" } });
    const { environment } = browser.open("https://shop.example/teas");
    const used: string[] = [];
    const verbs = ["get", "set", "remove", "keys"] as const;
    const note = (verb: typeof verbs[number]) => (...args: readonly string[]) => {
      if (client.getConsent() === "pending") {
        used.push(`${verb} ${/^vendor\.sdk\.(outbox\.3|\w+)/.exec(`${args[0]}`)?.[0]}`);
      }
      return (environment.storage[verb] as (...args: readonly string[]) => unknown)(...args);
    };
    const storage = Object.fromEntries(verbs.map((verb) => [verb, note(verb)])) as unknown as KeyValueStorage;
    const client: Instance = createInstance({ ...environment, storage });
    client.init({ apiKey: "pk_test", trackPageviews: "auto", consent: "pending", ...config });
    for (let i = 0; i < 3; i++) client.step("a");
    await browser.advance(1500);
    client.step("b");

    await act({ browser, client });
    client.step("c");
    client.reset();
    await browser.advance(60_000);
    client.flush();
    await browser.advance(60_000);

    assertEquals(new Set(used), new Set(whilePending));
    client.close();
  });
}

Deno.test("granted -> pending keeps the user in memory, unused until granted", async () => {
  const { page, client, accepted } = startVisit(AUTO);
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
});

Deno.test("granted -> pending -> granted: the referrer is the URL as it may be held while pending", async () => {
  const { page, client, accepted } = startVisit(AUTO, { url: "https://shop.example/teas?a=1#b" });
  await accepted();

  client.setConsent("pending");
  client.setConsent("granted");
  page.pushState("/cart");

  assertEquals(at(await accepted(), 1).context?.referrer, "https://shop.example/teas");
});

for (const [device, drops] of [["open", {}], ["full", { consent: 1 }]] as const) {
  Deno.test(`while pending a page back from the back/forward cache repeats nothing, with a device that's ${device}`, async () => {
    const { browser, page, client } = startVisit();
    if (device === "full") browser.fillStorage();
    browser.respond("hang");
    client.step("a");
    client.setConsent("pending");
    page.freeze();
    browser.respond({ status: 202 });

    page.restore();
    await browser.advance(600_000);

    assertEquals([page.requests.length, client.drops()], [1, drops]);
  });
}

Deno.test("pending -> granted makes a new event of an aggregate, with the time of the grant", async () => {
  const { browser, client, accepted } = startVisit(PENDING);
  await browser.advance(1000);

  client.setConsent("granted");

  assertEquals(only(await accepted()).timestamp, "2026-01-01T00:00:01.000Z");
});

for (
  const [kind, url, views] of [
    ["replaceState", "/b?x=1", []],
    ["pushState", "/teas", ["https://shop.example/teas"]],
  ] as const
) {
  Deno.test(`granted -> pending by an init() counts from where the page is now, by ${kind}`, async () => {
    const { browser, page, client } = startVisit();
    await browser.settle();
    page.pushState("/b");

    (client as unknown as Instance).init({ apiKey: "pk_test", trackPageviews: "auto", consent: "pending" });
    page[kind](url);
    await browser.advance(10_000);

    assertEquals(page.events.map(({ context }) => context?.pageUrl), [...views]);
  });
}
