import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { at, only, startVisit, UUID_V4 } from "../support/visit.ts";

Deno.test("SPEC 2.6 id: a random UUID", async () => {
  const { client, accepted } = startVisit();

  client.step("a");

  assertMatch(only(await accepted()).id, UUID_V4);
});

Deno.test("SPEC 2.6 id: unique", async () => {
  const { client, accepted } = startVisit({ trackPageviews: true });

  for (let i = 0; i < 120; i++) client.step("a");

  const events = await accepted();
  assertEquals([events.length, new Set(events.map(({ id }) => id)).size], [121, 121]);
});

Deno.test("SPEC 2.6 and 4.2 name: the event name passed to step()", async () => {
  const { client, accepted } = startVisit();

  client.step('Order "completed"\n✓');

  assertEquals(only(await accepted()).name, 'Order "completed"\n✓');
});

Deno.test("SPEC 2.6 and 4.2 properties: those passed to step()", async () => {
  const { client, accepted } = startVisit();

  client.step("a", { plan: "pro", seats: 3, tags: ["x", null], nested: { deep: { ok: true } } });

  assertEquals(only(await accepted()).properties, {
    plan: "pro",
    seats: 3,
    tags: ["x", null],
    nested: { deep: { ok: true } },
  });
});

Deno.test("SPEC 2.6 properties: deep-cloned, later changes alter nothing", async () => {
  const { client, accepted } = startVisit();
  const properties = { cart: { items: ["sencha"] } };

  client.step("a", properties);
  properties.cart.items.push("matcha");

  assertEquals(only(await accepted()).properties, { cart: { items: ["sencha"] } });
});

Deno.test("SPEC 2.6 properties: present only when supplied", async () => {
  const { client, accepted } = startVisit();

  client.step("without");
  client.step("undefined", undefined);
  client.step("empty", {});

  const events = await accepted();
  assertEquals(events.map((event) => Object.hasOwn(event, "properties")), [false, false, true]);
  assertEquals(at(events, 2).properties, {});
});

Deno.test("SPEC 2.6 timestamp: ISO 8601 UTC, recorded at call time", async () => {
  const { browser, client, page } = startVisit();
  browser.setNow(Date.UTC(2026, 4, 6, 7, 8, 9, 10));

  client.step("a");
  await browser.advance(5000);

  assertEquals(only(page.events).timestamp, "2026-05-06T07:08:09.010Z");
});

Deno.test("SPEC 2.6 sessionId: the session active when the event was tracked", async () => {
  const { client, accepted } = startVisit();

  client.step("a");
  client.step("b");
  client.reset();
  client.step("c");

  const [a, b, c] = (await accepted()).map(({ sessionId }) => sessionId);
  assertEquals(a, b);
  assertNotEquals(b, c);
});

Deno.test("SPEC 2.6 identity: snapshot, later identify() calls do not alter earlier events", async () => {
  const { client, accepted } = startVisit();
  const traits = { address: { city: "Bern" } };

  client.identify("user-1", traits);
  client.step("a");
  traits.address.city = "Basel";
  client.identify("user-2", { plan: "pro" });
  client.step("b");

  const identities = (await accepted()).map(({ identity }) => [identity?.userId, identity?.traits]);
  assertEquals(identities, [["user-1", { address: { city: "Bern" } }], ["user-2", { plan: "pro" }]]);
});

Deno.test("SPEC 2.6 StepEvent: holds nothing but the seven fields", async () => {
  const { client, accepted } = startVisit();

  client.step("a", { ok: true });

  assertEquals(Object.keys(only(await accepted())).sort(), [
    "context",
    "id",
    "identity",
    "name",
    "properties",
    "sessionId",
    "timestamp",
  ]);
});

Deno.test("SPEC 2.6 StepEvent: sent in the events array in the order of the calls", async () => {
  const { client, accepted } = startVisit();

  client.step("first");
  client.step("second");
  client.step("third");

  assertEquals((await accepted()).map(({ name }) => name), ["first", "second", "third"]);
});
