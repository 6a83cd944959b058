import { type BrowserContext, chromium } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH, UNWANTED_ARGS } from "../../browser/chromium.ts";

/** A visitor's browser. */
export interface VisitorOptions {
  /** What the recipes read of `globalThis.testSettings`. */
  readonly settings?: unknown;
  /** Cookies of the site, by name. */
  readonly cookies?: Readonly<Record<string, string>>;
  /** The site. */
  readonly origin: string;
}

/** Runs a test with a browser of its own. A warning or an error in the console of a page fails it. */
export async function withVisitor(
  { settings, cookies = {}, origin }: VisitorOptions,
  run: (context: BrowserContext, complaints: readonly string[]) => Promise<void>,
): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [...CHROMIUM_ARGS],
    ignoreDefaultArgs: [...UNWANTED_ARGS],
  });
  try {
    const context = await browser.newContext();
    const complaints: string[] = [];
    context.on("weberror", (event) => complaints.push(`exception: ${event.error().stack}`));
    context.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
    });
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })));
    await context.addInitScript((settings) => void Object.assign(globalThis, { testSettings: settings }), settings);
    await run(context, complaints);
  } finally {
    await browser.close();
  }
}
