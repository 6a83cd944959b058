import { assertEquals } from "@std/assert";
import { type Browser, type BrowserContext, chromium, firefox, type Page } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH, UNWANTED_ARGS } from "./chromium.ts";
import { FIREFOX_PATH } from "./firefox.ts";
import type {} from "./sdk_bundle.ts";
import { type Servers, withServers } from "./servers.ts";

/** What a test has at hand. All of it is the test's own and closed after it. */
export interface Stage extends Servers {
  /** The visitor's browser: cookies, storage and caches of its own. */
  readonly context: BrowserContext;
  /** What the SDK wrote to the console of any page. */
  readonly messages: readonly string[];
  /** Opens a tab with a page of the site. */
  open(path: string): Promise<Page>;
}

/** Registers a test that has a browser. */
export type BrowserTest = (name: string, run: (stage: Stage) => Promise<void>) => void;

/** A browser that tests run in. */
export type BrowserName = "Chromium" | "Firefox";

/** How long nothing has to happen where nothing may, in milliseconds: several flush intervals of the tests. */
export const QUIET_MS = 150;

/** Lets the time pass in which something forbidden would happen. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}

/** Lets everything leave that waits, a view for its title too, and then the time pass as `quiet()` does. */
export async function flush(page: Page): Promise<void> {
  await page.evaluate(() => Vendor.flush());
  await quiet();
}

const LAUNCHERS: Readonly<Record<BrowserName, () => Promise<Browser>>> = {
  Chromium: () =>
    chromium.launch({
      executablePath: CHROMIUM_PATH,
      args: [...CHROMIUM_ARGS],
      ignoreDefaultArgs: [...UNWANTED_ARGS],
    }),
  Firefox: () => firefox.launch({ channel: "moz-firefox", executablePath: FIREFOX_PATH }),
};

/** Launches each browser once for the tests of a file, by default Chromium alone, and runs the tests in each. */
export function createBrowserTest(names: readonly BrowserName[] = ["Chromium"]): BrowserTest {
  const browsers = new Map<string, Browser>();
  Deno.test.beforeAll(async () => {
    for (const name of names) browsers.set(name, await LAUNCHERS[name]());
  });
  Deno.test.afterAll(async () => {
    for (const browser of browsers.values()) await browser.close();
  });
  return (test, run) => {
    for (const name of names) {
      Deno.test(names.length > 1 ? `${name}: ${test}` : test, async () => {
        const browser = browsers.get(name);
        if (!browser) throw new Error(`${name} wasn't launched`);
        await withStage(await browser.newContext(), run);
      });
    }
  };
}

/** Goes back to the page that was left last, which the back/forward cache has kept. */
export async function goBack(page: Page, path: string): Promise<void> {
  // Playwright's own waits for a load, and Firefox has none then.
  await page.evaluate(() => void setTimeout(() => history.back()));
  for (let turn = 0;; turn++) {
    if (await page.evaluate(() => location.pathname).catch(() => "") === path) return;
    if (turn === 100) throw new Error(`it didn't come back to ${path}`);
    await quiet();
  }
}

/** Runs a test in a visitor's browser, and closes that. An exception that reaches a page fails the test. */
export function withStage(context: BrowserContext, run: (stage: Stage) => Promise<void>): Promise<void> {
  return withServers(async (servers) => {
    const messages: string[] = [];
    const errors: string[] = [];
    context.on("weberror", (event) => {
      const { message, stack } = event.error();
      // Firefox says of a cookie that it refuses what it says of an exception.
      if (!message.startsWith("Cookie “")) errors.push(String(stack));
    });
    context.on("console", (message) => {
      if (message.text().startsWith("[Vendor]")) messages.push(message.text());
    });
    try {
      await run({
        ...servers,
        context,
        messages,
        async open(path) {
          const page = await context.newPage();
          await page.goto(servers.site.origin + path);
          return page;
        },
      });
      assertEquals(errors, [], "an exception reached the page");
    } finally {
      await context.close();
    }
  });
}
