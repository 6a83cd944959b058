import { assertEquals } from "@std/assert";
import { addRules } from "../../../src/addons/rules/mod.ts";
import { auto } from "../../../src/addons/auto/mod.ts";
import { createInstance } from "../../../src/client/instance.ts";
import { createClient } from "../../../src/client/mod.ts";
import { dispatch, override } from "../../client/platform/window_scope.ts";
import type { StepEvent } from "../../../mod.ts";
import { type AutoStage, autoTest } from "./page.ts";

const options = { engagement: true };
const DAY_MS = 24 * 60 * 60_000;
const config = { trackPageviews: true } as const;

/** Hides the page, or shows it. */
function setVisible({ scope, page }: AutoStage, isVisible: boolean): void {
  override(scope.document, { visibilityState: isVisible ? "visible" : "hidden", hasFocus: () => isVisible });
  dispatch(scope, { type: "visibilitychange", target: scope.document });
  if (isVisible) page.show();
  else page.hide();
}

function setSize({ scope }: AutoStage, scrollY: number, height = 1000): void {
  override(scope, { scrollY, innerHeight: 500 });
  override(scope.document.documentElement, { scrollHeight: height });
}

/** Makes the page visible and focused. */
function begin(stage: AutoStage): void {
  setSize(stage, 0);
  setVisible(stage, true);
}

autoTest("auto() sums the time in which a page is visible and focused", { config, options }, async (stage) => {
  const { browser, sent, scope } = stage;
  begin(stage);
  await browser.advance(2000);
  override(scope.document, { hasFocus: () => false });
  dispatch(scope, { type: "blur" });
  await browser.advance(10_000);
  override(scope.document, { hasFocus: () => true });
  dispatch(scope, { type: "focus" });
  await browser.advance(3000);
  setVisible(stage, false);
  await browser.advance(60_000);
  setVisible(stage, true);
  await browser.advance(500);
  setVisible(stage, false); // too short
  const [pageview] = stage.page.events;
  assertEquals(await sent(), [["$engagement", { engagedMs: 5000, scrollPercent: 50, pageviewId: pageview?.id }]]);
});

autoTest("auto() records a new depth, also after less than a second", { config, options }, async (stage) => {
  const { browser, sent, scope } = stage;
  begin(stage);
  setSize(stage, 250);
  dispatch(scope, { type: "scroll", target: scope.document });
  await browser.advance(300);
  setSize(stage, 0);
  setVisible(stage, false);
  setVisible(stage, true);
  setVisible(stage, false);
  const properties = (await sent()).map(([, each]) => each as Record<string, unknown>);
  assertEquals(properties.map(({ engagedMs, scrollPercent }) => [engagedMs, scrollPercent]), [[300, 75]]);
});

autoTest(
  "engagement has the page and the pageview it is of, before rules see it",
  { config, options },
  async (stage) => {
    const { browser, page, client } = stage;
    const seen: string[] = [];
    addRules(client, (event) => {
      if (event.name === "$engagement") seen.push(`${event.url} ${event.title}`);
      return { ...event, title: event.title.toUpperCase() };
    });
    begin(stage);
    await browser.advance(4000);
    page.pushState("/basket");
    page.setTitle("Basket");
    await browser.advance(2000);
    setVisible(stage, false);
    await browser.advance(6000);

    assertEquals(seen, ["https://shop.example/teas Teas", "https://shop.example/basket Basket"]);
    const [teas, basket, first, second] = page.events.toSorted((one, two) => two.name < one.name ? -1 : 1);
    assertEquals([first, second].map((event) => event?.properties), [
      { engagedMs: 4000, scrollPercent: 50, pageviewId: teas?.id },
      { engagedMs: 2000, scrollPercent: 50, pageviewId: basket?.id },
    ]);
    assertEquals(second?.context, basket?.context);
    assertEquals(first?.context?.pageTitle, "TEAS");
  },
);

autoTest("engagement never starts a session", { config, options }, async (stage) => {
  const { browser, page } = stage;
  begin(stage);
  await browser.advance(30 * 60_000);
  setVisible(stage, false);
  await browser.advance(6000);
  assertEquals(page.events.map(({ name }) => name), ["$pageview"]);
});

autoTest("engagement starts a session neither where nothing was recorded", { options }, async (stage) => {
  begin(stage);
  await stage.browser.advance(5000);
  setVisible(stage, false);
  assertEquals(await stage.sent(), []);
});

autoTest("engagement starts no session neither where one is a day old", { config, options }, async (stage) => {
  const { browser, client, page } = stage;
  begin(stage);
  for (let hours = 0.5; hours < 24; hours += 0.25) {
    await browser.advance(15 * 60_000);
    client.step("still there");
  }
  await browser.advance(30 * 60_000 - 1);
  setVisible(stage, false);
  setVisible(stage, true);
  await browser.advance(10_000);
  setVisible(stage, false);
  await browser.advance(6000);
  const engagements = page.events.filter(({ name }) => name === "$engagement");
  assertEquals(engagements.map(({ properties }) => properties?.engagedMs), [DAY_MS - 1]);
});

autoTest("nothing of the time before a grant counts, and nothing after a withdrawal", {
  config: { ...config, consent: "pending" },
  options,
}, async (stage) => {
  const { browser, client, page } = stage;
  begin(stage);
  await browser.advance(9000);
  const { storage } = page.touched;
  assertEquals(storage, 0);
  client.setConsent("granted");
  await browser.advance(2000);
  setVisible(stage, false);
  setVisible(stage, true);
  await browser.advance(2000);
  client.setConsent("pending");
  setVisible(stage, false);
  const sent = await stage.sent();
  assertEquals(sent.map(([, each]) => (each as { engagedMs: number }).engagedMs), [2000]);
});

autoTest("a page that was recorded before auto() is found", {
  config: { trackPageviews: false },
  options: {},
}, async (stage) => {
  const { browser } = stage;
  const page = browser.open("https://shop.example/late");
  const client = createClient({ apiKey: "pk_test", ...config }, page.environment);
  await browser.advance(1500);
  const stop = auto(client, options);
  begin(stage);
  await browser.advance(1000);
  setVisible(stage, false);
  await browser.advance(6000);
  const { id } = page.events.find(({ name }) => name === "$pageview") ?? {};
  assertEquals(page.events.find(({ name }) => name === "$engagement")?.properties?.pageviewId, id);
  stop();
  client.close();
});

autoTest("a pageview that an earlier page left is none of this page", { options: {} }, async (stage) => {
  const { browser } = stage;
  browser.goOffline();
  const early = browser.open("https://shop.example/early");
  createClient({ apiKey: "pk_test", ...config }, early.environment);
  await browser.advance(1500);
  early.close();
  const page = browser.open("https://shop.example/late");
  const client = createClient({ apiKey: "pk_test" }, page.environment);
  await browser.advance(10_000);
  const stop = auto(client, options);
  client.step("opened");
  begin(stage);
  await browser.advance(2000);
  setVisible(stage, false);
  browser.goOnline();
  await browser.advance(6000);

  const engagement = page.events.find(({ name }) => name === "$engagement");
  assertEquals(page.events.map(({ name }) => name).toSorted(), ["$engagement", "$pageview", "opened"]);
  assertEquals(engagement?.properties, { engagedMs: 2000, scrollPercent: 50 });
  assertEquals(engagement?.context?.pageUrl, "https://shop.example/late");
  stop();
  client.close();
});

autoTest(
  "engagement is never of two visitors: what came before reset() is lost",
  { config, options },
  async (stage) => {
    const { browser, client, page } = stage;
    begin(stage);
    await browser.advance(60_000);
    client.reset();
    await browser.advance(5000);
    page.pushState("/login");
    await browser.advance(2000);
    setVisible(stage, false);
    await browser.advance(6000);

    const [, login] = page.events.filter(({ name }) => name === "$pageview");
    const engagements = page.events.filter(({ name }) => name === "$engagement");
    assertEquals(
      engagements.map(({ properties, identity }) => [properties, identity?.anonymousId]),
      [[{ engagedMs: 2000, scrollPercent: 50, pageviewId: login?.id }, login?.identity?.anonymousId]],
    );
  },
);

autoTest("engagement is none where another tab made somebody else the visitor", { config, options }, async (stage) => {
  const { browser, page } = stage;
  begin(stage);
  await browser.advance(5000);
  const other = createClient({ apiKey: "pk_test" }, browser.open("https://shop.example/logout").environment);
  other.reset();
  other.step("signed out");
  await browser.advance(5000);
  setVisible(stage, false);
  await browser.advance(6000);
  other.close();

  assertEquals(page.events.map(({ name }) => name), ["$pageview"]);
});

autoTest("time after a redirect that led back is of the page that was there", { config, options }, async (stage) => {
  const { browser, page, sent } = stage;
  begin(stage);
  await browser.advance(2000);
  page.pushState("/members");
  page.replaceState("/teas");
  await browser.advance(3000);
  setVisible(stage, false);

  const engagements = await sent();
  const pageviews = page.events.filter(({ name }) => name === "$pageview");
  const its = { scrollPercent: 50, pageviewId: pageviews[0]?.id };
  assertEquals(pageviews.length, 1);
  assertEquals(engagements, [
    ["$engagement", { engagedMs: 2000, ...its }],
    ["$engagement", { engagedMs: 3000, ...its }],
  ]);
});

for (
  const [what, next, engagement] of [
    ["goes to no other account than its page", { apiKey: "pk_second", ...config }, ["pk_second", 2000, "pk_second"]],
    ["is of no page of the account before", { apiKey: "pk_second" }, ["pk_second", 2000, undefined]],
    ["goes on over an init() for the same account", { apiKey: "pk_first", ...config }, ["pk_first", 7000, "pk_first"]],
  ] as const
) {
  autoTest(`engagement ${what}`, { options: {} }, async (stage) => {
    const { browser } = stage;
    const page = browser.open("https://shop.example/late");
    const client = createInstance(page.environment);
    const stop = auto(client, options);
    client.init({ apiKey: "pk_first", ...config });
    begin(stage);
    await browser.advance(5000);
    client.init(next);
    client.step("opened");
    await browser.advance(2000);
    setVisible(stage, false);
    await browser.advance(6000);

    const received = page.requests.flatMap(({ headers, body }) =>
      body.events.map((event) => ({ key: headers["X-API-Key"], ...event as StepEvent }))
    );
    const engagements = received.filter(({ name }) => name === "$engagement").map(({ key, properties }) => [
      key,
      properties?.engagedMs,
      received.find(({ id }) => id === properties?.pageviewId)?.key,
    ]);
    assertEquals(engagements, [[...engagement]]);
    stop();
    client.close();
  });
}

autoTest("engagement without a pageview leaves out what came before reset()", {
  config: { trackPageviews: false },
  options,
}, async (stage) => {
  const { browser, client, sent } = stage;
  client.step("opened");
  begin(stage);
  await browser.advance(60_000);
  client.reset();
  client.step("opened");
  await browser.advance(3000);
  setVisible(stage, false);
  assertEquals((await sent()).slice(2), [["$engagement", { engagedMs: 3000, scrollPercent: 50 }]]);
});

autoTest("engagement touches no storage in the task of init()", { options: {} }, async ({ browser }) => {
  const page = browser.open("https://shop.example/late");
  const client = createClient({ apiKey: "pk_test", ...config }, page.environment);
  const stop = auto(client, options);
  assertEquals(page.touched.storage, 0);
  stop();
  client.close();
  await browser.advance(0);
});

for (const where of ["page", "shadow tree"]) {
  autoTest(`engagement ends with the focus that leaves a frame of the ${where}`, { config, options }, async (stage) => {
    const { browser, sent, scope } = stage;
    const frame = scope.document.createElement("iframe");
    const host = stage.html("<div></div>");
    const root = host.attachShadow({ mode: "open" });
    (where === "page" ? host : root).append(frame);
    begin(stage);
    await browser.advance(1000);
    override(root, { activeElement: where === "page" ? null : frame });
    override(scope.document, { activeElement: where === "page" ? frame : host });
    dispatch(scope, { type: "blur" });
    await browser.advance(3000);
    override(scope.document, { hasFocus: () => false }); // no event tells of it
    await browser.advance(60_000);
    setVisible(stage, false);

    const [[, properties] = []] = await sent();
    const { engagedMs = 0 } = properties as { readonly engagedMs?: number };
    assertEquals([engagedMs >= 4000, engagedMs <= 5000], [true, true], `${engagedMs} ms`);
  });
}
