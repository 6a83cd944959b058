import { assertEquals } from "@std/assert";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { InitConfig } from "../../mod.ts";
import { CHROMIUM_ARGS, CHROMIUM_PATH, UNWANTED_ARGS } from "./chromium.ts";
import { script } from "./html.ts";
import { type IngestServer, KEY, startIngest } from "./ingest_server.ts";
import { type SiteServer, startSite } from "./site_server.ts";

/** What a test has at hand. All of it is the test's own and closed after it. */
export interface Stage {
  /** The visitor's browser: cookies, storage and caches of its own. */
  readonly context: BrowserContext;
  /** The site that uses the SDK. */
  readonly site: SiteServer;
  /** Another site, under another name. */
  readonly otherSite: SiteServer;
  /** The ingest, on a third origin. */
  readonly ingest: IngestServer;
  /** Lines that the SDK wrote to the console of any page, without `debug` warnings alone. */
  readonly messages: readonly string[];
  /** Returns a script that calls `Vendor.init()`; by default the queue is flushed after 20 ms. */
  init(config?: Partial<InitConfig>): string;
  /** Opens a tab with a page of the site. */
  open(path: string): Promise<Page>;
}

/** Registers a test that has a browser. */
export type BrowserTest = (name: string, run: (stage: Stage) => Promise<void>) => void;

/** How long nothing has to happen where nothing may, in milliseconds: several flush intervals of the tests. */
export const QUIET_MS = 250;

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

/** Runs a test in a visitor's browser, with all servers, and closes everything. */
export async function withStage(context: BrowserContext, run: (stage: Stage) => Promise<void>): Promise<void> {
  const site = startSite("127.0.0.1");
  const otherSite = startSite("localhost");
  const ingest = await startIngest([site.origin, otherSite.origin, "null"]);
  const messages: string[] = [];
  const errors: string[] = [];
  context.on("weberror", (event) => errors.push(String(event.error().stack)));
  context.on("console", (message) => {
    if (message.text().startsWith("[Vendor]")) messages.push(message.text());
  });
  const stage: Stage = {
    context,
    site,
    otherSite,
    ingest,
    messages,
    init: (config) => buildInit({ endpoint: ingest.endpoint, ...config }),
    async open(path) {
      const page = await context.newPage();
      await page.goto(site.origin + path);
      return page;
    },
  };
  try {
    await run(stage);
    assertEquals(errors, [], "an exception reached the page");
  } finally {
    await context.close();
    await Promise.all([site.close(), otherSite.close(), ingest.close()]);
  }
}

/** Returns a script that calls `Vendor.init()` with a key that the ingest knows. */
export function buildInit(config: Partial<InitConfig> & { readonly endpoint: string }): string {
  return script((config) => Vendor.init(config), { apiKey: KEY, flushInterval: 20, ...config });
}
