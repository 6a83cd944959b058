import { assertEquals } from "@std/assert";
import { createClient } from "../../src/client/mod.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { SDK_VERSION } from "../../src/client/base/version.ts";

Deno.test("createClient() sends a step of a test page in one request", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas?sort=price#green", {
    referrer: "https://search.example/",
    title: "Teas",
    screen: { width: 390, height: 844 },
  });
  const client = createClient(
    { apiKey: "pk_test_123", endpoint: "https://ingest.example/v1/events" },
    page.environment,
  );

  client.identify("user-1", { plan: "pro" });
  client.step("tea_chosen", { name: "Sencha" });
  const flushed = client.flush();
  await browser.settle();
  await flushed;

  assertEquals(page.requests.length, 1);
  const { url, headers, body, keepalive, priority, timeMs, state, status } = page.requests[0] ?? {};
  assertEquals({ url, keepalive, priority, timeMs, state, status }, {
    url: "https://ingest.example/v1/events",
    keepalive: false,
    priority: "low",
    timeMs: Date.UTC(2026, 0),
    state: "answered",
    status: 202,
  });
  assertEquals(headers, {
    "Content-Type": "application/json",
    "X-API-Key": "pk_test_123",
    "X-Vendor-SDK-Version": SDK_VERSION,
  });
  const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
  const [event] = page.events;
  const identity = { userId: "user-1", traits: { plan: "pro" }, anonymousId: event?.identity?.anonymousId };
  const context = {
    sdkName: "@vendor/sdk",
    sdkVersion: SDK_VERSION,
    pageUrl: "https://shop.example/teas?sort=price#green",
    referrer: "https://search.example/",
    pageTitle: "Teas",
    screenWidth: 390,
    screenHeight: 844,
  };
  assertEquals<unknown>(body, {
    type: "event",
    batchId: uuid(4),
    sentAt: "2026-01-01T00:00:00.000Z",
    sessionId: event?.sessionId,
    identity,
    context,
    events: [{
      id: event?.id,
      name: "tea_chosen",
      properties: { name: "Sencha" },
      timestamp: "2026-01-01T00:00:00.000Z",
      sessionId: event?.sessionId,
      identity,
      context,
    }],
  });
  assertEquals(new Set([event?.id, event?.sessionId, identity.anonymousId]), new Set([uuid(1), uuid(2), uuid(3)]));
  client.close();
});
