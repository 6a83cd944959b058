import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH, UNWANTED_ARGS } from "../../browser/chromium.ts";

/** Who visits a site. */
export interface VisitorOptions {
  /** Browser that visitors share, cookies and storage excepted; one of the visitor's own by default. */
  readonly browser?: Browser;
  /** What the recipes read of `globalThis.testSettings`. */
  readonly settings?: unknown;
  /** Cookies of the site, by name. */
  readonly cookies?: Readonly<Record<string, string>>;
  /** The site. */
  readonly origin: string;
}

/** What a test does as a visitor; `complaints` are the warnings and errors in the console of the pages. */
type Visit = (context: BrowserContext, complaints: readonly string[]) => Promise<void>;

/** Runs a test with a browser that visitors can share. */
export async function withBrowser(run: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [...CHROMIUM_ARGS],
    ignoreDefaultArgs: [...UNWANTED_ARGS],
  });
  try {
    await run(browser);
  } finally {
    await browser.close();
  }
}

/** Runs a test as a visitor of a site. */
export async function withVisitor(options: VisitorOptions, visit: Visit): Promise<void> {
  const { browser, settings, cookies = {}, origin } = options;
  if (!browser) return await withBrowser((browser) => withVisitor({ ...options, browser }, visit));
  const context = await browser.newContext();
  try {
    const complaints: string[] = [];
    context.on("weberror", (event) => {
      const { stack, name, message } = event.error();
      complaints.push(`exception: ${stack || `${name}: ${message}`}`); // a DOMException has no stack
    });
    context.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
    });
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })));
    await context.addInitScript((settings) => void Object.assign(globalThis, { testSettings: settings }), settings);
    await visit(context, complaints);
  } finally {
    await context.close();
  }
}
