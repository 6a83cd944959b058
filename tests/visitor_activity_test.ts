import { assertEquals } from "@std/assert";
import { createClient } from "../src/client.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { startVisit } from "./support/visit.ts";

const MINUTE_MS = 60_000;

Deno.test("a session goes on over pages that each last a few seconds and have one event", async () => {
  const browser = createTestBrowser();
  const sessions = new Set<string | undefined>();

  for (let minute = 0; minute < 40; minute++) {
    const { page, accepted } = startVisit({ trackPageviews: true }, { browser });
    await accepted();
    await browser.advance(4000);
    page.close();
    for (const { sessionId } of page.events) sessions.add(sessionId);
    await browser.advance(MINUTE_MS - 4000);
  }

  assertEquals([browser.events.length, sessions.size], [40, 1]);
});

Deno.test("a load without an event doesn't keep a session going", async () => {
  const browser = createTestBrowser();
  const first = startVisit({}, { browser });
  first.client.step("first");
  await browser.advance(20 * MINUTE_MS);
  const second = startVisit({}, { browser });
  await browser.advance(20 * MINUTE_MS);

  second.client.step("second");
  await second.accepted();

  const [before, after] = browser.events;
  assertEquals([before?.sessionId === after?.sessionId, before?.name, after?.name], [false, "first", "second"]);
  first.client.close();
  second.client.close();
});

Deno.test("a call that waited for a prerendered page to be shown doesn't put the session's end back", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas", { isPrerendering: true });
  const client = createClient({ apiKey: "pk", trackPageviews: true }, page.environment);
  client.step("early");
  await browser.advance(20 * MINUTE_MS);
  page.activate();
  await browser.advance(15 * MINUTE_MS);
  client.step("late");

  await browser.advance(6000);

  assertEquals(page.events.map(({ name }) => name), ["$pageview", "early", "late"]);
  assertEquals(new Set(page.events.map(({ sessionId }) => sessionId)).size, 1);
  client.close();
});

Deno.test("a session that a grant found on the device is as old as its last event", async () => {
  const browser = createTestBrowser();
  const first = startVisit({}, { browser });
  first.client.step("first");
  await first.accepted();
  const stored = browser.storage.get("vendor.sdk.session");
  await browser.advance(MINUTE_MS);

  const second = startVisit({ consent: "pending" }, { browser });
  second.client.setConsent("granted");

  assertEquals(browser.storage.get("vendor.sdk.session"), stored);
  first.client.close();
  second.client.close();
});
