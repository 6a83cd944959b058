import { assertEquals, assertNotEquals } from "@std/assert";
import { at, only, startVisit, warningsOf } from "../support/visit.ts";

Deno.test("identify() takes a non-empty string, anything else is a warning and changes nothing", async () => {
  const { page, client, accepted } = startVisit();
  client.identify("user-1", { plan: "pro" });

  for (const value of ["", 42, null, { toString: () => "user-2" }]) client.identify(value as string, { plan: "free" });
  client.step("a");

  const { identity } = only(await accepted());
  assertEquals([identity?.userId, identity?.traits], ["user-1", { plan: "pro" }]);
  assertEquals(only(warningsOf(page)).startsWith("[Vendor] "), true);
});

for (const length of [1000, 1001]) {
  Deno.test(`identify() ${length > 1000 ? "ignores" : "takes"} a userId of ${length} characters, of whatever kind`, async () => {
    const { client, accepted } = startVisit();
    const userId = `\n${"🍵".repeat(length - 1)}`;

    client.identify(userId);
    client.step("a");

    assertEquals(only(await accepted()).identity?.userId, length > 1000 ? null : userId);
  });
}

Deno.test("identify() leaves anonymousId and session as they are", async () => {
  const { client, accepted } = startVisit();

  client.step("a");
  client.identify("user-1");
  client.step("b");

  const [a, b] = await accepted();
  assertEquals([b?.identity?.anonymousId, b?.sessionId], [a?.identity?.anonymousId, a?.sessionId]);
});

Deno.test("identify() is for the page only: nothing is stored, the next load is anonymous", async () => {
  const first = startVisit();
  first.client.identify("user-1", { plan: "pro" });
  first.client.step("a");
  await first.accepted();
  first.page.close();
  const stored = [...first.browser.storage].flat().join(" ");
  const { client, accepted } = startVisit({}, { browser: first.browser });

  client.step("a");

  assertEquals([stored.includes("user-1"), stored.includes("pro")], [false, false]);
  assertEquals(only(await accepted()).identity?.userId, null);
});

Deno.test("reset() gives a new anonymousId and a new session, without user and traits, for the next load too", async () => {
  const first = startVisit();
  first.client.identify("user-1", { plan: "pro" });
  first.client.step("a");
  first.client.reset();
  first.client.step("b");
  await first.accepted();
  first.page.close();
  const second = startVisit({}, { browser: first.browser });

  second.client.step("c");

  const [a, b, c] = [...first.page.events, ...await second.accepted()];
  assertEquals([a?.identity?.userId, a?.identity?.traits], ["user-1", { plan: "pro" }]);
  assertEquals([b?.identity?.userId, b?.identity?.traits], [null, undefined]);
  assertNotEquals(b?.identity?.anonymousId, a?.identity?.anonymousId);
  assertNotEquals(b?.sessionId, a?.sessionId);
  assertEquals([c?.identity, c?.sessionId], [b?.identity, b?.sessionId]);
});

Deno.test("reset() tells the device one task later, whatever comes after it", async () => {
  const { browser, client } = startVisit();
  await browser.settle();
  const before = browser.storage.get("vendor.sdk.visitor");

  client.reset();
  await browser.settle();

  assertNotEquals(browser.storage.get("vendor.sdk.visitor"), before);
});

Deno.test("reset() without an event is for the next load too, though the page goes in its task", async () => {
  const first = startVisit();
  first.client.step("a");
  await first.accepted();
  first.client.reset();
  first.page.close();
  const { client, accepted } = startVisit({}, { browser: first.browser });

  client.step("b");

  const a = at(first.page.events, 0);
  const b = only(await accepted());
  assertNotEquals(b.identity?.anonymousId, a.identity?.anonymousId);
  assertNotEquals(b.sessionId, a.sessionId);
  assertEquals(first.client.getConsent(), "granted");
});

Deno.test("reset() while pending forgets the remembered identify(), a later one applies", async () => {
  const forgotten = startVisit({ consent: "pending" });
  const identified = startVisit({ consent: "pending" });
  for (const { client } of [forgotten, identified]) {
    client.identify("user-1");
    client.reset();
  }
  identified.client.identify("user-2");

  const users = [];
  for (const { client, accepted } of [forgotten, identified]) {
    client.setConsent("granted");
    client.step("a");
    users.push(only(await accepted()).identity?.userId);
  }

  assertEquals(users, [null, "user-2"]);
});

Deno.test("reset() while pending replaces stored identifiers unread once granted", async () => {
  const first = startVisit();
  first.client.step("a");
  const a = only(await first.accepted());
  first.page.close();
  const { browser, page, client, accepted } = startVisit({ consent: "pending" }, { browser: first.browser });

  client.reset();
  await browser.settle();
  const touchedWhilePending = page.touched.storage;
  client.setConsent("granted");
  client.step("b");

  const b = only(await accepted());
  assertEquals(touchedWhilePending, 0);
  assertNotEquals(b.identity?.anonymousId, a.identity?.anonymousId);
  assertNotEquals(b.sessionId, a.sessionId);
  assertEquals([...browser.storage.values()].join().includes(`${a.identity?.anonymousId}`), false);
});

Deno.test("a visitor who is new since reset() stays the same through pending", async () => {
  const { browser, client, accepted } = startVisit();
  client.reset();
  client.step("a");
  await browser.advance(5000);

  client.setConsent("pending");
  client.setConsent("granted");
  client.step("b");

  const visitors = (await accepted()).map(({ identity, sessionId }) => [identity?.anonymousId, sessionId]);
  assertEquals(visitors[1], visitors[0]);
});

Deno.test("what a prerendered page recorded before reset() is of the visitor of its activation, with nobody signed in", async () => {
  const { browser, page, client } = startVisit({}, { isPrerendering: true });
  client.identify("user-1");
  client.step("before");
  client.reset();
  client.step("after");

  page.activate();
  await browser.advance(5000);

  assertEquals(page.events.map(({ name, identity }) => [name, identity?.userId]), [["before", null], ["after", null]]);
});

Deno.test("reset() is carried out on a page that gives every object a toJSON() that throws", async () => {
  const { browser, page, client } = startVisit();
  client.identify("user-1");
  client.step("before");
  await browser.advance(5000);
  client.step("meanwhile");
  const fail = (): never => {
    throw new Error("no model");
  };
  Object.defineProperty(Object.prototype, "toJSON", { configurable: true, value: fail });
  try {
    client.reset();
  } finally {
    Reflect.deleteProperty(Object.prototype, "toJSON");
  }
  client.step("after");
  await browser.advance(5000);

  const { identity: before } = page.events[0] ?? {};
  const { name, identity: after } = page.events.at(-1) ?? {};
  assertEquals([before?.userId, name, after?.userId], ["user-1", "after", null]);
  assertNotEquals(after?.anonymousId, before?.anonymousId);
});
