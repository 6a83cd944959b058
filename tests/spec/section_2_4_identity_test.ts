import { assertEquals, assertMatch } from "@std/assert";
import { aggregateBody, fullBody, only, startVisit, UUID_V4 } from "../support/visit.ts";

Deno.test("SPEC 2.4 anonymousId: the SDK's random visitor identifier for full analytics", async () => {
  const { client, accepted } = startVisit();

  client.step("a");

  assertMatch(only(await accepted()).identity?.anonymousId ?? "", UUID_V4);
});

Deno.test("SPEC 2.4 anonymousId: the same over loads", async () => {
  const first = startVisit();
  first.client.step("a");
  first.page.close();
  const second = startVisit({}, { browser: first.browser });

  second.client.step("b");
  const [b] = await second.accepted();

  assertEquals(b?.identity?.anonymousId, only(first.page.events).identity?.anonymousId);
});

Deno.test("SPEC 2.4 anonymousId: omitted for aggregate pageviews", async () => {
  const { client, page, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" });

  client.identify("user-1");
  await accepted();

  const { text } = only(page.requests);
  assertEquals(["anonymousId", "identity", "userId", "user-1"].filter((word) => text.includes(word)), []);
  assertEquals(aggregateBody(only(page.requests)).events.length, 1);
});

Deno.test("SPEC 2.4 traits: key-value metadata about the user", async () => {
  const { client, accepted } = startVisit();

  client.identify("user-1", { plan: "pro", seats: 3, tags: ["a"], nested: { ok: true, none: null } });
  client.step("a");

  assertEquals(only(await accepted()).identity?.traits, {
    plan: "pro",
    seats: 3,
    tags: ["a"],
    nested: { ok: true, none: null },
  });
});

Deno.test("SPEC 2.4 and 4.2 traits: replaced wholesale by each identify() call", async () => {
  const { client, accepted } = startVisit();

  client.identify("user-1", { plan: "pro", seats: 3 });
  client.identify("user-1", { seats: 4 });
  client.step("a");

  assertEquals(only(await accepted()).identity?.traits, { seats: 4 });
});

Deno.test("SPEC 2.4 traits: absent after an identify() without them", async () => {
  const { client, accepted } = startVisit();

  client.identify("user-1", { plan: "pro" });
  client.identify("user-1");
  client.step("a");

  assertEquals(Object.keys(only(await accepted()).identity ?? {}).sort(), ["anonymousId", "userId"]);
});

Deno.test("SPEC 2.4 and 4.2 userId: null for an anonymous session, and current from the event after identify() on", async () => {
  const { client, accepted } = startVisit();

  client.step("before");
  client.identify("user-1");
  client.step("after");

  assertEquals((await accepted()).map(({ identity }) => identity?.userId), [null, "user-1"]);
});

Deno.test("SPEC 2.4 Identity: of the payload and of the event are the same shape", async () => {
  const { client, page, accepted } = startVisit();

  client.identify("user-1", { plan: "pro" });
  client.step("a");
  await accepted();

  const body = fullBody(only(page.requests));
  assertEquals(body.identity, only(body.events).identity);
});
