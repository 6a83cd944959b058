import { assertEquals, assertNotEquals } from "@std/assert";
import { NO_ANSWER } from "../src/client.ts";
import { at, namesOf, startVisit, type Visit, warningsOf } from "./support/visit.ts";

const RETRIED = [NO_ANSWER, 408, 425, 429, 500, 502, 503, 504, 507, 599];
const DROPPED = [400, 404, 405, 409, 410, 415, 422, 501, 505, 304];

for (const status of [200, 201, 202, 204, 299]) {
  Deno.test(`an answer ${status} is success`, async () => {
    const visit = await startAnswered(status);

    await visit.browser.advance(600_000);

    assertEquals([visit.page.requests.length, visit.client.drops(), visit.page.logs], [1, {}, []]);
    visit.client.close();
  });
}

for (const status of RETRIED) {
  Deno.test(`an answer ${status} is retried with the same batch`, async () => {
    const { browser, page, client } = await startAnswered(status);
    browser.respond({ status: 202 });

    await browser.advance(1000);

    const [first, second] = page.requests.map(({ body }) => [body.batchId, body.events]);
    assertEquals(second, first);
    assertEquals([page.requests.length, namesOf(page.events), client.drops()], [2, ["a"], {}]);
    client.close();
  });
}

for (const status of DROPPED) {
  Deno.test(`an answer ${status} costs the batch, with one warning, and others pass`, async () => {
    const { browser, page, client } = await startAnswered(status);
    client.step("b");
    await browser.advance(5000);
    browser.respond({ status: 202 });
    client.step("c");

    await browser.advance(60_000);

    assertEquals([page.requests.length, namesOf(page.events)], [3, ["c"]]);
    assertEquals([warningsOf(page).length, client.drops()], [1, { rejected: 2 }]);
    client.close();
  });
}

for (const status of [401, 403]) {
  Deno.test(`an answer ${status} stops everything until the next init()`, async () => {
    const { browser, page, client } = await startAnswered(status);
    browser.respond({ status: 202 });

    client.step("b");
    client.step("c");
    await browser.advance(600_000);
    page.hide();
    page.show();
    await client.flush();

    assertEquals([page.requests.length, page.events], [1, []]);
    client.close();
  });
}

for (const status of [401, 403]) {
  Deno.test(`an answer ${status} gives one warning`, async () => {
    const { browser, page, client } = startVisit();
    browser.respond({ status });
    client.step("a");

    await browser.advance(5000);
    client.step("b");
    await browser.advance(5000);

    assertEquals(warningsOf(page).length, 1);
    client.close();
  });
}

Deno.test("30 seconds without an answer count as none: the batch is sent again", async () => {
  const { browser, page, client } = await startAnswered("hang");

  await browser.advance(29_999);
  const before = page.requests.map(({ state }) => state);
  browser.respond({ status: 202 });
  await browser.advance(1 + 1000);

  assertEquals(before, ["pending"]);
  assertEquals(page.requests.map(({ state }) => state), ["aborted", "answered"]);
  assertEquals(at(page.requests, 0).body.batchId, at(page.requests, 1).body.batchId);
  client.close();
});

Deno.test("an answer that comes after the 30 seconds changes nothing", async () => {
  const { browser, page, client } = await startAnswered("hang");
  await browser.advance(30_000);
  at(page.requests, 0).answer({ status: 401 });
  browser.respond({ status: 202 });

  await browser.advance(60_000);

  assertEquals([namesOf(page.events), warningsOf(page)], [["a"], []]);
  client.close();
});

Deno.test("sentAt is taken anew for each attempt; batchId, events and version never change", async () => {
  const { browser, page, client } = await startAnswered(503);
  await browser.advance(20_000);

  const bodies = page.requests.map(({ body }) => body);
  assertEquals(new Set(bodies.map(({ sentAt }) => sentAt)).size, bodies.length);
  assertEquals(bodies.length > 2, true);
  assertEquals(
    new Set(page.requests.map(({ body, headers }) => JSON.stringify([body.batchId, body.events, headers]))).size,
    1,
  );
  client.close();
});

Deno.test("413 halves a batch, with new batch ids and the same event ids", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 8 });
  browser.respond(({ body }) => ({ status: body.events.length > 2 ? 413 : 202 }));

  for (let i = 0; i < 8; i++) client.step(`${i}`);
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["0", "1", "2", "3", "4", "5", "6", "7"]);
  assertEquals(page.requests.map(({ body }) => body.events.length).slice(0, 3), [8, 4, 2]);
  const first = at(page.requests, 0).body;
  assertEquals(page.events.map(({ id }) => id), first.events.map(({ id }) => id));
  assertEquals(new Set(page.requests.map(({ body }) => body.batchId)).size, page.requests.length);
  assertEquals(client.drops(), {});
  client.close();
});

Deno.test("413 to a single event drops it, with a warning, and others pass", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 4 });
  browser.respond(({ text }) => ({ status: text.includes("poison") ? 413 : 202 }));

  for (const name of ["a", "b", "poison", "c"]) client.step(name);
  await browser.advance(5000);

  assertEquals(namesOf(page.events), ["a", "b", "c"]);
  assertEquals([client.drops(), warningsOf(page).length], [{ too_large: 1 }, 1]);
  client.close();
});

Deno.test("413 isn't counted as a failure: the halves go at once", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 4 });
  browser.respond(({ body }) => ({ status: body.events.length > 1 ? 413 : 202 }));

  for (let i = 0; i < 4; i++) client.step(`${i}`);
  await browser.settle();

  assertEquals(page.events.length, 4);
  client.close();
});

Deno.test("a batch answered 500 ten times is dropped once another got through, others pass before", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond(({ text }) => ({ status: text.includes("poison") ? 500 : 202 }));
  client.step("poison");
  await browser.settle();

  for (let i = 0; i < 60; i++) {
    client.step(`${i}`);
    await browser.advance(20_000);
  }
  await browser.advance(600_000);

  assertEquals(page.events.length, 60);
  assertEquals([client.drops(), warningsOf(page).length], [{ server_error: 1 }, 1]);
  const poison = page.requests.filter(({ text }) => text.includes("poison"));
  assertNotEquals(poison.length, page.requests.length);
  assertEquals(new Set(poison.map(({ body }) => body.batchId)).size, 1);
  client.close();
});

Deno.test("a batch answered 500 more than ten times stays while no other gets through", async () => {
  const { browser, page, client } = await startAnswered(500);
  await browser.advance(20 * 60_000);
  const attempts = page.requests.length;
  browser.respond({ status: 202 });

  await browser.advance(60_000);

  assertEquals([attempts > 10, namesOf(page.events), client.drops()], [true, ["a"], {}]);
  client.close();
});

Deno.test("a batch answered 503 ten times isn't dropped", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond({ status: 503 });
  client.step("a");
  client.step("b");
  await browser.advance(20 * 60_000);
  browser.respond({ status: 202 });

  await browser.advance(60_000);

  assertEquals([[...namesOf(page.events)].sort(), client.drops()], [["a", "b"], {}]);
  client.close();
});

Deno.test("a batch older than 7 days is dropped", async () => {
  const { browser, page, client } = await startAnswered(503);
  browser.setNow(browser.now() + 7 * 86_400_000 + 1);
  await browser.advance(60_000);
  browser.respond({ status: 202 });

  await browser.advance(60_000);

  assertEquals([page.events, Object.values(client.drops())], [[], [1]]);
  client.close();
});

Deno.test("an answer 400 costs the whole batch, which isn't halved", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 400 });
  client.step("a");
  client.step("b");

  await browser.advance(60_000);

  assertEquals([page.requests.length, client.drops()], [1, { rejected: 2 }]);
  client.close();
});

for (const status of [NO_ANSWER, 425, 429, 503]) {
  Deno.test(`a batch answered ${status} ten times, each right after another got through, isn't dropped`, async () => {
    const { browser, page, client } = startVisit({ maxBatchSize: 1 });
    browser.respond(({ text }) => ({ status: text.includes("slow") ? status : 202 }));
    client.step("slow");
    for (let i = 0; i < 60; i++) {
      client.step(`${i}`);
      await browser.advance(20_000);
    }
    const attempts = page.requests.filter(({ text }) => text.includes("slow")).length;
    browser.respond({ status: 202 });

    await browser.advance(600_000);

    assertEquals([attempts > 10, page.events.length, client.drops()], [true, 61, {}]);
    client.close();
  });
}

Deno.test("a batch answered 500 ten times in a row, after another got through, isn't dropped", async () => {
  const { browser, page, client } = startVisit();
  client.step("a");
  await browser.advance(5000);
  browser.respond({ status: 500 });
  client.step("b");
  await browser.advance(20 * 60_000);
  browser.respond({ status: 202 });

  await browser.advance(60_000);

  assertEquals([page.requests.length > 12, namesOf(page.events), client.drops()], [true, ["a", "b"], {}]);
  client.close();
});

Deno.test("400 while pending costs the batch, on the device too", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  client.setConsent("pending");
  at(page.requests, -1).answer({ status: 400 });
  await browser.settle();
  const left = [...browser.storage.keys()].filter((key) => key.startsWith("vendor.sdk.outbox."));
  browser.respond({ status: 202 });

  client.setConsent("granted");
  await browser.advance(60_000);

  assertEquals([left, page.events], [[], []]);
  client.close();
});

for (const status of [413, 503]) {
  Deno.test(`${status} while pending counts what the device didn't take`, async () => {
    const { browser, page, client } = startVisit();
    browser.fillStorage();
    browser.respond("hang");
    client.step("a");
    client.setConsent("pending");

    at(page.requests, -1).answer({ status });
    await browser.settle();

    assertEquals([page.requests.length, client.drops()], [1, { consent: 1 }]);
    client.close();
  });
}

Deno.test("once a batch was answered 500 others pass before it, without waiting", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.setRandom(0.999);
  browser.respond(({ text }) => ({ status: text.includes("poison") ? 500 : 202 }));
  client.step("a");
  client.step("poison");
  await browser.advance(600_000);

  client.step("b");
  client.step("c");
  await browser.advance(60_000);
  const names = page.requests.map(({ body }) => at(body.events, 0).name);

  assertEquals(names.slice(names.indexOf("b"), names.indexOf("b") + 2), ["b", "c"]);
  client.close();
});

/** Records an event, and lets the flush timer send it into that answer. */
async function startAnswered(status: number | "hang"): Promise<Visit> {
  const visit = startVisit();
  visit.browser.respond(status === "hang" ? "hang" : { status });
  visit.client.step("a");
  await visit.browser.advance(5000);
  return visit;
}
