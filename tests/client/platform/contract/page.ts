import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { DRIVER_SCREEN, DRIVER_URL } from "../page_driver.ts";
import type { Register } from "./register.ts";

/** Registers the tests of what an environment tells. */
export function registerPage(test: Register): void {
  test("collects", ({ environment }) => assertEquals(environment.canCollect, true));

  test("tells the full URL, and origin and path", ({ environment }) => {
    assertEquals(environment.url(), DRIVER_URL);
    assertEquals(environment.path(), "https://shop.example/teas");
  });

  test("follows the URL through the history", async ({ environment, pushState, replaceState, back }) => {
    pushState("/teas/sencha?cup=2#top");
    assertEquals(environment.url(), "https://shop.example/teas/sencha?cup=2#top");
    assertEquals(environment.path(), "https://shop.example/teas/sencha");

    replaceState("?cup=3");
    assertEquals(environment.url(), "https://shop.example/teas/sencha?cup=3");

    await back();
    assertEquals(environment.url(), DRIVER_URL);
  });

  test("tells title and screen", ({ environment, setTitle }) => {
    assertEquals(environment.title(), "Teas");
    assertEquals(environment.screen(), { screenWidth: DRIVER_SCREEN.width, screenHeight: DRIVER_SCREEN.height });

    setTitle("Sencha");
    assertEquals(environment.title(), "Sencha");
  });

  test(
    "tells the referrer",
    ({ environment }) => assertEquals(environment.referrer(), "https://search.example/?q=tea"),
    {
      referrer: "https://search.example/?q=tea",
    },
  );

  test("tells an empty referrer where there is none", ({ environment }) => assertEquals(environment.referrer(), ""));

  test("tells the time in milliseconds", async ({ environment, pass }) => {
    const before = environment.now();
    await pass(20);

    assert(before > Date.UTC(2025, 0));
    assert(environment.now() >= before + 20);
  });

  test("makes random UUIDs of version 4, each only once", ({ environment }) => {
    const id = environment.randomId();

    assertMatch(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assertNotEquals(environment.randomId(), id);
  });

  test("makes random numbers from 0 to 1", ({ environment }) => {
    const value = environment.random();

    assert(value >= 0 && value < 1);
  });
}
