import { assertEquals } from "@std/assert";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { hear } from "./hear.ts";

Deno.test("createTestBrowser() makes the same times, ids and random numbers in every run", () => {
  const { environment } = createTestBrowser().open("https://shop.example/");

  assertEquals(environment.now(), Date.parse("2026-01-01T00:00:00Z"));
  assertEquals(environment.randomId(), "00000000-0000-4000-8000-000000000001");
  assertEquals(environment.randomId(), "00000000-0000-4000-8000-000000000002");
  assertEquals(environment.random(), 0.5);
});

Deno.test("createTestBrowser() takes time, ids, random numbers and storage from the test", () => {
  const browser = createTestBrowser({ now: 5, ids: () => "id", random: () => 0.25, storage: { theme: "dark" } });
  const { environment } = browser.open("https://shop.example/");
  assertEquals([environment.now(), environment.randomId(), environment.random()], [5, "id", 0.25]);
  assertEquals(environment.storage.get("theme"), "dark");

  browser.setNow(7);
  browser.setRandom(0.75);

  assertEquals([browser.now(), environment.now(), environment.random()], [7, 7, 0.75]);
});

Deno.test("createTestBrowser() shares ids and time between its pages", async () => {
  const browser = createTestBrowser();
  const first = browser.open("https://shop.example/1");
  const second = browser.open("https://shop.example/2");

  await browser.advance(10);

  assertEquals(first.environment.now(), second.environment.now());
  assertEquals(first.environment.randomId() === second.environment.randomId(), false);
});

Deno.test("createTestBrowser() shares storage between its pages and with the test", () => {
  const browser = createTestBrowser();
  const first = browser.open("https://shop.example/1");
  const second = browser.open("https://shop.example/2");

  first.environment.storage.set("a", "1");
  assertEquals(second.environment.storage.get("a"), "1");
  assertEquals([...browser.storage], [["a", "1"]]);

  browser.storage.set("a", "2");
  assertEquals(first.environment.storage.get("a"), "2");
});

Deno.test("createTestBrowser() lets full storage be read and erased, blocked storage neither", () => {
  const browser = createTestBrowser({ storage: { "a.1": "device", b: "other" } });
  const { storage } = browser.open("https://shop.example/").environment;

  browser.blockStorage();
  storage.remove("a.1");
  assertEquals([storage.get("a.1"), storage.set("a.2", "new"), storage.keys("")], [null, false, []]);
  browser.fillStorage();
  assertEquals([storage.get("a.1"), storage.set("a.2", "new")], ["device", false]);
  storage.remove("a.1");
  browser.openStorage();

  assertEquals([storage.set("a.2", "new"), ...browser.storage.keys()], [true, "b", "a.2"]);
});

Deno.test("createTestBrowser() tells other pages what a page changes in storage, and that it cleared all", async () => {
  const browser = createTestBrowser();
  const first = browser.open("https://shop.example/1");
  const second = browser.open("https://shop.example/2");
  const heard: unknown[] = [];
  for (const [name, { environment }] of Object.entries({ first, second })) {
    environment.listenToStorage(({ key, newValue }) => heard.push([name, key, newValue]));
  }

  first.environment.storage.set("a", "1");
  first.environment.storage.set("a", "1"); // changes nothing
  first.environment.storage.remove("a");
  second.clearStorage();
  assertEquals(heard, []);
  await browser.settle();

  assertEquals(heard, [["second", "a", "1"], ["second", "a", null], ["first", null, null]]);
});

Deno.test("createTestBrowser() tells its pages, once, that the network is back", () => {
  const browser = createTestBrowser();
  const heard = [hear(browser.open("https://shop.example/1")), hear(browser.open("https://shop.example/2"))];

  browser.goOnline();
  assertEquals(heard, [[], []]);

  browser.goOffline();
  browser.goOnline();
  assertEquals(heard, [["show false"], ["show false"]]);
});
