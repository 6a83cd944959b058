import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { at, only, startVisit, warningsOf } from "./support/visit.ts";

Deno.test("identify() takes a non-empty string, anything else is a warning and changes nothing", async () => {
  const { page, client, accepted } = startVisit();
  client.identify("user-1", { plan: "pro" });

  client.identify("");
  client.identify(42 as unknown as string);
  client.identify(null as unknown as string, { plan: "free" });
  client.identify({ toString: () => "user-2" } as unknown as string);
  client.step("a");

  const { identity } = only(await accepted());
  assertEquals([identity?.userId, identity?.traits], ["user-1", { plan: "pro" }]);
  assert(only(warningsOf(page)).startsWith("[Vendor] "));
  client.close();
});

Deno.test("identify() clones traits at the call", async () => {
  const { client, accepted } = startVisit();
  const traits = { address: { city: "Bern" } };

  client.identify("user-1", traits);
  traits.address.city = "Basel";
  client.step("a");

  assertEquals(only(await accepted()).identity?.traits, { address: { city: "Bern" } });
  client.close();
});

Deno.test("identify() leaves traits out that are no object, with a warning, userId stays", async () => {
  const { page, client, accepted } = startVisit();

  client.identify("user-1", "pro" as unknown as object);
  client.step("a");

  const { identity } = only(await accepted());
  assertEquals([identity?.userId, Object.hasOwn(identity ?? {}, "traits")], ["user-1", false]);
  assertEquals(warningsOf(page).length, 1);
  client.close();
});

Deno.test("identify() takes traits of exactly 8 KiB of JSON in UTF-8", async () => {
  const { page, client, accepted } = startVisit();
  const traits = { note: "é".repeat((8192 - '{"note":""}'.length - 1) / 2) + "a" };
  assertEquals(new TextEncoder().encode(JSON.stringify(traits)).length, 8192);

  client.identify("user-1", traits);
  client.step("a");

  assertEquals(only(await accepted()).identity?.traits, traits);
  assertEquals(warningsOf(page), []);
  client.close();
});

Deno.test("identify() leaves traits out of one byte more, with a warning, userId stays", async () => {
  const { page, client, accepted } = startVisit();
  const traits = { note: "é".repeat((8192 - '{"note":""}'.length - 1) / 2) + "aa" };

  client.identify("user-1", traits);
  client.step("a");

  const { identity } = only(await accepted());
  assertEquals([identity?.userId, identity?.traits], ["user-1", undefined]);
  assertEquals(warningsOf(page).length, 1);
  client.close();
});

Deno.test("identify() leaves anonymousId and session as they are", async () => {
  const { client, accepted } = startVisit();

  client.step("a");
  client.identify("user-1");
  client.step("b");

  const [a, b] = await accepted();
  assertEquals([b?.identity?.anonymousId, b?.sessionId], [a?.identity?.anonymousId, a?.sessionId]);
  client.close();
});

Deno.test("identify() is for the page only, the next load is anonymous", async () => {
  const first = startVisit();
  first.client.identify("user-1", { plan: "pro" });
  first.page.close();
  const { client, accepted } = startVisit({}, { browser: first.browser });

  client.step("a");

  assertEquals(only(await accepted()).identity?.userId, null);
  client.close();
});

Deno.test("identify() while pending is remembered in memory only", async () => {
  const { browser, page, client } = startVisit({ consent: "pending" });

  client.identify("user-1", { plan: "pro" });
  await browser.advance(60_000);
  page.close();
  await browser.settle();

  assertEquals([page.requests.length, browser.storage.size, page.touched.storage], [0, 0, 0]);
});

Deno.test("identify() while pending is forgotten by denied", async () => {
  const { client, accepted } = startVisit({ consent: "pending" });
  client.identify("user-1");

  client.setConsent("denied");
  client.setConsent("granted");
  client.step("a");

  assertEquals(only(await accepted()).identity?.userId, null);
  client.close();
});

Deno.test("reset() gives a new anonymousId and a new session, without user and traits", async () => {
  const { client, accepted } = startVisit();
  client.identify("user-1", { plan: "pro" });
  client.step("a");

  client.reset();
  client.step("b");

  const [a, b] = await accepted();
  assertEquals([b?.identity?.userId, b?.identity?.traits], [null, undefined]);
  assertNotEquals(b?.identity?.anonymousId, a?.identity?.anonymousId);
  assertNotEquals(b?.sessionId, a?.sessionId);
  client.close();
});

Deno.test("reset() leaves queued events the identity they were captured with", async () => {
  const { client, accepted } = startVisit();
  client.identify("user-1", { plan: "pro" });
  client.step("a");
  client.reset();

  const { identity } = only(await accepted());

  assertEquals([identity?.userId, identity?.traits], ["user-1", { plan: "pro" }]);
  client.close();
});

Deno.test("reset() lets consent stay", () => {
  const { client } = startVisit({ consent: "pending" });

  client.reset();

  assertEquals(client.getConsent(), "pending");
  client.close();
});

Deno.test("reset() is for the next load too", async () => {
  const first = startVisit();
  first.client.step("a");
  first.client.reset();
  const [a] = await first.accepted();
  first.page.close();
  const { client, accepted } = startVisit({}, { browser: first.browser });

  client.step("b");

  assertNotEquals(only(await accepted()).identity?.anonymousId, a?.identity?.anonymousId);
  client.close();
});

Deno.test("reset() while pending forgets the remembered identify()", async () => {
  const { client, accepted } = startVisit({ consent: "pending" });
  client.identify("user-1");

  client.reset();
  client.setConsent("granted");
  client.step("a");

  assertEquals(only(await accepted()).identity?.userId, null);
  client.close();
});

Deno.test("reset() while pending replaces stored identifiers unread once granted", async () => {
  const first = startVisit();
  first.client.step("a");
  const a = only(await first.accepted());
  first.page.close();
  const { browser, page, client, accepted } = startVisit({ consent: "pending" }, { browser: first.browser });

  client.reset();
  const touchedWhilePending = page.touched.storage;
  client.setConsent("granted");
  client.step("b");

  const b = only(await accepted());
  assertEquals(touchedWhilePending, 0);
  assertNotEquals(b.identity?.anonymousId, a.identity?.anonymousId);
  assertNotEquals(b.sessionId, a.sessionId);
  assertEquals([...browser.storage.values()].join().includes(a.identity?.anonymousId ?? "?"), false);
  client.close();
});

Deno.test("reset() then identify() while pending applies the identify()", async () => {
  const { client, accepted } = startVisit({ consent: "pending" });
  client.identify("user-1");
  client.reset();
  client.identify("user-2");

  client.setConsent("granted");
  client.step("a");

  assertEquals(at(await accepted(), 0).identity?.userId, "user-2");
  client.close();
});

for (const length of [1000, 1001]) {
  Deno.test(`identify() ${length > 1000 ? "ignores" : "takes"} a userId of ${length} characters, which may be of any kind`, async () => {
    const { client, accepted } = startVisit();
    const userId = `\n${"🍵".repeat(length - 1)}`;

    client.identify(userId);
    client.step("a");

    assertEquals(only(await accepted()).identity?.userId, length > 1000 ? null : userId);
    client.close();
  });
}

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
  client.close();
});
