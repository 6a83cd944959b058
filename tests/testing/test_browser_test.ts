import { assertEquals } from "@std/assert";
import { createTestBrowser } from "../../src/testing/mod.ts";

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

Deno.test("createTestBrowser() keeps apart what pages remember while storage is blocked", () => {
  const browser = createTestBrowser({ storage: { a: "device" } });
  const first = browser.open("https://shop.example/1");
  const second = browser.open("https://shop.example/2");
  browser.blockStorage();

  first.environment.storage.set("a", "memory");
  assertEquals([first.environment.storage.get("a"), second.environment.storage.get("a")], ["memory", null]);

  browser.openStorage();
  assertEquals(second.environment.storage.get("a"), "device");
});

Deno.test("createTestBrowser() lets a page return to the device once that takes writes again", () => {
  const browser = createTestBrowser();
  const { storage } = browser.open("https://shop.example/").environment;
  browser.fillStorage();
  storage.set("a", "memory");

  browser.openStorage();
  storage.set("a", "device");
  browser.storage.set("a", "another page");

  assertEquals(storage.get("a"), "another page");
});

Deno.test("createTestBrowser() lets full storage be read and erased", () => {
  const browser = createTestBrowser({ storage: { "a.1": "device", b: "other" } });
  const { storage } = browser.open("https://shop.example/").environment;
  browser.fillStorage();

  assertEquals(storage.get("a.1"), "device");
  storage.set("a.2", "memory");
  for (const key of storage.keys("a.")) storage.remove(key);

  assertEquals([storage.get("a.1"), storage.get("a.2"), storage.get("b")], [null, null, "other"]);
  assertEquals([...browser.storage.keys()], ["b"]);
});

Deno.test("createTestBrowser() tells its pages, once, that the network is back", () => {
  const browser = createTestBrowser();
  const heard: string[] = [];
  const ignore = (): void => {};
  for (const name of ["first", "second"]) {
    const { environment } = browser.open(`https://shop.example/${name}`);
    environment.listen({
      online: () => heard.push(name),
      hide: ignore,
      show: ignore,
      storage: ignore,
      blocked: ignore,
    });
  }

  browser.goOnline();
  assertEquals(heard, []);

  browser.goOffline();
  browser.goOnline();
  assertEquals(heard, ["first", "second"]);
});
