import { assertEquals, assertNotEquals } from "@std/assert";
import type { StorageChange } from "../../src/client/mod.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { savedNames } from "../support/entries.ts";
import { at, createVendor, namesOf, openPage, startVisit, type Visit } from "../support/visit.ts";

const VISITOR_KEY = "vendor.sdk.visitor";
const SESSION_KEY = "vendor.sdk.session";

/** Opens two tabs of a site, each with a user and an event that was sent. */
async function openTabs(trackPageviews = false): Promise<{ readonly first: Visit; readonly second: Visit }> {
  const browser = createTestBrowser();
  const first = startVisit({}, { browser, title: "First" });
  const second = startVisit({ trackPageviews }, { browser, title: "Second" });
  for (const { client, accepted } of [first, second]) {
    client.identify("user-1", { plan: "pro" });
    client.step("before");
    await accepted();
  }
  await browser.advance(10_000); // past the time in which a session isn't written again
  return { first, second };
}

for (
  const [what, deny] of [
    ["setConsent()", ({ client }) => client.setConsent("denied")],
    ["an init() of a page that opens", ({ browser }) => void startVisit({ consent: "denied" }, { browser })],
    ["an init() with another key", ({ browser }) => {
      startVisit({ consent: "denied", apiKey: "pk_other" }, { browser });
    }],
    ["setConsent() after a reset()", ({ client }) => {
      client.reset();
      client.setConsent("denied");
    }],
    ["setConsent() on a page without an event", ({ browser }) => {
      startVisit({}, { browser }).client.setConsent("denied");
    }],
    ["setConsent() while it's pending", ({ browser }) => {
      startVisit({ consent: "pending" }, { browser }).client.setConsent("denied");
    }],
  ] satisfies readonly [string, (first: Visit) => void][]
) {
  Deno.test(`a denial in another tab by ${what} ends collection, and throws away unread what waits`, async () => {
    const { first, second: { browser, page, client } } = await openTabs(true);
    browser.respond("hang");
    client.step("under way");
    client.flush();
    page.pushState("/awaits-its-title");
    await browser.settle();
    client.step("a draft");
    const { length } = browser.requests;
    const { title } = page.touched;

    deny(first);
    await browser.settle();
    client.step("later");
    browser.respond({ status: 202 });
    await browser.advance(600_000);
    page.close();

    assertEquals([client.getConsent(), browser.requests.length, [...browser.storage.keys()]], ["denied", length, []]);
    assertEquals([at(page.requests, -1).state, page.touched.title], ["aborted", title]);
  });
}

Deno.test("a denial is found out before anything else by a page that comes back from the back/forward cache", async () => {
  const { first, second: { browser, page, client } } = await openTabs(true);
  page.freeze();
  first.client.setConsent("denied");
  await browser.settle();
  const { length } = browser.requests;
  const { title, screen } = page.touched;

  page.restore();
  client.step("later");
  await browser.advance(60_000);

  assertEquals([client.getConsent(), browser.requests.length, [...browser.storage]], ["denied", length, []]);
  assertEquals([page.touched.title, page.touched.screen], [title, screen]);
});

Deno.test("denied and granted again while a page slept: what was erased isn't sent by it", async () => {
  const { first, second: { browser, page, client } } = await openTabs();
  browser.goOffline();
  client.step("erased");
  page.freeze();
  first.client.setConsent("denied");
  first.client.setConsent("granted");
  await browser.settle();

  page.restore();
  browser.goOnline();
  client.step("after");
  await browser.advance(60_000);

  const { name, identity } = at(page.events, -1);
  assertEquals([namesOf(page.events), name], [["before", "after"], "after"]);
  assertEquals([identity?.userId, identity?.anonymousId], [null, browser.storage.get(VISITOR_KEY)]);
});

Deno.test("a denial in another tab is heard where the site cleared its storage before", async () => {
  const { first: { browser, client } } = await openTabs();
  browser.storage.clear(); // by a script of this very page, which no event tells it
  client.step("after");
  await browser.advance(10_000);
  const { length } = browser.requests;

  startVisit({ consent: "denied" }, { browser });
  await browser.settle();
  client.step("later");
  await browser.advance(60_000);

  assertEquals([client.getConsent(), browser.requests.length, [...browser.storage.keys()]], ["denied", length, []]);
});

Deno.test("an identifier that the device never took isn't gone from it", async () => {
  const browser = createTestBrowser();
  browser.fillStorage();
  const { page, client, accepted } = startVisit({}, { browser });
  await browser.settle();
  startVisit({ consent: "denied" }, { browser });
  page.freeze();
  page.restore();

  client.step("a");

  assertEquals([namesOf(await accepted()), client.getConsent()], [["a"], "granted"]);
});

for (const isAsleep of [false, true]) {
  Deno.test(`who signs out in one tab is nobody's user in another${isAsleep ? " that sleeps" : ""}`, async () => {
    const { first, second } = await openTabs();
    const { browser } = first;
    second.client.step("a draft of the user");
    if (isAsleep) second.page.freeze();

    first.client.reset();
    await browser.settle();
    if (isAsleep) second.page.restore();
    first.client.step("a");
    await first.accepted();
    second.client.step("b");
    await second.accepted();

    const [before, draft] = second.page.events;
    const [a, b] = [at(first.page.events, -1), at(second.page.events, -1)];
    assertEquals([draft?.identity, draft?.sessionId], [before?.identity, before?.sessionId]);
    assertEquals([b.name, b.identity, b.sessionId], ["b", a.identity, a.sessionId]);
    assertEquals([a.identity?.userId, a.identity?.traits], [null, undefined]);
    assertNotEquals(a.identity?.anonymousId, before?.identity?.anonymousId);
    assertNotEquals(a.sessionId, before?.sessionId);
    assertEquals(browser.storage.get(VISITOR_KEY), a.identity?.anonymousId);
    assertEquals(browser.storage.get(SESSION_KEY)?.slice(0, 36), a.sessionId);
  });
}

Deno.test("a localStorage.clear() of the site in another tab is no denial, brings no old id back and signs out", async () => {
  const { first: { browser, page }, second } = await openTabs();
  second.client.step("a draft of the user");

  page.clearStorage();
  await browser.settle();
  const stored = [...browser.storage].join();
  second.client.step("after");
  await second.accepted();
  await browser.advance(60_000);

  const [before, draft, after] = second.page.events;
  const oldIds = [`${before?.identity?.anonymousId}`, `${before?.sessionId}`];
  const kept = `${stored} ${[...browser.storage].join()} ${JSON.stringify(after)}`;
  assertEquals([draft?.identity, draft?.sessionId], [before?.identity, before?.sessionId]);
  assertEquals([after?.identity?.userId, after?.identity?.traits], [null, undefined]);
  assertEquals(oldIds.filter((id) => kept.includes(id)), []);
  assertEquals([after?.name, second.client.getConsent()], ["after", "granted"]);
  assertEquals(browser.storage.get(VISITOR_KEY), after?.identity?.anonymousId);
});

Deno.test("a site that clears its storage in the page itself, and is left for another tab, goes on collecting", async () => {
  const { first: { browser, page, client, accepted } } = await openTabs();

  browser.storage.clear(); // as at a logout
  page.hide();
  page.show();
  client.step("after");

  assertEquals([namesOf(await accepted()), client.getConsent()], [["before", "after"], "granted"]);
});

Deno.test("what another tab writes of its own changes nothing", async () => {
  const { first: { browser, client, accepted } } = await openTabs();
  const other = openPage({ browser });

  other.page.environment.storage.set("cart", "1 tea");
  other.page.environment.storage.remove("cart");
  await browser.settle();
  client.step("after");

  assertEquals((await accepted()).map(({ identity }) => identity?.userId), ["user-1", "user-1"]);
});

Deno.test("a page that slept right after its reset() finds a denial", async () => {
  const { first, second } = await openTabs();
  first.client.reset();
  first.page.freeze();

  second.client.setConsent("denied");
  await first.browser.settle();
  first.page.restore();

  assertEquals(first.client.getConsent(), "denied");
});

Deno.test("who signs out in one tab shares no session with what the other tab finishes of the user before", async () => {
  const { first, second } = await openTabs();
  await first.browser.advance(31 * 60_000); // past the end of the session

  second.client.reset();
  first.client.step("of the user before");
  await first.browser.settle();
  second.client.step("of the next one");
  await first.browser.advance(10_000);

  const [before, next] = first.browser.events.slice(-2);
  assertEquals([before?.identity?.userId, next?.identity?.userId], ["user-1", null]);
  assertNotEquals(next?.sessionId, before?.sessionId);
});

Deno.test("a denial by another page while consent is pending: what was under way isn't kept at the next grant", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  await browser.advance(1000);
  client.setConsent("pending");
  const other = startVisit({ consent: "denied" }, { browser });
  await browser.settle(); // a page that isn't granted listens to no storage

  client.setConsent("granted");
  await browser.advance(120_000); // the request is given up meanwhile

  assertEquals([namesOf(page.requests.flatMap(({ body }) => body.events)), savedNames(browser)], [["a"], []]);
  for (const each of [client, other.client]) each.close();
});

/** Opens a tab whose user is signed in, and a page beside it that's loaded ahead, with the user and an event. */
async function loadAhead(): Promise<{ readonly first: Visit; readonly ahead: Visit }> {
  const { first } = await openTabs();
  const ahead = startVisit({ trackPageviews: true }, { browser: first.browser, isPrerendering: true });
  ahead.client.identify("user-1", { plan: "pro" });
  ahead.client.step("ahead");
  await first.browser.settle();
  return { first, ahead };
}

Deno.test("prerendering: a denial on the page in front is heard, and what waits is never sent", async () => {
  const { first, ahead: { browser, page, client } } = await loadAhead();
  first.client.setConsent("denied");
  await browser.settle();
  const { length } = browser.requests;
  const { title } = page.touched;
  assertEquals(client.getConsent(), "denied");

  page.activate();
  await browser.advance(60_000);
  page.close();

  assertEquals([browser.requests.length, [...browser.storage.keys()]], [length, []]);
  assertEquals(page.touched.title, title);
});

for (
  const [what, signOut] of [
    ["signs out", ({ client }) => client.reset()],
    ["signs out of a site that clears its storage", ({ page }) => page.clearStorage()],
  ] satisfies readonly [string, (first: Visit) => void][]
) {
  Deno.test(`prerendering: who ${what} on the page in front is nobody's user on the one behind`, async () => {
    const { first, ahead: { browser, page, client } } = await loadAhead();
    signOut(first);
    await browser.settle();

    page.activate();
    await browser.advance(5000);

    const storedId = browser.storage.get(VISITOR_KEY);
    const owners = page.events.map(({ name, identity }) => [name, identity?.userId, identity?.anonymousId]);
    assertEquals(owners, [["ahead", null, storedId], ["$pageview", null, storedId]]);
    assertEquals([client.getConsent(), page.events[0]?.identity?.traits], ["granted", undefined]);
  });
}

Deno.test("a denial erases the device before anything that may fail", async () => {
  const { browser, page } = openPage();
  const fail = (): never => {
    throw new Error("clearTimeout() of the page");
  };
  const client = createVendor({
    ...page.environment,
    setTimer(callback, delayMs) {
      page.environment.setTimer(callback, delayMs);
      return fail;
    },
  });
  client.init({ apiKey: "pk", flushInterval: 3_600_000 });
  client.step("a");
  await browser.advance(2000);
  const before = browser.storage.size;

  client.setConsent("denied");

  assertEquals([before > 0, [...browser.storage.keys()], client.getConsent()], [true, [], "denied"]);
});

for (const isPrerendering of [true, false]) {
  Deno.test(`a denial forgets the user, though consent is granted again, prerendered: ${isPrerendering}`, async () => {
    const { browser, page, client } = startVisit({}, { isPrerendering });
    client.identify("user-1", { plan: "pro" });
    client.setConsent("denied");
    client.setConsent("granted");
    client.step("a");

    page.activate();
    await browser.advance(5000);

    assertEquals(page.events.map(({ identity }) => [identity?.userId, identity?.traits]), [[null, undefined]]);
  });
}

Deno.test("prerendering: what is said when the page is shown comes before the page acts", async () => {
  const { ahead: { browser, page, client } } = await loadAhead();
  const { length } = browser.requests;

  page.activate();
  client.setConsent("denied"); // as a listener of prerenderingchange does that reads the saved choice
  await browser.advance(60_000);

  assertEquals([browser.requests.length, [...browser.storage.keys()]], [length, []]);
});

Deno.test("a storage that is cleared elsewhere, or an event that says nothing, signs nobody out", async () => {
  const { first: { browser, page, client, accepted } } = await openTabs();
  const listeners: ((change: StorageChange) => void)[] = [];
  const listenToStorage = (listener: (change: StorageChange) => void): () => void => {
    listeners.push(listener);
    return () => {};
  };
  const vendor = createVendor({ ...page.environment, listenToStorage });
  vendor.init({ apiKey: "pk_test" });
  vendor.identify("user-1");
  await browser.settle();

  for (const listener of listeners) {
    listener({ key: null, newValue: null }); // sessionStorage.clear() in a frame
    listener({} as StorageChange); // dispatchEvent(new Event("storage"))
  }
  vendor.step("after");
  vendor.flush();
  client.close();

  assertEquals(at(await accepted(), -1).identity?.userId, "user-1");
});

Deno.test("storage emptied while a page slept is a denial until the saved choice is set again, for a new visitor", async () => {
  const { second: { browser, page, client, accepted }, first } = await openTabs(true);
  const before = browser.storage.get(VISITOR_KEY);
  page.freeze();
  first.page.clearStorage();
  await browser.settle();

  page.restore();
  assertEquals([client.getConsent(), [...browser.storage.keys()]], ["denied", []]);
  client.setConsent("granted");
  client.step("after");

  const names = namesOf(await accepted());
  const { identity } = at(page.events, -1);
  assertEquals(names.slice(-2), ["$pageview", "after"]);
  assertEquals([identity?.userId, identity?.anonymousId], [null, browser.storage.get(VISITOR_KEY)]);
  assertNotEquals(identity?.anonymousId, before);
});
