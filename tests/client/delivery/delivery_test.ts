import { assertEquals, assertNotEquals } from "@std/assert";
import { MIN_BACKOFF_MS } from "../../../src/client/base/limits.ts";
import { NO_ANSWER } from "../../../src/client/mod.ts";
import { INSIDE } from "../../../src/client/inside.ts";
import { createInstance } from "../../../src/client/instance.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { savedNames } from "../../support/entries.ts";
import {
  at,
  createVendor,
  fullBody,
  namesOf,
  openPage,
  startVisit,
  type Visit,
  warningsOf,
} from "../../support/visit.ts";
import { refuse, UNKNOWN_KEY } from "../../support/refuse.ts";

for (const status of [200, 201, 202, 204, 299]) {
  Deno.test(`createClient() takes an answer ${status} for success`, async () => {
    const { browser, page, client } = await startAnswered(status);

    await browser.advance(600_000);

    assertEquals([page.requests.length, client.drops(), page.logs], [1, {}, []]);
    client.close();
  });
}

for (const status of [NO_ANSWER, 408, 425, 429, 500, 502, 503, 504, 507, 599]) {
  Deno.test(`createClient() sends a batch that was answered ${status} again, as it was`, async () => {
    const { browser, page, client } = await startAnswered(status);
    browser.respond({ status: 202 });
    client.step("b"); // doesn't join it

    await browser.advance(MIN_BACKOFF_MS);

    const [first, second] = page.requests.map(({ headers, body }) => ({ headers, ...body }));
    assertEquals({ ...second, sentAt: first?.sentAt }, first);
    assertNotEquals(second?.sentAt, first?.sentAt);
    assertEquals([namesOf(page.events), client.drops()], [["a"], {}]);
    client.close();
  });
}

for (const status of [304, 400, 404, 405, 409, 410, 415, 422, 501, 505]) {
  Deno.test(`createClient() drops a batch that was answered ${status}, with one warning, and others pass`, async () => {
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

const STOPS = [
  { config: {}, answer: refuse(401), reason: UNKNOWN_KEY },
  { config: {}, answer: refuse(403), reason: UNKNOWN_KEY },
  { config: { apiKey: "pk_日本" }, answer: { status: 202 }, reason: "apiKey or endpoint" },
  {
    config: { endpoint: "https://user:secret@ingest.example/" },
    answer: { status: 202 },
    reason: "apiKey or endpoint",
  },
];

for (const { config, answer, reason } of STOPS) {
  Deno.test(`createClient() stops with one warning of ${reason} at ${JSON.stringify(config)}`, async () => {
    const { browser, page, client } = startVisit({ maxBatchSize: 1, ...config });
    browser.fillStorage();
    browser.respond(answer);
    client.step("a");
    client.step("b");
    await browser.settle();

    client.step("c");
    await browser.advance(600_000);
    page.hide();
    page.show();
    await client.flush();

    assertEquals([page.requests.length, client.drops()], [1, { stopped: 3 }]);
    assertEquals(warningsOf(page).map((warning) => warning.includes(reason)), [true]);
    client.close();
  });
}

for (
  const [what, text] of [
    ["a firewall's page", "<h1>Forbidden</h1>"],
    ["a gateway's JSON", '{"message":"Forbidden"}'],
    ["a gateway's JSON that repeats the status", '{"error":{"code":403,"message":"Forbidden"}}'],
    ["an empty body", ""],
    ["a body that breaks off", '{"error":{"code":"unkno'],
    ["no body that can be read", undefined],
  ] as const
) {
  for (const status of [401, 403]) {
    Deno.test(`createClient() takes ${status} with ${what} for a refusal of that batch alone, on the device too`, async () => {
      const { browser, page, client } = startVisit();
      client.step("?q=1' union select");
      await browser.advance(2000); // saved
      browser.respond(({ text: body }) =>
        body.includes("union") ? { status, text: text === undefined ? text : Promise.resolve(text) } : { status: 202 }
      );
      await browser.advance(3000);
      const saved = savedNames(browser);

      client.step("b");
      await browser.advance(5000);
      const next = startVisit({}, { browser });
      next.client.step("c");
      await browser.advance(60_000);

      assertEquals([namesOf(page.events), namesOf(next.page.events), saved], [["b"], ["c"], []]);
      assertEquals([browser.requests.length, client.drops(), warningsOf(page).length], [3, { rejected: 1 }, 1]);
    });
  }
}

Deno.test("createClient() keeps a denial that comes between the status and the text of a 401", async () => {
  const { browser, page, client } = startVisit();
  const { promise, resolve } = Promise.withResolvers<string>();
  browser.respond({ status: 401, text: promise });
  client.step("a");
  await browser.advance(5000);

  client.setConsent("denied");
  resolve(await refuse().text ?? "");
  await browser.settle();

  assertEquals([client.drops(), warningsOf(page), [...browser.storage.keys()]], [{ consent: 1 }, [], []]);
});

Deno.test("createClient() leaves the outbox at a stop, for the next visit, but for what was refused", async () => {
  const { browser, client } = startVisit({ maxBatchSize: 1 });
  browser.respond({ status: 503 });
  client.step("refused");
  client.step("a");
  await browser.advance(1000);
  browser.respond(refuse());
  await browser.advance(60_000);
  browser.respond({ status: 202 });

  const next = startVisit({}, { browser });
  await browser.advance(60_000);

  assertEquals([namesOf(next.page.events), client.drops(), next.client.drops()], [["a"], { stopped: 1 }, {}]);
  for (const each of [client, next.client]) each.close();
});

Deno.test("init() after a stop sends again, what the outbox has too", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const vendor = createInstance(page.environment);
  vendor.init({ apiKey: "pk", maxBatchSize: 1 });
  browser.respond({ status: 503 });
  vendor.step("refused");
  vendor.step("a");
  await browser.advance(1000);
  browser.respond(refuse(403));
  await browser.advance(60_000);
  browser.respond({ status: 202 });

  vendor.init({ apiKey: "pk" });
  vendor.step("b");
  await browser.advance(60_000);

  assertEquals(namesOf(page.events).toSorted(), ["a", "b"]);
  vendor.close();
});

Deno.test("createClient() takes 30 seconds without an answer for none, and a later one changes nothing", async () => {
  const { browser, page, client } = await startAnswered("hang");
  await browser.advance(29_999);
  const before = page.requests.map(({ state }) => state);

  await browser.advance(1);
  at(page.requests, 0).answer({ status: 401 });
  browser.respond({ status: 202 });
  await browser.advance(60_000);

  assertEquals([before, page.requests.map(({ state }) => state)], [["pending"], ["aborted", "answered"]]);
  assertEquals([namesOf(page.events), page.logs], [["a"], []]);
  client.close();
});

for (
  const [what, text, cuts] of [
    ["cuts the body of an answer that hasn't ended 30 seconds after its request", new Promise<string>(() => {}), 1],
    ["leaves a body alone that ended", Promise.resolve("{}"), 0],
  ] as const
) {
  Deno.test(`createClient() ${what}`, async () => {
    const { browser, page } = openPage();
    let cut = 0;
    const vendor = createVendor({
      ...page.environment,
      send(request, onAnswer) {
        const cancel = page.environment.send(request, onAnswer);
        return () => {
          cut++;
          cancel();
        };
      },
    });
    browser.respond({ status: 202, text });
    vendor.init({ apiKey: "pk", maxBatchSize: 1 });
    vendor.step("a");
    await browser.advance(29_999);
    vendor.step("b");
    await browser.settle();
    const before = [cut, namesOf(page.events)];

    await browser.advance(1000);

    assertEquals([before, cut], [[0, ["a", "b"]], cuts]);
    vendor.close();
  });
}

Deno.test("createClient() halves a batch that was answered 413, at once, each half with its own envelope", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 8 });
  browser.respond(({ body }) => ({ status: body.events.length > 2 ? 413 : 202 }));

  for (let i = 0; i < 8; i++) {
    client.identify(`user-${i}`);
    client.step(`${i}`);
  }
  await browser.settle();

  const bodies = page.requests.map(fullBody);
  assertEquals(bodies.map(({ events }) => namesOf(events).join("")), [
    "01234567",
    "0123",
    "4567",
    "01",
    "23",
    "45",
    "67",
  ]);
  assertEquals(bodies.map(({ identity }) => identity), bodies.map(({ events }) => events[0]?.identity));
  assertEquals(new Set(bodies.map(({ batchId }) => batchId)).size, bodies.length);
  assertEquals([page.events, client.drops()], [at(bodies, 0).events, {}]);
  client.close();
});

for (const leave of ["wait", "go"]) {
  Deno.test(`createClient() sends no event that waited for 7 days in memory, and those behind it, as pages ${leave}`, async () => {
    const { browser, page, client } = startVisit({ flushInterval: 2 ** 31 - 1 });
    browser.blockStorage();
    browser.goOffline();
    client.step("old");
    client.flush();
    await browser.advance(1000);
    browser.setNow(browser.now() + 7 * 86_400_000);
    client.step("new");

    browser.goOnline();
    if (leave === "go") page.hide();
    else client.flush();
    await browser.advance(1000);

    assertEquals([namesOf(page.events), client.drops()], [["new"], { too_old: 1 }]);
    client.close();
  });
}

Deno.test("createClient() sends an event that a page makes after it slept for more than 7 days", async () => {
  const { browser, page, client } = startVisit();
  client.step("old");
  await browser.advance(10);
  browser.setNow(browser.now() + 7.5 * 86_400_000);
  client.step("new");
  await browser.advance(10_000);

  assertEquals([namesOf(page.events), client.drops()], [["new"], { too_old: 1 }]);
  client.close();
});

Deno.test("createClient() drops a single event that was answered 413, with a warning, and others pass", async () => {
  const { browser, page, client } = startVisit();
  browser.respond(({ text }) => ({ status: text.includes("poison") ? 413 : 202 }));

  for (const name of ["a", "b", "poison", "c"]) client.step(name);
  await browser.advance(5000);

  assertEquals([namesOf(page.events).toSorted(), savedNames(browser)], [["a", "b", "c"], []]);
  assertEquals([client.drops(), warningsOf(page).length], [{ too_large: 1 }, 1]);
  client.close();
});

Deno.test("createClient() drops a batch that was answered 413 and has no halves, and goes on", async () => {
  const { browser, page, vendor } = openPage();
  vendor[INSIDE].hooks.beforeSend.push((event) => event.draft.name === "spoilt" ? { ...event, text: "spoilt" } : event);
  vendor.init({ apiKey: "pk" });
  browser.respond(({ text }) => ({ status: text.includes("spoilt") ? 413 : 202 }));
  for (const name of ["a", "spoilt"]) vendor.step(name);

  await vendor.flush();

  assertEquals([page.requests.length, vendor.drops()], [1, { too_large: 2 }]);
  vendor.close();
});

for (const maxBatchSize of [1, 50]) {
  Deno.test(`createClient() lets batches of ${maxBatchSize} pass one that always fails, which is never dropped`, async () => {
    const { browser, page, client } = startVisit({ maxBatchSize });
    browser.respond(({ text }) => ({ status: text.includes("poison") ? 500 : 202 }));
    client.step("poison");
    await browser.advance(5000);

    for (let i = 0; i < 30; i++) {
      client.step(`${i}`);
      await browser.advance(60_000);
    }
    const others = page.events.length;
    browser.respond({ status: 202 });
    await browser.advance(600_000);

    assertEquals([others > 20, page.events.length, client.drops()], [true, 31, {}], `${others} of 30 passed`);
    client.close();
  });
}

Deno.test("createClient() has one request under way while the page lives, of low priority", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");

  for (let i = 0; i < 20; i++) client.step("a");
  client.flush();
  await browser.advance(20_000);
  const before = page.requests.length;
  at(page.requests, 0).answer({ status: 202 });
  await browser.settle();

  const requests = page.requests.map(({ priority, keepalive }) => [priority, keepalive]);
  assertEquals([before, requests], [1, [["low", false], ["low", false]]]);
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
