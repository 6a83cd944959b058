import { assertEquals } from "@std/assert";
import { createBrowserEnvironment } from "../../../src/client/platform/browser.ts";
import { outsideZone } from "../../../src/client/platform/zone.ts";
import { REQUEST } from "./fake_fetch.ts";
import { override, withWindow } from "./window_scope.ts";

Deno.test("outsideZone() does things at once where there is no zone, or something else of the name", () => {
  const frame = {
    get root() {
      throw new DOMException("Blocked a frame from accessing a cross-origin frame.", "SecurityError");
    },
  };
  const scopes = [{}, { Zone: undefined }, { Zone: class {} }, { Zone: null }, { Zone: frame }, { Zone: { root: {} } }];

  for (const scope of scopes) {
    assertEquals(outsideZone(scope, () => 1), 1);
  }
});

Deno.test("createBrowserEnvironment() keeps timers, requests and listeners out of the zone of Angular", () =>
  withWindow("https://shop.example/", (scope) => {
    const used: string[] = [];
    let zone = "angular";
    const note = (what: string): void => void used.push(`${what} in ${zone}`);
    const run = <T>(task: () => T): T => {
      zone = "root";
      const result = task();
      zone = "angular";
      return result;
    };
    override(scope, {
      Zone: { root: { run } },
      setTimeout: () => note("timer") ?? 0,
      fetch: () => {
        note("request");
        return new Promise(() => {});
      },
      addEventListener: () => note("listener"),
    });
    const environment = createBrowserEnvironment(scope);
    const nothing = (): void => {};

    environment.setTimer(nothing, 0);
    environment.send(REQUEST, nothing);
    environment.listen({ hide: nothing, show: nothing });

    assertEquals([...new Set(used)], ["timer in root", "request in root", "listener in root"]);
  }));
