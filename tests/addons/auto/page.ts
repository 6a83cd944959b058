import { type Client, createClient } from "../../../src/client/mod.ts";
import { auto, type AutoOptions } from "../../../src/addons/auto/mod.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../../../src/testing/mod.ts";
import { type WindowScope, withWindow } from "../../client/platform/window_scope.ts";
import type { InitConfig } from "../../../mod.ts";

/** What the add-on takes from the global scope. */
const GLOBALS = ["document", "location", "addEventListener", "removeEventListener", "innerHeight", "scrollY"];

/** A client in a page of happy-dom. */
export interface AutoStage {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly client: Client;
  readonly scope: WindowScope;
  /** Ends what `auto()` started. */
  readonly stop: () => void;
  /** Puts markup into the page, and returns its first element. */
  html(markup: string): HTMLElement;
  /** Returns names and properties of what was sent, but for pageviews. */
  sent(): Promise<readonly (readonly [string, unknown])[]>;
}

/** Registers a test with a page that records by itself. */
export function autoTest(
  name: string,
  { config = {}, options }: { readonly config?: Partial<InitConfig>; readonly options: AutoOptions },
  run: (stage: AutoStage) => Promise<void>,
): void {
  Deno.test(name, () =>
    withWindow("https://shop.example/teas", async (scope) => {
      const before = GLOBALS.map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)] as const);
      for (const key of GLOBALS) {
        const value = Reflect.get(scope, key);
        const get = () => key.endsWith("Listener") ? value.bind(scope) : Reflect.get(scope, key);
        Object.defineProperty(globalThis, key, { get, configurable: true });
      }
      const browser = createTestBrowser();
      const page = browser.open("https://shop.example/teas", { title: "Teas" });
      const client = createClient({ apiKey: "pk_test", ...config }, page.environment);
      const stop = auto(client, options);
      try {
        await run({
          browser,
          page,
          client,
          scope,
          stop,
          html(markup) {
            scope.document.body.innerHTML = markup;
            // What the page itself does with a click is none of the add-on's.
            for (const kind of ["click", "submit"]) scope.addEventListener(kind, (event) => event.preventDefault());
            return scope.document.body.firstElementChild as HTMLElement;
          },
          async sent() {
            await browser.advance(6000);
            return page.events.filter((event) => event.name !== "$pageview").map((event) => [
              event.name,
              event.properties,
            ]);
          },
        });
      } finally {
        stop();
        client.close();
        for (const [key, descriptor] of before) {
          Reflect.deleteProperty(globalThis, key);
          if (descriptor) Object.defineProperty(globalThis, key, descriptor);
        }
      }
    }));
}
