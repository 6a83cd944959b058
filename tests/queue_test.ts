import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { buildBody } from "../src/batch.ts";
import { createCapture } from "../src/capture.ts";
import { createOutbox } from "../src/outbox.ts";
import { createQueue } from "../src/queue.ts";
import { createReport } from "../src/report.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { at, startVisit, warningsOf } from "./support/visit.ts";

Deno.test("10,000 steps in one task all arrive, in order", async () => {
  const { page, client, accepted } = startVisit();

  for (let i = 0; i < 10_000; i++) client.step(`${i}`);

  const events = await accepted();
  assertEquals(events.map(({ name }) => name), Array.from({ length: 10_000 }, (_, i) => `${i}`));
  assertEquals(warningsOf(page), []);
  client.close();
});

Deno.test("10,000 steps in one task all arrive, with the pageview before them", async () => {
  const { browser, client, accepted } = startVisit({ trackPageviews: true });
  await browser.settle();

  for (let i = 0; i < 10_000; i++) client.step(`${i}`);

  assertEquals([(await accepted()).length, client.drops()], [10_001, {}]);
  client.close();
});

Deno.test("past 10,000 events the oldest are dropped, with one warning, and counted", async () => {
  const { browser, page, client, accepted } = startVisit();
  browser.goOffline();

  for (let i = 0; i < 10_010; i++) client.step(`${i}`);
  browser.goOnline();

  const events = await accepted();
  assertEquals([at(events, 0).name, at(events, -1).name, events.length], ["10", "10009", 10_000]);
  assertEquals([warningsOf(page).length, client.drops().queue_full], [1, 10]);
  client.close();
});

Deno.test("past 16 MiB the oldest are dropped, with one warning, and counted", async () => {
  const { browser, page, client, accepted } = startVisit();
  browser.goOffline();
  const properties = { text: "é".repeat(15_000) };

  for (let i = 0; i < 600; i++) client.step(`${i}`, properties);
  browser.goOnline();

  const events = await accepted();
  const size = events.reduce((bytes, event) => bytes + new TextEncoder().encode(JSON.stringify(event)).length, 0);
  assertLess(size, 16 * 1024 * 1024);
  assertGreater(size, 15.5 * 1024 * 1024); // the bound counts envelopes too
  assertEquals([at(events, -1).name, client.drops().queue_full, warningsOf(page).length], [
    "599",
    600 - events.length,
    1,
  ]);
  client.close();
});

Deno.test("what is being sent when the bounds are reached isn't lost", async () => {
  const { browser, page, client, accepted } = startVisit({ maxBatchSize: 10 });
  browser.respond("hang");
  for (let i = 0; i < 10_020; i++) client.step(`${i}`);

  browser.respond({ status: 202 });
  at(page.requests, 0).answer({ status: 202 });

  const events = await accepted();
  assertEquals(events.slice(0, 10).map(({ name }) => name), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  assertEquals(events.length, 10_010); // what is under way doesn't count against the bounds
  client.close();
});

Deno.test("events of the bounds' other side go on as soon as there is room", async () => {
  const { browser, client, accepted } = startVisit();
  browser.goOffline();
  for (let i = 0; i < 10_001; i++) client.step("old");
  browser.goOnline();
  await accepted();

  client.step("new");

  assertEquals(at(await accepted(), -1).name, "new");
  client.close();
});

Deno.test("past 10,000 events a batch that was tried goes as a whole: with its ID it doesn't change", async () => {
  const { browser, page, client, accepted } = startVisit({ maxBatchSize: 10 });
  browser.setRandom(0.999);
  browser.respond({ status: 503 });
  for (let i = 0; i < 10; i++) client.step("tried");
  await browser.settle();

  for (let i = 0; i < 9_991; i++) client.step("kept");
  browser.respond({ status: 202 });
  await browser.advance(1000);

  assertEquals([page.requests.some(({ body }) => body.events.length < 10 && at(body.events, 0).name === "tried")], [
    false,
  ]);
  assertEquals([(await accepted()).length, client.drops()], [9_991, { queue_full: 10 }]);
  client.close();
});

Deno.test("what is under way isn't dropped for its age", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  client.flush();
  browser.setNow(browser.now() + 8 * 86_400_000);
  await browser.advance(20_000);

  at(page.requests, 0).answer({ status: 202 });
  await browser.settle();

  assertEquals([page.requests.map(({ state }) => state), client.drops()], [["answered"], {}]);
  client.close();
});

Deno.test("what is dropped for its age costs nothing that a page's console tracks when it hears of it", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  for (const name of ["a", "b", "c"]) client.step(name);
  const { log } = page.environment;
  page.environment.log = (level, message) => {
    log(level, message);
    client.setConsent("denied");
    client.setConsent("granted");
    client.step("new");
  };

  browser.setNow(browser.now() + 8 * 86_400_000);
  browser.goOnline();
  await browser.advance(60_000);

  assertEquals(page.events.map(({ name }) => name), ["new"]);
  client.close();
});

Deno.test("the size of a batch is that of its body, whatever is added to it and taken from it", () => {
  const page = createTestBrowser().open("https://shop.example/");
  const report = createReport(page.environment);
  const queue = createQueue({ report, outbox: createOutbox(page.environment, report) });
  const { capture } = createCapture(page.environment);
  const target = {
    endpoint: "https://ingest.example/",
    apiKey: "pk",
    account: "1",
    maxEvents: 100,
    flushInterval: 5000,
  };
  const moment = { timeMs: 0, url: "https://shop.example/", referrer: "", id: crypto.randomUUID() };
  const isExact = (): boolean => {
    const batch = at(queue.batches, 0);
    const body = buildBody({ ...batch, id: crypto.randomUUID() }, new Date(0).toISOString());
    return batch.bytes === new TextEncoder().encode(body).length;
  };
  const add = (name: string, user: string): void => {
    const owner = `,"sessionId":"s","identity":{"userId":"${user}"}`;
    queue.append(capture({ ...moment, owner }, name), { target, isAggregate: false, timeMs: 0 });
  };
  const exact: boolean[] = [];

  for (const user of ["a", "a", "日本", "日本", "a"]) {
    add(user, user);
    exact.push(isExact());
  }
  for (const start of [0, 2, 1]) {
    queue.take(at(queue.batches, 0), start, 1);
    // The session of an envelope is that of its first event, so only later ones leave the rest as it is.
    exact.push(start === 0 || isExact());
  }
  add("é", "é");
  exact.push(isExact());

  assertEquals(exact, exact.map(() => true));
});
