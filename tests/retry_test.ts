import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { NO_ANSWER } from "../src/client.ts";
import { createInstance } from "../src/instance.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { at, namesOf, startVisit, type Visit } from "./support/visit.ts";

Deno.test("backoff doubles from 1 s to 60 s, each attempt somewhere below (full jitter)", async () => {
  const visit = startVisit();
  visit.browser.setRandom(0.999_999);

  const gaps = await gapsOf(visit, 503, 9);

  assertEquals(gaps.map((gap) => Math.round(gap / 1000)), [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  visit.client.close();
});

Deno.test("backoff may be nearly nothing (full jitter)", async () => {
  const visit = startVisit();
  visit.browser.setRandom(0.001);

  const gaps = await gapsOf(visit, 503, 5);

  assertEquals(gaps, [1, 2, 4, 8, 16]);
  visit.client.close();
});

Deno.test("backoff is uniform between: half of the random range is half of the limit", async () => {
  const visit = startVisit();
  visit.browser.setRandom(0.5);

  const gaps = await gapsOf(visit, 500, 4);

  assertEquals(gaps, [500, 1000, 2000, 4000]);
  visit.client.close();
});

Deno.test("backoff starts over after a success", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 503 });
  client.step("a");
  await browser.advance(40_000);
  browser.respond({ status: 202 });
  await browser.advance(60_000);
  browser.respond({ status: 503 });
  const before = page.requests.length;

  client.step("b");
  await browser.advance(5000);
  await browser.advance(500);

  assertEquals(page.requests.length - before, 2);
  client.close();
});

Deno.test("a batch that waits isn't overtaken by the timer, by size or by flush()", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 2, flushInterval: 10 });
  browser.setRandom(0.999);
  browser.respond({ status: 503 });
  client.step("a");
  client.step("b");
  await browser.settle();
  browser.respond({ status: 202 });

  client.step("c");
  client.step("d");
  client.step("e");
  client.flush();
  await browser.advance(990);
  const before = page.requests.length;
  await browser.advance(20);

  assertEquals([before, namesOf(page.events).slice(0, 2)], [1, ["a", "b"]]);
  client.close();
});

Deno.test("page hide ignores backoff", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 503 });
  client.step("a");
  await browser.advance(5000);

  page.hide();

  assertEquals(page.requests.length, 2);
  assertEquals(at(page.requests, 1).body.batchId, at(page.requests, 0).body.batchId);
  client.close();
});

Deno.test("10 network failures in a row suspend sending", async () => {
  const { browser, page, client } = await startSuspended();

  await browser.advance(3_600_000);
  client.step("b");
  client.flush();
  await browser.advance(3_600_000);

  assertEquals(page.requests.length, 10);
  client.close();
});

Deno.test("a suspended page goes on when the network comes back", async () => {
  const { browser, page, client } = await startSuspended();
  browser.goOffline();
  browser.respond({ status: 202 });

  browser.goOnline();
  await browser.settle();

  assertEquals([page.requests.length, namesOf(page.events)], [11, ["a"]]);
  client.close();
});

Deno.test("a suspended page goes on when it becomes visible again", async () => {
  const { browser, page, client } = await startSuspended();
  page.hide();
  await browser.settle();
  const hidden = page.requests.length;
  browser.respond({ status: 202 });

  page.show();
  await browser.settle();

  assertGreaterOrEqual(page.requests.length, hidden);
  assertEquals(namesOf(page.events), ["a"]);
  client.close();
});

Deno.test("an answer between network failures starts their count over", async () => {
  const { browser, page, client } = startVisit();
  let attempt = 0;
  browser.respond(() => ({ status: ++attempt % 9 ? 0 : 503 }));

  client.step("a");
  await browser.advance(30 * 60_000);

  assertGreaterOrEqual(page.requests.length, 30);
  client.close();
});

Deno.test("becoming visible doesn't end a backoff that is no suspension", async () => {
  const { browser, page, client } = startVisit();
  browser.setRandom(0.999);
  browser.respond({ status: 503 });
  client.step("a");
  await browser.advance(5000);
  page.hide();
  await browser.settle();
  const before = page.requests.length;

  page.show();
  await browser.settle();

  assertEquals(page.requests.length, before);
  client.close();
});

Deno.test("offline nothing is sent, at page hide neither; online it is, at once", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  client.step("a");
  await browser.advance(600_000);
  page.hide();
  page.show();
  const before = page.requests.length;

  browser.goOnline();
  await browser.settle();

  assertEquals([before, namesOf(page.events)], [0, ["a"]]);
  client.close();
});

/** Returns the milliseconds between that many attempts and the ones before. */
async function gapsOf({ browser, page, client }: Visit, status: number, amount: number): Promise<readonly number[]> {
  browser.respond({ status });
  client.step("a");
  await browser.advance(5000);
  while (page.requests.length <= amount) await browser.advance(1000);
  const times = page.requests.map(({ timeMs }) => timeMs);
  assertLess(amount, times.length);
  return times.slice(1, amount + 1).map((timeMs, i) => timeMs - at(times, i));
}

/** Sends an event into ten network failures. */
async function startSuspended(): Promise<Visit> {
  const visit = startVisit();
  visit.browser.respond({ status: 0 });
  visit.client.step("a");
  await visit.browser.advance(30 * 60_000);
  assertEquals(visit.page.requests.length, 10);
  return visit;
}

Deno.test("online ends a backoff", async () => {
  const { browser, page, client } = startVisit();
  browser.setRandom(0.999);
  browser.respond({ status: NO_ANSWER });
  client.step("a");
  await browser.advance(20_000);
  browser.goOffline();
  browser.respond({ status: 202 });

  browser.goOnline();
  await browser.settle();

  assertEquals(namesOf(page.events), ["a"]);
  client.close();
});

Deno.test("an endpoint of an earlier init() that is gone doesn't suspend the later one", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond(({ url }) => ({ status: url.includes("gone") ? NO_ANSWER : 202 }));
  const instance = createInstance(page.environment);
  instance.init({ apiKey: "pk", endpoint: "https://gone.example/" });
  instance.step("old");
  instance.init({ apiKey: "pk", endpoint: "https://ingest.example/" });
  await browser.advance(3_600_000);

  instance.step("new");
  await browser.advance(120_000);

  assertEquals(namesOf(page.events), ["new"]);
  instance.close();
});

Deno.test("a second init() with the same key and endpoint doesn't end a backoff", async () => {
  const browser = createTestBrowser();
  browser.setRandom(0.999);
  browser.respond({ status: 503 });
  const page = browser.open("https://shop.example/");
  const instance = createInstance(page.environment);
  instance.init({ apiKey: "pk" });
  instance.step("a");
  await browser.advance(5000 + 1000 + 2000 + 4000);
  const before = page.requests.length;

  instance.init({ apiKey: "pk" });
  await browser.advance(4000);

  assertEquals(page.requests.length, before);
  instance.close();
});
