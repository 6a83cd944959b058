import { assertEquals, assertLess } from "@std/assert";
import type { TransportAnswer } from "../src/client.ts";
import { namesOf, startVisit, type Visit } from "./support/visit.ts";

Deno.test("Retry-After holds the whole queue, for the time it says", async () => {
  const { browser, page, client } = await startHeld(20_000);
  client.step("b");

  await browser.advance(19_999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, namesOf(page.events)], [1, ["a", "b"]]);
  client.close();
});

Deno.test("Retry-After isn't bypassed by page hide, flush() or size", async () => {
  const { browser, page, client } = await startHeld(20_000);

  for (let i = 0; i < 120; i++) client.step("b");
  client.flush();
  page.hide();
  page.show();
  page.hide();
  await browser.advance(19_000);
  const before = page.requests.length;
  page.show();
  await browser.advance(10_000);

  assertEquals([before, page.events.length], [1, 121]);
  client.close();
});

Deno.test("Retry-After isn't bypassed by online or by becoming visible", async () => {
  const { browser, page, client } = await startHeld(20_000);

  browser.goOffline();
  browser.goOnline();
  page.hide();
  page.show();
  await browser.advance(19_000);

  assertEquals(page.requests.length, 1);
  client.close();
});

Deno.test("Retry-After is obeyed on every status that is retried", async () => {
  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    const { browser, page, client } = await startHeld(10_000, status);
    await browser.advance(9999);
    const before = page.requests.length;
    await browser.advance(1);

    assertEquals([status, before, page.requests.length], [status, 1, 2]);
    client.close();
  }
});

Deno.test("Retry-After is obeyed for 5 minutes at most", async () => {
  const { browser, page, client } = await startHeld(86_400_000);

  await browser.advance(299_999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.length], [1, 2]);
  client.close();
});

Deno.test("a clock set back or forth neither shortens nor lengthens a wait", async () => {
  const { browser, page, client } = await startHeld(20_000);
  browser.setNow(browser.now() - 86_400_000);
  await browser.advance(10_000);
  browser.setNow(browser.now() + 2 * 86_400_000);

  await browser.advance(9999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.length], [1, 2]);
  client.close();
});

Deno.test("a Retry-After that is over already doesn't shorten the backoff", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 429, retryAfterMs: 0 });
  client.step("a");

  await browser.advance(60_000);

  assertLess(page.requests.length, 15);
  client.close();
});

Deno.test("Retry-After isn't ended by an answer without one to what was under way as well", async () => {
  const { browser, page, client } = await answerBoth({ status: 429, retryAfterMs: 20_000 }, { status: 503 });

  await browser.advance(19_999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, namesOf(page.events)], [2, ["a", "b"]]);
  client.close();
});

Deno.test("Retry-After isn't bypassed by a return to pending", async () => {
  const visit = startVisit({ trackPageviews: "auto" });
  const { browser, page, client } = visit;
  browser.respond({ status: 429, retryAfterMs: 20_000 });
  await browser.advance(5000);
  browser.respond({ status: 202 });

  client.setConsent("pending");
  page.pushState("/cart");
  await browser.advance(19_999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.length], [1, 2]);
  client.close();
});

Deno.test("a later Retry-After takes the place of an earlier one", async () => {
  const { browser, page, client } = await answerBoth({ status: 429, retryAfterMs: 5000 }, {
    status: 429,
    retryAfterMs: 20_000,
  });

  await browser.advance(19_999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, namesOf(page.events)], [2, ["a", "b"]]);
  client.close();
});

/** Sends an event into an answer with Retry-After; from then on the ingest accepts. */
async function startHeld(retryAfterMs: number, status = 429): Promise<Visit> {
  const visit = startVisit();
  visit.browser.setRandom(0.001);
  visit.browser.respond({ status, retryAfterMs });
  visit.client.step("a");
  await visit.browser.advance(5000);
  visit.browser.respond({ status: 202 });
  return visit;
}

/** Hides a page with two requests under way, and answers one after the other; later ones succeed. */
async function answerBoth(first: TransportAnswer, second: TransportAnswer): Promise<Visit> {
  const visit = startVisit({ maxBatchSize: 1 });
  const { browser, page, client } = visit;
  browser.setRandom(0.001);
  browser.respond("hang");
  client.step("a");
  client.step("b");
  page.hide();
  page.requests[0]?.answer(first);
  await browser.settle();
  page.requests[1]?.answer(second);
  browser.respond({ status: 202 });
  return visit;
}
