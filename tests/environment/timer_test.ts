import { assertEquals } from "@std/assert";
import { createTimer } from "../../src/environment/timer.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";

Deno.test("createTimer() calls back once after the delay", async () => {
  const browser = createTestBrowser();
  let calls = 0;
  const timer = createTimer(browser.open("https://shop.example/").environment, () => calls++);

  timer.arm(1000);
  assertEquals(timer.isArmed(), true);
  await browser.advance(999);
  assertEquals(calls, 0);

  await browser.advance(1);
  assertEquals(calls, 1);
  assertEquals(timer.isArmed(), false);
  await browser.advance(5000);
  assertEquals(calls, 1);
});

Deno.test("createTimer() keeps to the first delay while it runs", async () => {
  const browser = createTestBrowser();
  let calls = 0;
  const timer = createTimer(browser.open("https://shop.example/").environment, () => calls++);

  timer.arm(1000);
  timer.arm(1);
  await browser.advance(999);
  assertEquals(calls, 0);

  await browser.advance(1);
  assertEquals(calls, 1);
});

Deno.test("createTimer() can be armed again, by its own callback too", async () => {
  const browser = createTestBrowser();
  let calls = 0;
  const timer = createTimer(browser.open("https://shop.example/").environment, () => {
    if (++calls < 3) timer.arm(10);
  });

  timer.arm(10);
  await browser.advance(100);

  assertEquals(calls, 3);
  assertEquals(timer.isArmed(), false);
});

Deno.test("createTimer() stops, and can be armed afterwards", async () => {
  const browser = createTestBrowser();
  let calls = 0;
  const timer = createTimer(browser.open("https://shop.example/").environment, () => calls++);

  timer.cancel();
  timer.arm(10);
  timer.cancel();
  assertEquals(timer.isArmed(), false);
  await browser.advance(100);
  assertEquals(calls, 0);

  timer.arm(10);
  await browser.advance(10);
  assertEquals(calls, 1);
});
