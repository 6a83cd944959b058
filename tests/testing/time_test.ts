import { assertEquals, assertRejects } from "@std/assert";
import { createTestBrowser, type TestPage } from "../../src/testing/mod.ts";

const START_MS = Date.UTC(2026, 0);

/** Sets timers of a page that note their names and when they fire. */
function open(): { browser: ReturnType<typeof createTestBrowser>; page: TestPage; calls: string[]; set: Set } {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const calls: string[] = [];
  const set: Set = (name, delayMs) =>
    page.environment.setTimer(() => calls.push(`${name} at ${browser.now() - START_MS}`), delayMs);
  return { browser, page, calls, set };
}

type Set = (name: string, delayMs: number) => () => void;

Deno.test("TestBrowser.advance() fires timers by their times, then by their setting, and those that they set", async () => {
  const { browser, page, calls, set } = open();
  set("c", 30);
  page.environment.setTimer(async () => {
    await Promise.resolve();
    set("inner", 5);
  }, 10);
  set("a", 10);
  set("b", 16);
  set("late", 31);
  set("cancelled", 5)();

  await browser.advance(30);

  assertEquals(calls, ["a at 10", "inner at 15", "b at 16", "c at 30"]);
});

Deno.test("a test page's timers fire at once where browsers do: 0, negative, NaN, infinite, 2^31 and more", async () => {
  const { browser, calls, set } = open();
  for (const delayMs of [0, -5, NaN, Infinity, 2 ** 31, 2 ** 31 - 1]) set(`${delayMs}`, delayMs);

  await browser.settle();

  assertEquals(calls, ["0 at 0", "-5 at 0", "NaN at 0", "Infinity at 0", "2147483648 at 0"]);
});

Deno.test("TestBrowser.setNow() sets the clock, and no timer notices", async () => {
  const { browser, calls, set } = open();
  set("a", 100);

  browser.setNow(START_MS - 9500);
  await browser.advance(99);
  assertEquals([browser.now() - START_MS, calls], [-9401, []]);

  await browser.advance(1);
  assertEquals(calls, ["a at -9400"]);
});

Deno.test("the time in which a test page is frozen doesn't count for its timers", async () => {
  const { browser, page, calls, set } = open();
  set("a", 100);
  const cancel = set("cancelled", 100);
  await browser.advance(40);

  page.freeze();
  set("meanwhile", 10);
  cancel();
  await browser.advance(1000);
  assertEquals(calls, []);

  page.restore();
  await browser.advance(1000);
  assertEquals(calls, ["meanwhile at 1050", "a at 1100"]);
});

Deno.test("TestBrowser.advance() gives up on timers without a delay that set each other", async () => {
  const { browser, page } = open();
  const again = (): void => void page.environment.setTimer(again, 0);
  again();

  await assertRejects(() => browser.advance(1), Error, "without end");
});
