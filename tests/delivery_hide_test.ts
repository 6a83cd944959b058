import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { entryKeys } from "./support/entries.ts";
import { at, namesOf, onHide, only, startVisit } from "./support/visit.ts";

const KEEPALIVE_BUDGET_BYTES = 61_440;

Deno.test("page hide sends everything queued in the task of its event, with keepalive", () => {
  const { page, client } = startVisit();
  client.step("a");
  client.step("b");

  page.hide();

  const { keepalive, priority, body } = only(page.requests);
  assertEquals([keepalive, priority, namesOf(body.events)], [true, "auto", ["a", "b"]]);
  client.close();
});

Deno.test("page hide sends at most 8 requests", () => {
  const { page, client } = startVisit({ maxBatchSize: 1 });
  for (let i = 0; i < 20; i++) client.step("a");

  page.hide();

  assertEquals(page.requests.filter(({ state }) => state === "pending").length, 8);
  client.close();
});

Deno.test("page hide keeps bodies in flight within 60 KiB, in UTF-8 bytes", () => {
  const { page, client } = startVisit({ maxBatchSize: 100 });
  for (let i = 0; i < 60; i++) client.step("a", { text: "é".repeat(2000) });

  page.hide();

  const inFlight = page.requests.filter(({ state, keepalive }) => state === "pending" && keepalive);
  const bytes = inFlight.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0);
  assert(inFlight.length > 0);
  assertLessOrEqual(bytes, KEEPALIVE_BUDGET_BYTES);
  assertEquals(page.requests.filter(({ state }) => state === "failed"), []);
  client.close();
});

Deno.test("what page hide couldn't take leaves later, while the page lives", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  for (let i = 0; i < 20; i++) client.step("a");

  page.hide();
  await browser.advance(60_000);

  const ids = page.events.map(({ id }) => id);
  assertEquals([new Set(ids).size], [20]);
  client.close();
});

Deno.test("the second event of hiding finds nothing to do", () => {
  const { page, client } = startVisit();
  client.step("a");

  page.close(); // pagehide, then visibilitychange

  assertEquals(page.requests.length, 1);
});

Deno.test("hiding twice sends what is under way once", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  page.hide();
  page.show();
  page.hide();
  page.close();
  await browser.settle();

  assertEquals(page.requests.length, 1);
});

Deno.test("events that the page's own hide handlers track still leave", async () => {
  const { browser, page, client } = startVisit();
  let isLeft = false;
  onHide(page, () => {
    if (!isLeft) client.step("left");
    isLeft = true;
  });

  page.close();
  await browser.settle();

  assertEquals(namesOf(browser.events), ["left"]);
});

Deno.test("events that the page's own handler of visibilitychange tracks leave without waiting", async () => {
  const { browser, page, client } = startVisit();
  onHide(page, () => client.step("left"));

  page.hide();
  await browser.settle();

  const { keepalive, body } = only(page.requests);
  assertEquals([keepalive, namesOf(body.events)], [true, ["left"]]);
  client.close();
});

Deno.test("events tracked in a later task of a hidden page leave with the timer", async () => {
  const { browser, page, client } = startVisit();
  page.hide();
  await browser.advance(10_000);

  client.step("in the background");
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["in the background"]);
  client.close();
});

Deno.test("page hide aborts the request under way and sends its batch again with keepalive, under the same id", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  await browser.settle();

  page.hide();

  assertEquals(page.requests.map(({ state, keepalive }) => [state, keepalive]), [["aborted", false], [
    "pending",
    true,
  ]]);
  assertEquals(at(page.requests, 0).body.batchId, at(page.requests, 1).body.batchId);
  client.close();
});

Deno.test("a page that comes back from the back/forward cache sends again what nobody answered", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  page.freeze();
  await browser.advance(3_600_000);
  browser.respond({ status: 202 });

  page.restore();
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["a"]);
  assertEquals(new Set(page.requests.map(({ body }) => body.batchId)).size, 1);
  client.close();
});

Deno.test("a page that comes back goes on collecting", async () => {
  const { page, client, accepted } = startVisit();
  client.step("a");
  page.freeze();
  page.restore();

  client.step("b");

  assertEquals([...new Set(namesOf(await accepted()))], ["a", "b"]);
  client.close();
});

Deno.test("while the page lives one request is in flight", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");

  for (let i = 0; i < 20; i++) client.step("a");
  client.flush();
  await browser.advance(20_000);
  const inFlight = page.requests.length;
  at(page.requests, 0).answer({ status: 202 });
  await browser.settle();

  assertEquals([inFlight, page.requests.length], [1, 2]);
  client.close();
});

Deno.test("while the page lives requests have low priority", async () => {
  const { page, client, accepted } = startVisit();

  client.step("a");
  await accepted();

  assertEquals(only(page.requests).priority, "low");
  client.close();
});

Deno.test("hiding while the keepalive quota is taken by others loses nothing on a page that lives", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  const send = (size: number) =>
    page.environment.send({
      url: "https://other.example/",
      headers: {},
      body: JSON.stringify({ events: [], padding: "x".repeat(size) }),
      keepalive: true,
      priority: "auto",
    }, () => {});
  const cancel = send(65_000);
  browser.respond({ status: 202 });
  for (let i = 0; i < 10; i++) client.step("a", { text: "x".repeat(200) });

  page.hide();
  await browser.advance(5000);

  assertEquals(namesOf(page.events.filter(({ name }) => name === "a")).length, 10);
  cancel();
  client.close();
});

for (const consent of ["granted", "pending"] as const) {
  Deno.test(`while ${consent}, what fails at hide for want of quota leaves again at once, though a backoff runs`, async () => {
    const { browser, page, client } = startVisit({ trackPageviews: "auto", consent });
    browser.respond({ status: 503 });
    await browser.advance(45_000);
    browser.respond(({ keepalive }) => ({ status: keepalive ? 0 : 202 }));

    page.hide();
    await browser.settle();

    assertEquals(namesOf(page.events), ["$pageview"]);
    client.close();
  });
}

Deno.test("what fails at hide for want of quota leaves again at once, though another request gets no answer", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond(({ body, keepalive }) => body.events[0]?.name === "a" ? "hang" : { status: keepalive ? 0 : 202 });
  client.step("a");
  client.step("b");

  page.hide();
  await browser.settle();

  assertEquals(namesOf(page.events), ["b"]);
  client.close();
});

Deno.test("what left with a hidden page and got no answer in 30 s leaves again one request at a time", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  for (let i = 0; i < 8; i++) client.step("a");
  page.hide();
  await browser.advance(29_000);
  const before = page.requests.length;

  await browser.advance(2000);

  assertEquals([before, page.requests.length], [8, 9]);
  client.close();
});

Deno.test("what left with a hidden page, and another page adopted while the device slept, doesn't leave again", async () => {
  const { browser, first, second } = await sleepAfterHide(8500);

  await browser.advance(24_000);

  assertEquals([namesOf(second.page.events), first.page.requests.length], [["a"], 1]);
  for (const { client } of [first, second]) client.close();
});

Deno.test("nor does it when its request fails as the device wakes up, and it holds up nothing else", async () => {
  const { browser, first, second } = await sleepAfterHide(2000);
  await browser.advance(7000);
  const [request] = first.page.requests;
  const before = [namesOf(second.page.events), request?.state];
  first.client.step("b");
  await browser.advance(100);
  let isFlushed = false;
  void first.client.flush().then(() => isFlushed = true);

  request?.answer({ status: 0 });
  await browser.settle();

  assertEquals(before, [["a"], "pending"]);
  assertEquals([namesOf(first.page.events), first.page.requests.length, isFlushed], [["b"], 2, true]);
  for (const { client } of [first, second]) client.close();
});

/** Hides a page whose request gets no answer; then the device sleeps for longer than a lease, and another page opens. */
async function sleepAfterHide(awakeMs: number) {
  const first = startVisit();
  const { browser } = first;
  browser.respond("hang");
  await browser.advance(500);
  first.client.step("a");
  first.page.hide();
  await browser.advance(awakeMs);
  browser.respond({ status: 202 });
  browser.setNow(browser.now() + 40_000);
  return { browser, first, second: startVisit({}, { browser }) };
}

Deno.test("a keepalive request that fails at hide for want of quota is no network failure", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  const cancel = page.environment.send({
    url: "https://other.example/",
    headers: {},
    body: JSON.stringify({ events: [], padding: "x".repeat(65_400) }),
    keepalive: true,
    priority: "auto",
  }, () => {});
  browser.respond({ status: 202 });
  client.step("a");

  page.hide();
  await browser.settle();

  assertEquals(namesOf(page.events), ["a"]);
  cancel();
  client.close();
});

Deno.test("events that the page's own hide handlers track leave at once, each time that it's hidden", async () => {
  const { browser, page, client } = startVisit();
  onHide(page, () => client.step("left"));
  page.hide();
  await browser.settle();
  page.show();

  page.hide();
  await browser.settle();

  assertEquals(page.requests.map(({ keepalive, state }) => [keepalive, state]), [[true, "answered"], [
    true,
    "answered",
  ]]);
  client.close();
});

Deno.test("a site that empties storage loses no event when the network comes back", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  client.step("a");
  await browser.advance(2000);
  for (const key of [...browser.storage.keys()]) if (!key.endsWith(".visitor")) browser.storage.delete(key);

  browser.goOnline();
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["a"]);
  client.close();
});

Deno.test("hiding again leaves room for what is under way since the page was hidden before", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  const text = "x".repeat(29_000);
  browser.respond("hang");
  client.step("a", { text });
  client.step("b", { text });
  page.hide();
  page.show();
  client.step("c", { text });

  page.hide();
  await browser.settle();

  assertEquals(page.requests.map(({ body, state }) => [at(body.events, 0).name, state]), [
    ["a", "pending"],
    ["b", "pending"],
  ]);
  client.close();
});

Deno.test("page hide sends what this page captured before what it adopted", async () => {
  const first = startVisit({ maxBatchSize: 1 });
  const { browser } = first;
  browser.goOffline();
  for (let i = 0; i < 10; i++) first.client.step("adopted");
  first.page.close();
  const { page, client } = startVisit({}, { browser });
  await browser.advance(20_000);
  client.step("own");
  browser.goOnline();
  browser.respond("hang");
  await browser.settle();

  page.hide();

  const left = page.requests.filter(({ keepalive }) => keepalive).map(({ body }) => at(body.events, 0).name);
  assertEquals(left, ["own", ...Array.from({ length: 7 }, () => "adopted")]);
  client.close();
});

Deno.test("a page whose console flushes when it hears what hiding costs on the device sends each batch once", async () => {
  const properties = { text: "x".repeat(30_000) };
  const ended = startVisit();
  const { browser } = ended;
  browser.goOffline();
  for (let i = 0; i < 10; i++) ended.client.step("left", properties);
  ended.page.close();
  await browser.advance(6000);
  browser.goOnline();
  browser.respond("hang");
  const { page, client } = startVisit({ apiKey: "pk_other", maxBatchSize: 1 }, { browser });
  await browser.advance(2000);
  for (let i = 0; i < 40; i++) client.step(`${i}`, properties);
  const { log } = page.environment;
  page.environment.log = (level, message) => {
    log(level, message);
    client.flush();
  };

  page.hide();
  await browser.settle();

  const sent = page.requests.map(({ body }) => at(body.events, 0).name);
  assertEquals([client.drops(), new Set(sent).size], [{ queue_full: 10 }, sent.length]);
  client.close();
});

Deno.test("what another page adopted while the device slept takes no room from what leaves with the page", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  for (let i = 0; i < 9; i++) client.step(`adopted ${i}`);
  await browser.advance(1500);
  browser.setNow(browser.now() + 60_000); // asleep, longer than a lease
  const other = startVisit({}, { browser });
  await browser.advance(1200);
  client.step("later");
  const before = page.requests.length;

  page.hide();

  const leaving = page.requests.slice(before);
  assertEquals(leaving.map(({ body, keepalive }) => [namesOf(body.events), keepalive]), [[["later"], true]]);
  for (const visit of [client, other.client]) visit.close();
});

Deno.test("a batch of which a part was adopted is on the device under the ID with which the rest leaves", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("under way");
  await browser.advance(50);
  client.step("saved");
  await browser.advance(1500);
  browser.setNow(browser.now() + 60_000);
  const other = startVisit({}, { browser });
  await browser.advance(1200);
  client.step("later");
  const before = page.requests.length;

  page.hide();

  const entries = entryKeys(browser).map((key) => `${browser.storage.get(key)}`).filter((text) => /"later"/.test(text));
  const ids = entries.map((text) => JSON.parse(text.split("\n")[0] ?? "")[4]);
  assertEquals(ids, page.requests.slice(before).map(({ body }) => body.batchId));
  for (const visit of [client, other.client]) visit.close();
});
