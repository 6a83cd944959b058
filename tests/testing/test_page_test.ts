import { assertEquals, assertThrows } from "@std/assert";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { hear } from "./hear.ts";
import { send } from "./send.ts";

Deno.test("TestPage goes to a fragment by popstate, and back and forward", () => {
  const page = createTestBrowser().open("https://shop.example/");
  const heard = hear(page);

  page.goToFragment("reviews");
  page.back();
  page.back();
  page.forward();
  page.forward();

  assertEquals(heard, [
    "traverse https://shop.example/#reviews",
    "traverse https://shop.example/",
    "traverse https://shop.example/#reviews",
  ]);
});

Deno.test("TestPage.pushState() takes relative URLs of its origin, and forgets what came later", () => {
  const page = createTestBrowser().open("HTTPS://Shop.example/teas/../coffee?b=ä");
  const urls = [page.environment.url()];
  for (const url of ["black", "?sort=name", "#top"]) {
    page.pushState(url);
    urls.push(page.environment.url());
  }
  page.back();
  page.replaceState("/three");
  page.forward();
  page.back();
  page.pushState("/other");
  page.forward();

  assertEquals(urls, [
    "https://shop.example/coffee?b=%C3%A4",
    "https://shop.example/black",
    "https://shop.example/black?sort=name",
    "https://shop.example/black?sort=name#top",
  ]);
  assertThrows(() => page.pushState("https://other.example/"), Error, "another origin");
  assertThrows(() => page.replaceState("//other.example/"), Error, "another origin");
  assertEquals(page.environment.url(), "https://shop.example/other");
});

Deno.test("TestPage is hidden and shown once each", () => {
  const page = createTestBrowser().open("https://shop.example/");
  const heard = hear(page);

  page.show();
  page.hide();
  page.hide();
  page.show();

  assertEquals(heard, ["hide", "show false"]);
});

Deno.test("TestPage.close() hides the page by pagehide and visibilitychange, and then nothing reaches it", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond("hang");
  const heard = hear(page);
  let ticks = 0;
  page.environment.setTimer(() => ticks++, 10);
  const statuses = send(page);

  page.close();
  page.close();
  assertEquals(heard, ["hide", "hide"]);

  page.requests[0]?.answer({ status: 202 });
  page.hide();
  page.show();
  page.pushState("/late");
  browser.goOffline();
  browser.goOnline();
  page.restore();
  await browser.advance(100);
  assertEquals(heard, ["hide", "hide"]);
  assertEquals(ticks, 0);
  assertEquals(statuses, []);
});

Deno.test("TestPage.close() is final", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const heard = hear(page);

  page.close();
  page.freeze();
  page.restore();
  const statuses = send(page);
  send(page, { keepalive: false });
  await browser.settle();

  assertEquals(heard, ["hide", "hide"]);
  assertEquals(statuses, []);
  assertEquals(page.requests.map(({ state }) => state), ["answered", "aborted"]);
});

Deno.test("TestPage.close() sends pagehide alone where the page is hidden already", () => {
  const page = createTestBrowser().open("https://shop.example/");
  page.hide();
  const heard = hear(page);

  page.close();

  assertEquals(heard, ["hide"]);
});

Deno.test("TestPage.close() leaves requests with keepalive on their way, and no other", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  send(page, { body: '{"events":[{"name":"kept"}]}' });
  send(page, { body: '{"events":[{"name":"lost"}]}', keepalive: false });

  page.close();
  send(page, { body: '{"events":[{"name":"last words"}]}' });
  send(page, { body: '{"events":[{"name":"lost too"}]}', keepalive: false });
  await browser.settle();

  assertEquals(page.events.map(({ name }) => name), ["kept", "last words"]);
  assertEquals(page.requests.map(({ state }) => state), ["answered", "aborted", "answered", "aborted"]);
});

Deno.test("TestPage.crash() ends the page without a word to it, and what it sent with keepalive arrives", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const heard = hear(page);
  let ticks = 0;
  page.environment.setTimer(() => ticks++, 10);
  const statuses = [send(page, { body: '{"events":[{"name":"kept"}]}' }), send(page, { keepalive: false })];

  page.crash();
  page.close();
  page.restore();
  page.show();
  await browser.advance(100);

  assertEquals([heard, ticks, statuses.flat()], [[], 0, []]);
  assertEquals(page.requests.map(({ state }) => state), ["answered", "aborted"]);
});

Deno.test("TestPage.crash() takes a page out of the back/forward cache", () => {
  const page = createTestBrowser().open("https://shop.example/");
  page.freeze();
  const heard = hear(page);

  page.crash();
  page.restore();

  assertEquals(heard, []);
});

Deno.test("TestPage.freeze() stops the page's time, and restore() shows it again", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const heard = hear(page);
  let ticks = 0;
  page.environment.setTimer(() => ticks++, 10);

  page.restore();
  page.freeze();
  await browser.advance(1000);
  assertEquals(ticks, 0);
  assertEquals(heard, ["hide", "hide"]);

  page.restore();
  assertEquals(heard.slice(2), ["show true"]);
  await browser.advance(10);
  assertEquals(ticks, 1);
});

Deno.test("TestPage.restore() brings no answers to what was sent before", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond("hang");
  const earlier = send(page);
  const open = send(page);

  page.freeze();
  page.requests[0]?.answer({ status: 202 });
  await browser.settle();
  page.restore();
  page.requests[1]?.answer({ status: 202 });
  browser.respond({ status: 200 });
  const later = send(page);
  await browser.settle();

  assertEquals([earlier, open, later], [[], [], [200]]);
  assertEquals(page.requests.map(({ status }) => status), [202, 202, 200]);
});

Deno.test("TestPage can be thrown out of the back/forward cache", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const heard = hear(page);
  page.freeze();

  page.close();
  page.restore();
  await browser.settle();

  assertEquals(heard, ["hide", "hide"]);
});

Deno.test("TestPage.activate() turns the page visible, and calls who waits a task later", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/", { isPrerendering: true });
  const heard = hear(page);
  page.environment.whenActive(() => heard.push("active"));
  page.hide();
  page.show();
  assertEquals(heard, []);

  page.activate();
  page.activate();
  assertEquals(heard, ["show false"]);
  await browser.settle();
  assertEquals(heard, ["show false", "active"]);

  page.hide();
  assertEquals(heard, ["show false", "active", "hide"]);
});

Deno.test("TestPage.logs are what was written for the developer", () => {
  const page = createTestBrowser().open("https://shop.example/");

  page.environment.log("warn", "grave");
  page.environment.log("log", "aside");

  assertEquals(page.logs, [{ level: "warn", message: "grave" }, { level: "log", message: "aside" }]);
});

Deno.test("TestPage.touched counts what was used of the environment", () => {
  const page = createTestBrowser().open("https://shop.example/?q=1");
  const { environment } = page;
  const before = page.touched;
  assertEquals(before, { storage: 0, url: 0, path: 0, referrer: 0, title: 0, screen: 0 });

  environment.now();
  environment.path();
  environment.title();
  environment.screen();
  environment.referrer();
  environment.url();
  environment.url();
  environment.storage.get("a");
  environment.storage.set("a", "1");
  environment.storage.keys("a");
  environment.storage.remove("a");

  assertEquals(page.touched, { storage: 4, url: 2, path: 1, referrer: 1, title: 1, screen: 1 });
  assertEquals(before.url, 0);
});

Deno.test("TestPage has the path of a page whose scheme has no origin", () => {
  const { environment } = createTestBrowser().open("capacitor://localhost/teas?q=1#a");

  assertEquals(environment.path(), "capacitor://localhost/teas");
});
