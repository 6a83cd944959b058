import { assertEquals } from "@std/assert";
import { DRIVER_URL } from "../page_driver.ts";
import { createEar } from "./ear.ts";
import type { Register } from "./register.ts";

/** Registers the tests of listeners. */
export function registerListeners(test: Register): void {
  test("tells of navigations once the URL has changed", async (driver) => {
    const { heard, listeners } = createEar(driver);
    driver.environment.listen(listeners);

    driver.pushState("/a");
    driver.replaceState("/b");
    driver.replaceState("/b");
    await driver.back();

    assertEquals(heard, [
      "push https://shop.example/a",
      "replace https://shop.example/b",
      "replace https://shop.example/b",
      `traverse ${DRIVER_URL}`,
    ]);
  });

  test("tells that the page was hidden and shown", (driver) => {
    const { heard, listeners } = createEar(driver);
    driver.environment.listen(listeners);

    driver.hide();
    driver.show();

    assertEquals(heard, ["hide", "show false"]);
  });

  test("tells that the page goes and is restored", (driver) => {
    const { heard, listeners } = createEar(driver);
    driver.environment.listen(listeners);

    driver.leave();
    assertEquals(heard, ["hide", "hide"]);

    // Once, though the page turns visible too: the visitor may be gone, and nothing is to happen before that is known.
    driver.restore();
    assertEquals(heard.slice(2), ["show true"]);
  });

  test("tells when it's online again", (driver) => {
    const { heard, listeners } = createEar(driver);
    driver.environment.listen(listeners);

    driver.goOffline();
    assertEquals(heard, []);

    driver.goOnline();
    assertEquals(heard, ["show false"]);
  });

  test("tells several listeners, until each ends its subscription", (driver) => {
    const first = createEar(driver);
    const second = createEar(driver);
    const stopFirst = driver.environment.listen(first.listeners);
    driver.environment.listen(second.listeners);

    driver.pushState("/a");
    stopFirst();
    driver.pushState("/b");
    driver.hide();

    assertEquals(first.heard, ["push https://shop.example/a"]);
    assertEquals(second.heard, ["push https://shop.example/a", "push https://shop.example/b", "hide"]);
  });

  test("tells nothing once the subscription has ended", async (driver) => {
    const { heard, listeners } = createEar(driver);
    const stop = driver.environment.listen(listeners);

    stop();
    stop();
    driver.pushState("/a");
    driver.replaceState("/b");
    await driver.back();
    driver.goOffline();
    driver.goOnline();
    driver.hide();
    driver.show();
    driver.leave();
    driver.restore();

    assertEquals(heard, []);
  });
}
