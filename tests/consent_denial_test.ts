import { assertEquals, assertNotEquals } from "@std/assert";
import { createClient } from "../src/client.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { only, startVisit } from "./support/visit.ts";

const AUTO_PENDING = { trackPageviews: "auto", consent: "pending" } as const;

Deno.test("pending -> denied discards unsent aggregates and stops timers", async () => {
  const { browser, page, client } = startVisit(AUTO_PENDING);
  await browser.settle();

  client.setConsent("denied");
  await browser.advance(60_000);
  page.close();
  await browser.settle();

  assertEquals(page.requests, []);
});

Deno.test("pending -> denied aborts requests in flight", async () => {
  const { browser, page, client } = startVisit(AUTO_PENDING);
  browser.respond("hang");
  await browser.advance(5000);

  client.setConsent("denied");
  await browser.advance(120_000);

  assertEquals(page.requests.map(({ state }) => state), ["aborted"]);
  client.close();
});

Deno.test("pending -> denied erases identifiers of earlier visits", () => {
  const storage = { "vendor.sdk.visitor": "x", "vendor.sdk.outbox.1.a.b": "y", "other": "z" };
  const { browser, client } = startVisit({ consent: "pending" });
  for (const [key, value] of Object.entries(storage)) browser.storage.set(key, value);

  client.setConsent("denied");

  assertEquals([...browser.storage.keys()], ["other"]);
  client.close();
});

Deno.test("granted -> denied discards the queue, aborts requests and erases every key in the same task", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 2, trackPageviews: true });
  browser.respond("hang");
  client.step("in flight");
  client.step("in flight too");
  await browser.settle();
  client.step("queued");

  client.setConsent("denied");
  const statesAtOnce = page.requests.map(({ state }) => state);
  const keysAtOnce = [...browser.storage.keys()];
  browser.respond({ status: 202 });
  await browser.advance(600_000);
  page.close();
  await browser.settle();

  assertEquals([statesAtOnce, keysAtOnce], [["aborted"], []]);
  assertEquals(page.requests.length, 1);
  assertEquals([...browser.storage.keys()], []);
});

Deno.test("granted -> denied stops every timer", async () => {
  const { environment } = createTestBrowser().open("https://shop.example/");
  let running = 0;
  const setTimer: typeof environment.setTimer = (callback, delayMs) => {
    const cancel = environment.setTimer(callback, delayMs);
    let isRunning = true;
    running++;
    return () => {
      if (isRunning) running--;
      isRunning = false;
      cancel();
    };
  };
  const client = createClient({ apiKey: "pk_1", trackPageviews: true, maxBatchSize: 2 }, { ...environment, setTimer });
  client.step("a");
  client.step("b");
  client.step("c");
  const before = running;

  client.setConsent("denied");
  await Promise.resolve();

  assertEquals([before > 0, running], [true, 0]);
  client.close();
});

Deno.test("granted -> denied discards retries", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 500 });
  client.step("a");
  await browser.advance(5000);
  const before = page.requests.length;

  client.setConsent("denied");
  browser.respond({ status: 202 });
  await browser.advance(600_000);

  assertEquals([before > 0, page.requests.length - before], [true, 0]);
  client.close();
});

Deno.test("granted -> denied -> granted starts over with new identifiers, anonymous", async () => {
  const { client, accepted } = startVisit();
  client.identify("user-1", { plan: "pro" });
  client.step("a");
  await accepted();

  client.setConsent("denied");
  client.setConsent("granted");
  client.step("b");

  const [a, b] = await accepted();
  assertEquals([b?.identity?.userId, b?.identity?.traits], [null, undefined]);
  assertNotEquals(a?.identity?.anonymousId, b?.identity?.anonymousId);
  assertNotEquals(a?.sessionId, b?.sessionId);
  client.close();
});

Deno.test("denied -> granted ignores an identify() made while denied", async () => {
  const { client, accepted } = startVisit({ consent: "denied" });
  client.identify("user-1");

  client.setConsent("granted");
  client.step("a");

  assertEquals(only(await accepted()).identity?.userId, null);
  client.close();
});
