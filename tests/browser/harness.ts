import { assertEquals } from "@std/assert";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH, UNWANTED_ARGS } from "./chromium.ts";
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

/** How long nothing has to happen where nothing may, in milliseconds: several flush intervals of the tests. */
export const QUIET_MS = 150;

/** Lets the time pass in which something forbidden would happen. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}

/** Launches Chromium once for the tests of a file. */
export function createBrowserTest(): BrowserTest {
  let browser: Browser | undefined;
  Deno.test.beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM_PATH,
      args: [...CHROMIUM_ARGS],
      ignoreDefaultArgs: [...UNWANTED_ARGS],
    });
  });
  Deno.test.afterAll(async () => {
    await browser?.close();
  });
  return (name, run) =>
    Deno.test(name, async () => {
      if (!browser) throw new Error("Chromium wasn't launched");
      await withStage(await browser.newContext(), run);
    });
}

/** Runs a test in a visitor's browser, and closes that. An exception that reaches a page fails the test. */
export function withStage(context: BrowserContext, run: (stage: Stage) => Promise<void>): Promise<void> {
  return withServers(async (servers) => {
    const messages: string[] = [];
    const errors: string[] = [];
    context.on("weberror", (event) => errors.push(String(event.error().stack)));
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
