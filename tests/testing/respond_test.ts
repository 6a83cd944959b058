import { assertEquals, assertRejects } from "@std/assert";
import { createTestBrowser, type TestRequest } from "../../src/testing/mod.ts";
import { ENDPOINT, send } from "./send.ts";

Deno.test("respond() has each request answered 202 unless it's told otherwise", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");

  const statuses = send(page);
  assertEquals(page.requests[0]?.state, "pending");
  await browser.settle();

  assertEquals(statuses, [202]);
  assertEquals([page.requests[0]?.state, page.requests[0]?.status], ["answered", 202]);
});

Deno.test("respond() takes a function of the request", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond(({ url }) => ({ status: url === ENDPOINT ? 201 : 404 }));

  const known = send(page);
  const other = send(page, { url: "https://ingest.example/other" });
  await browser.settle();

  assertEquals([known, other], [[201], [404]]);
});

Deno.test("respond() waits for a function that takes its time", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { status: 204 };
  });

  const statuses = send(page);
  await browser.settle();

  assertEquals(statuses, [204]);
});

Deno.test("respond() lets the test see that its function failed", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond(() => {
    throw new Error("no such fixture");
  });

  send(page);

  await assertRejects(() => browser.settle(), Error, "no such fixture");
});

Deno.test("respond() leaves requests to the test that are to hang", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond("hang");
  const statuses = send(page);
  const others = send(page);
  await browser.advance(3_600_000);
  assertEquals(statuses, []);

  page.requests[0]?.answer({ status: 200 });
  page.requests[0]?.answer({ status: 500 });
  page.requests[1]?.fail();
  await browser.settle();

  assertEquals([statuses, others], [[200], [0]]);
  assertEquals(page.requests.map(({ state }) => state), ["answered", "failed"]);
});

Deno.test("respond() takes a status of 0 for a failure", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond({ status: 0 });

  const statuses = send(page);
  await browser.settle();

  assertEquals(statuses, [0]);
  assertEquals([page.requests[0]?.state, page.requests[0]?.status], ["failed", undefined]);
});

Deno.test("goOffline() lets requests under way fail, and later ones", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond("hang");
  const earlier = send(page);
  await browser.settle();

  browser.goOffline();
  const later = send(page);
  await browser.settle();

  assertEquals([earlier, later], [[0], [0]]);
});

Deno.test("TestPage.requests tell what was sent, and when", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  await browser.advance(1500);

  send(page, { headers: { "X-API-Key": "pk" }, body: '{"events":[{"name":"a"}]}', keepalive: false, priority: "auto" });

  const [{ body, state: _, answer: _answer, fail: _fail, ...rest } = {} as TestRequest] = page.requests;
  assertEquals<unknown>(body, { events: [{ name: "a" }] });
  assertEquals(rest, {
    url: ENDPOINT,
    headers: { "X-API-Key": "pk" },
    text: '{"events":[{"name":"a"}]}',
    keepalive: false,
    priority: "auto",
    timeMs: Date.UTC(2026, 0) + 1500,
    status: undefined,
  });
});

Deno.test("TestBrowser.events are those of all pages whose requests were accepted", async () => {
  const browser = createTestBrowser();
  const first = browser.open("https://shop.example/1");
  const second = browser.open("https://shop.example/2");
  browser.respond(({ text }) => ({ status: text.includes("refused") ? 400 : 202 }));

  send(first, { body: '{"events":[{"name":"a"},{"name":"b"}]}' });
  send(second, { body: '{"events":[{"name":"refused"}]}' });
  send(second, { body: '{"events":[{"name":"c"}]}' });
  assertEquals(browser.events, []);
  await browser.settle();

  assertEquals(browser.events.map(({ name }) => name), ["a", "b", "c"]);
  assertEquals(second.events.map(({ name }) => name), ["c"]);
  assertEquals(browser.requests.length, 3);
});

Deno.test("respond() takes a redirect for a failure, as browsers do where none is to be followed", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");

  for (const status of [301, 302, 303, 307, 308]) {
    browser.respond({ status });
    const statuses = send(page);
    await browser.settle();
    assertEquals(statuses, [0]);
  }
  assertEquals(new Set(page.requests.map(({ state }) => state)), new Set(["failed"]));
});
