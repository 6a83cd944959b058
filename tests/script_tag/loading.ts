import { FakeTime } from "@std/testing/time";
import { installGlobal } from "../../src/script_tag/install_global.ts";
import { installLoader, type LoaderScope } from "../../src/script_tag/loader.ts";
import type { VendorGlobal } from "../../src/script_tag/vendor_global.ts";
import type { InitConfig } from "../../src/client/base/types.ts";
import { createTestBrowser, type TestBrowser, type TestPage, type TestPageOptions } from "../../src/testing/mod.ts";

/** When a visit begins. */
export const START_MS = 1_767_225_600_000;

/** What the tests configure, unless they say otherwise. */
export const CONFIG: InitConfig = { apiKey: "pk_test" };

/** A page whose SDK is still being loaded. */
export interface Loading {
  /** The browser. */
  readonly browser: TestBrowser;
  /** The page. */
  readonly page: TestPage;
  /** The page's global object. */
  readonly scope: LoaderScope;
  /** The global variable: what stands in for the SDK, and then the SDK. */
  readonly vendor: VendorGlobal;
  /** Everything that waits for the SDK, as text. */
  readonly kept: string;
  /** Lets time pass. */
  wait(durationMs: number): Promise<void>;
  /** Navigates, as a router does. */
  go(url: string): void;
  /** Runs the file of the SDK. */
  load(): void;
  /** Lets the file fail to load. */
  fail(id?: string): void;
}

/** Runs a test on a page with the snippet, and with a clock that is moved by hand. */
export async function whileLoading(
  run: (loading: Loading) => Promise<void>,
  options: TestPageOptions = {},
): Promise<void> {
  const time = new FakeTime(START_MS);
  try {
    await run(openPage(time, options));
  } finally {
    time.restore();
  }
}

function openPage(time: FakeTime, options: TestPageOptions): Loading {
  const browser = createTestBrowser({ now: START_MS });
  let url = new URL("https://shop.example/teas?sort=price");
  const page = browser.open(url.href, options);
  const onError: ((event: { readonly target: { readonly id?: string } }) => void)[] = [];
  const scope: Loading["scope"] = {
    location: {
      get href() {
        return url.href;
      },
      get protocol() {
        return url.protocol;
      },
      get host() {
        return url.host;
      },
      get pathname() {
        return url.pathname;
      },
    },
    addEventListener: (_type, listener) => void onError.push(listener),
  };
  installLoader(scope);
  return {
    browser,
    page,
    scope,
    get vendor() {
      return scope.Vendor as VendorGlobal;
    },
    get kept() {
      return JSON.stringify(scope.Vendor?.queue);
    },
    async wait(durationMs) {
      await time.tickAsync(durationMs);
      await browser.advance(durationMs);
    },
    go(target) {
      url = new URL(target, url);
      page.pushState(target);
    },
    load: () => installGlobal(scope, page.environment),
    fail: (id = "vendor-sdk") => onError.forEach((listener) => listener({ target: { id } })),
  };
}
