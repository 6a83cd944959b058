import { assertEquals, assertLess } from "@std/assert";
import { at, namesOf, startVisit, type Visit, warningsOf } from "./support/visit.ts";

Deno.test("flush() sends what is queued now", async () => {
  const { browser, page, client } = startVisit();
  client.step("a");

  await settled(browser, client.flush());

  assertEquals(namesOf(page.events), ["a"]);
  client.close();
});

Deno.test("flush() resolves only when each event queued at the call is acknowledged", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  for (const name of ["a", "b", "c"]) client.step(name);
  const isDone = watch(client.flush());

  const seen: boolean[] = [];
  for (let i = 0; i < 3; i++) {
    await browser.settle();
    seen.push(isDone());
    at(page.requests, i).answer({ status: 202 });
  }
  await browser.settle();

  assertEquals([seen, isDone()], [[false, false, false], true]);
  client.close();
});

Deno.test("flush() costs little beside what it sends, however many batches wait", async () => {
  const send = async (isFlushed: boolean): Promise<number> => {
    const { browser, page, client } = startVisit({ maxBatchSize: 1 });
    browser.goOffline();
    for (let i = 0; i < 1500; i++) client.step("a");
    browser.goOnline();
    const startMs = performance.now();
    if (isFlushed) { for (let i = 0; i < 100; i++) client.flush(); }
    await browser.advance(5000);
    const tookMs = performance.now() - startMs;
    assertEquals(page.events.length, 1500);
    client.close();
    return tookMs;
  };
  await send(false);

  const unflushedMs = await send(false);
  const flushedMs = await send(true);

  assertLess(flushedMs, 4 * unflushedMs);
});

Deno.test("flush() resolves when what is queued was dropped", async () => {
  const { browser, client } = startVisit();
  browser.respond({ status: 400 });
  client.step("a");

  await settled(browser, client.flush());

  assertEquals(client.drops(), { rejected: 1 });
  client.close();
});

Deno.test("flush() resolves when what is queued waits: backoff", async () => {
  const { browser, client } = startVisit();
  browser.setRandom(0.9);
  browser.respond({ status: 503 });
  client.step("a");

  await settled(browser, client.flush());

  client.close();
});

Deno.test("flush() resolves when what is queued waits: Retry-After", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 429, retryAfterMs: 60_000 });
  client.step("a");
  client.flush();
  await browser.settle();
  client.step("b");

  await settled(browser, client.flush());

  assertEquals(page.requests.length, 1);
  client.close();
});

Deno.test("flush() resolves when what is queued waits: offline", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  client.step("a");

  await settled(browser, client.flush());

  assertEquals(page.requests, []);
  client.close();
});

Deno.test("flush() resolves when collection is inert: pending, denied, before init() and after close()", async () => {
  const pending = startVisit({ consent: "pending" });
  const denied = startVisit({ consent: "denied" });
  const closed = startVisit();
  closed.client.close();

  await settled(pending.browser, pending.client.flush());
  await settled(denied.browser, denied.client.flush());
  await settled(closed.browser, closed.client.flush());

  assertEquals([pending.page.requests, denied.page.requests, closed.page.requests], [[], [], []]);
  pending.client.close();
  denied.client.close();
});

Deno.test("flush() resolves with an empty queue", async () => {
  const { browser, client } = startVisit();

  await settled(browser, client.flush());

  client.close();
});

Deno.test("flush() resolves after 30 seconds at the latest", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  client.step("b");
  const isDone = watch(client.flush());
  await browser.advance(29_000);
  at(page.requests, 0).answer({ status: 202 });

  await browser.advance(999);
  const before = isDone();
  await browser.advance(1);

  assertEquals([before, isDone(), at(page.requests, 1).state], [false, true, "pending"]);
  client.close();
});

Deno.test("flush() sends the pageview that awaits its title", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });

  await settled(browser, client.flush());

  assertEquals(namesOf(page.events), ["$pageview"]);
  client.close();
});

Deno.test("flush() while another one runs waits for its own events", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  const first = watch(client.flush());
  client.step("b");
  const second = watch(client.flush());

  await browser.settle();
  at(page.requests, 0).answer({ status: 202 });
  await browser.settle();
  const between = second();
  at(page.requests, 1).answer({ status: 202 });
  await browser.settle();

  assertEquals([between, first(), second()], [false, true, true]);
  client.close();
});

Deno.test("flush() resolves when consent is withdrawn meanwhile", async () => {
  const { browser, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  const flushed = client.flush();

  client.setConsent("denied");

  await settled(browser, flushed);
  client.close();
});

Deno.test("flush() resolves when the client is closed meanwhile", async () => {
  const { browser, page, client } = startVisit();
  client.step("a");
  const flushed = client.flush();

  client.close();

  await settled(browser, flushed);
  assertEquals(warningsOf(page), []);
});

Deno.test("the flush timer is armed with the first event, not with each", async () => {
  const { browser, page, client } = startVisit({ flushInterval: 1000 });
  client.step("a");
  await browser.advance(900);
  client.step("b");
  await browser.advance(100);

  assertEquals(page.requests.map(({ body }) => body.events.length), [2]);
  client.close();
});

Deno.test("without events no timer runs", async () => {
  const { browser, page, client } = startVisit({ flushInterval: 1 });

  await browser.advance(86_400_000);

  assertEquals(page.requests, []);
  client.close();
});

/** Fails unless the promise resolves without time passing. */
async function settled(browser: Visit["browser"], promise: Promise<void>): Promise<void> {
  const isDone = watch(promise);
  await browser.settle();
  assertEquals(isDone(), true, "not resolved");
}

function watch(promise: Promise<void>): () => boolean {
  let isDone = false;
  promise.then(() => isDone = true);
  return () => isDone;
}

Deno.test("flush() doesn't wait for events that were queued after the call", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  const isDone = watch(client.flush());
  client.step("b");
  await browser.settle();

  at(browser.requests, 0).answer({ status: 202 });
  await browser.settle();

  assertEquals([browser.requests.length, isDone()], [2, true]);
  client.close();
});
