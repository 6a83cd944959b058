import { assertEquals, assertLessOrEqual } from "@std/assert";
import { createClient } from "../../../src/client/mod.ts";
import { EXIT_LEASE_MS, KEEPALIVE_BUDGET_BYTES, LEASE_MS, MIN_BACKOFF_MS } from "../../../src/client/base/limits.ts";
import { createTestBrowser, type TestRequest } from "../../../src/testing/mod.ts";
import { savedNames } from "../../support/entries.ts";
import { at, namesOf, onHide, only, startVisit, type Visit } from "../../support/visit.ts";

Deno.test("page hide sends everything queued in the task of its event, with keepalive", () => {
  const { page, client } = startVisit({ trackPageviews: true });
  client.step("a");

  page.hide();

  const { keepalive, priority, body } = only(page.requests);
  assertEquals([keepalive, priority, namesOf(body.events)], [true, "auto", ["$pageview", "a"]]);
  client.close();
});

Deno.test("page hide ends the lease first, then saves everything, then sends", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const { storage, send } = page.environment;
  const uses: string[] = [];
  const client = createClient({ apiKey: "pk" }, {
    ...page.environment,
    storage: {
      ...storage,
      set(key, value) {
        if (key.includes("lease")) uses.push(`lease of ${Number(value) - browser.now()} ms`);
        return storage.set(key, value);
      },
    },
    send(request, onAnswer) {
      uses.push(`send when the device has ${savedNames(browser)}`);
      return send(request, onAnswer);
    },
  });
  client.step("a");
  await browser.advance(1000);
  client.step("b");

  page.close();

  assertEquals(uses, [
    `lease of ${LEASE_MS} ms`,
    `lease of ${EXIT_LEASE_MS} ms`,
    `lease of ${EXIT_LEASE_MS} ms`,
    "send when the device has a,b",
  ]);
});

const LOADS = [
  { what: "8 requests", amount: 20, properties: {}, maxBatchSize: 1, sent: 8 },
  { what: "60 KiB", amount: 60, properties: { text: "é".repeat(2000) }, maxBatchSize: 100, sent: 1 },
];

for (const { what, amount, properties, maxBatchSize, sent } of LOADS) {
  Deno.test(`page hide sends at most ${what} at once, and the rest while the page lives`, async () => {
    const { browser, page, client } = startVisit({ maxBatchSize });
    for (let i = 0; i < amount; i++) client.step("a", properties);

    page.hide();
    const { length } = page.requests;
    const bytes = page.requests.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0);
    await browser.advance(60_000);

    assertEquals([length, page.events.length, client.drops()], [sent, amount, {}]);
    assertLessOrEqual(bytes, KEEPALIVE_BUDGET_BYTES);
    client.close();
  });
}

Deno.test("page hide leaves room for what is under way since the page was hidden before", async () => {
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

  assertEquals(page.requests.map(stateOf), [["a", true, "pending"], ["b", true, "pending"]]);
  client.close();
});

Deno.test("page hide aborts the request under way and sends its batch with keepalive, however often it comes", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  await browser.settle();

  page.hide();
  page.show();
  page.hide();
  page.close();

  assertEquals(page.requests.map(stateOf), [["a", false, "aborted"], ["a", true, "pending"]]);
  assertEquals(at(page.requests, 0).body.batchId, at(page.requests, 1).body.batchId);
});

for (const way of ["hide", "close", "freeze"] as const) {
  Deno.test(`page hide by ${way}() sends what the page's own handlers track, at once`, async () => {
    const { browser, page, client } = startVisit();
    let times = 0;
    onHide(page, () => client.step(`left ${++times}`));

    page[way]();
    await browser.settle();

    const names = way === "hide" ? ["left 1"] : ["left 1", "left 2"]; // pagehide, visibilitychange
    assertEquals(page.requests.map(({ keepalive }) => keepalive), names.map(() => true));
    assertEquals([...namesOf(browser.events)], names);
    client.close();
  });
}

Deno.test("page hide tries what it sends once an exit, though an exit has several events", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 0 });
  client.step("a");

  page.hide();
  await browser.advance(100);
  page.close();
  const once = page.requests.length;
  const later = browser.open("https://shop.example/later");
  const other = createClient({ apiKey: "pk_test", endpoint: "https://ingest.example/v1/events" }, later.environment);
  other.step("b");
  later.hide();
  await browser.advance(501);
  const before = later.requests.length;
  later.close();

  assertEquals([once, before, later.requests.length], [1, 1, 2]);
  other.close();
});

Deno.test("page hide saves and sends once what a handler of the page tracks in one go", async () => {
  const { page, client } = startVisit();
  page.hide();
  const writes: unknown[] = [];
  const { storage } = page.environment;
  const set = storage.set;
  Object.assign(storage, { set: (key: string, value: string) => (writes.push(key), set(key, value)) });

  for (let i = 0; i < 50; i++) client.step("of the handler");
  for (let i = 0; i < 20; i++) await null;

  assertEquals([page.requests.length, page.events.length, writes.length < 10], [1, 50, true]);
  client.close();
});

Deno.test("page hide over, what a hidden page tracks leaves with the timer", async () => {
  const { browser, page, client } = startVisit();
  page.hide();
  await browser.advance(10_000);

  client.step("in the background");
  await browser.advance(4999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.map(stateOf)], [0, [["in the background", false, "answered"]]]);
  client.close();
});

Deno.test("a hidden page that tracks all the time batches as before once the exit is over", async () => {
  const { browser, page, client } = startVisit();
  page.hide();

  for (let i = 0; i < 50; i++) {
    client.step("message");
    await browser.advance(400);
  }

  const isLate = page.requests.map(({ keepalive }) => keepalive).slice(2);
  assertEquals([page.requests.length < 10, isLate.some(Boolean)], [true, false]);
  client.close();
});
Deno.test("a page that is hidden and shown again batches as before", async () => {
  const { browser, page, client } = startVisit();
  page.hide();
  await browser.settle();
  page.show();

  for (let i = 0; i < 100; i++) {
    client.step("a");
    await browser.advance(500);
  }

  const requests = page.requests.map(({ keepalive, body }) => [keepalive, body.events.length]);
  assertEquals(requests, Array.from({ length: 10 }, () => [false, 10]));
  client.close();
});

Deno.test("a page that is only hidden sends a batch too large for keepalive by the way of a living page", async () => {
  const { browser, page, client } = startVisit({}, { title: "世".repeat(8000) });
  client.identify("ada", { about: "x".repeat(8000) });
  client.step("large", { text: "x".repeat(30_000) });

  page.hide();
  await browser.advance(500); // the exit is over, and the page lives

  assertEquals(page.requests.map(stateOf), [["large", false, "answered"]]);
  client.close();
});

Deno.test("a keepalive request that fails while the page lives is a network failure like any", async () => {
  const { browser, page, client } = startVisit();
  browser.respond(({ keepalive }) => ({ status: keepalive ? 0 : 202 }));
  client.step("a");

  page.hide();
  const before = page.requests.length;
  await browser.advance(MIN_BACKOFF_MS);

  assertEquals([before, page.requests.map(stateOf)], [1, [["a", true, "failed"], ["a", false, "answered"]]]);
  assertEquals(at(page.requests, 0).body.batchId, at(page.requests, 1).body.batchId);
  client.close();
});

Deno.test("a page back from the back/forward cache lives on, and sends again what nobody answered, under the same id", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  page.freeze();
  await browser.advance(3_600_000);
  browser.respond({ status: 202 });

  page.restore();
  client.step("b");
  await browser.advance(5000);

  assertEquals(page.requests.map(stateOf), [["a", true, "aborted"], ["a", false, "answered"], [
    "b",
    false,
    "answered",
  ]]);
  assertEquals(at(page.requests, 0).body.batchId, at(page.requests, 1).body.batchId);
  client.close();
});

/** What happens in another tab while the page sleeps, and what it sends of its own after. */
const ELSEWHERE: readonly {
  readonly what: string;
  readonly act: (other: Visit) => unknown;
  readonly sent: readonly string[];
}[] = [
  { what: "nothing", act: () => {}, sent: ["saved", "new"] },
  { what: "reset()", act: ({ client }) => client.reset(), sent: ["saved", "new"] },
  { what: "denied", act: ({ client }) => client.setConsent("denied"), sent: [] },
  {
    what: "denied and granted again",
    act({ client }) {
      client.setConsent("denied");
      client.setConsent("granted");
    },
    sent: ["new"],
  },
];

for (const { what, act, sent } of ELSEWHERE) {
  Deno.test(`a page back from the back/forward cache sends ${sent.join(" and ") || "nothing"} after ${what} in another tab`, async () => {
    const { browser, page, client } = startVisit();
    browser.respond("hang");
    client.step("saved");
    page.freeze();
    const other = startVisit({}, { browser });
    await act(other);
    await browser.settle();
    browser.respond({ status: 202 });

    page.restore();
    await browser.settle();
    client.step("new");
    await browser.advance(60_000);

    assertEquals([namesOf(page.events), client.drops()], [sent, what === "denied" ? { consent: 1 } : {}]);
    for (const each of [client, other.client]) each.close();
  });
}

function stateOf({ body, keepalive, state }: TestRequest): readonly [string, boolean, string] {
  return [namesOf(body.events).join(), keepalive, state];
}
