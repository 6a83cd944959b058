import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { buildBody } from "../../src/client/delivery/batch.ts";
import { at, fullBody, only, startVisit, UUID_V4 } from "../support/visit.ts";

Deno.test("SPEC 2.7 EventRequestPayload: holds exactly the seven fields", async () => {
  const { client, page, accepted } = startVisit();

  client.step("a");
  await accepted();

  const fields = ["batchId", "context", "events", "identity", "sentAt", "sessionId", "type"];
  assertEquals(Object.keys(only(page.requests).body).sort(), fields);
});

Deno.test("SPEC 2.7 type: always event, for pageviews and identified visitors too", async () => {
  const { client, page, accepted } = startVisit({ trackPageviews: true, maxBatchSize: 1 });

  client.identify("user-1");
  client.step("a");
  await accepted();

  assertEquals(page.requests.map(({ body }) => body.type), ["event", "event"]);
});

Deno.test("SPEC 2.7 batchId: a random UUID for the batch", async () => {
  const { client, page, accepted } = startVisit({ maxBatchSize: 1 });

  client.step("a");
  client.step("b");
  await accepted();

  const [first, second] = page.requests.map(({ body }) => body.batchId);
  assertMatch(first ?? "", UUID_V4);
  assertNotEquals(first, second);
});

Deno.test("SPEC 2.7 sessionId: of the first event in the batch", async () => {
  const { client, page, accepted } = startVisit();

  client.step("a");
  client.reset();
  client.step("b");
  await accepted();

  const { sessionId, events } = fullBody(only(page.requests));
  assertEquals(sessionId, at(events, 0).sessionId);
  assertNotEquals(sessionId, at(events, 1).sessionId);
});

Deno.test("SPEC 2.7 identity: snapshot of the first event in the batch", async () => {
  const { client, page, accepted } = startVisit();

  client.identify("user-1", { plan: "pro" });
  client.step("a");
  client.identify("user-2");
  client.step("b");
  await accepted();

  const { identity, events } = fullBody(only(page.requests));
  assertEquals(identity, at(events, 0).identity);
  assertEquals([identity.userId, identity.traits], ["user-1", { plan: "pro" }]);
});

Deno.test("SPEC 2.7 context: snapshot of the first event in the batch", async () => {
  const { client, page, accepted } = startVisit({}, { title: "Teas" });

  client.step("a");
  page.pushState("/cart");
  client.step("b");
  await accepted();

  const { context, events } = fullBody(only(page.requests));
  assertEquals(context, at(events, 0).context);
  assertEquals(context.pageUrl, "https://shop.example/teas");
});

Deno.test("SPEC 2.7 sentAt: ISO 8601 UTC, taken when the payload is serialized, distinct from each event's timestamp", async () => {
  const { browser, client, page } = startVisit();

  client.step("a");
  await browser.advance(5000);

  const { sentAt, events } = only(page.requests).body;
  assertEquals([sentAt, only(events).timestamp], ["2026-01-01T00:00:05.000Z", "2026-01-01T00:00:00.000Z"]);
});

Deno.test("SPEC 2.7 empty batch: has the current session, identity and context", () => {
  const current = {
    sessionId: "s-1",
    identity: { userId: "user-1", anonymousId: "v-1", traits: { plan: "pro" } },
    context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: "https://shop.example/" },
  };
  const envelope = JSON.stringify(current).slice(1, -1);

  assertEquals(JSON.parse(buildBody({ id: "b-1", envelope, events: [] }, Date.UTC(2026, 0))), {
    type: "event",
    batchId: "b-1",
    ...current,
    events: [],
    sentAt: "2026-01-01T00:00:00.000Z",
  });
});
