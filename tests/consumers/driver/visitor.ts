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

/** A redirect takes 300 ms at most, and a title is read after a second: a page whose timers stand still may miss both. */
const STALL_MS = 100;

/** What such a page says to its console. */
const STALLED = "stood still for ";

const MOST_VISITS = 5;

/** A visit that failed, and of which a page had stood still: the machine was busy with something else. */
class StalledError extends Error {
  override readonly name = "StalledError";
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
  const stalls: string[] = [];
  try {
    const complaints: string[] = [];
    context.on("weberror", (event) => {
      const { stack, name, message } = event.error();
      complaints.push(`exception: ${stack || `${name}: ${message}`}`); // a DOMException has no stack
    });
    context.on("console", (message) => {
      if (message.text().startsWith(STALLED)) stalls.push(message.text());
      if (["warning", "error"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
    });
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: origin })));
    await context.addInitScript((settings) => void Object.assign(globalThis, { testSettings: settings }), settings);
    await context.addInitScript(watchTimers, { stalled: STALLED, stallMs: STALL_MS });
    await visit(context, complaints);
  } catch (error) {
    throw stalls.length > 0 ? new StalledError(stalls.join(", "), { cause: error }) : error;
  } finally {
    await context.close();
  }
}

/** Runs a test that depends on the times of a page, and again if it failed while a page stood still. */
export async function repeatStalled(run: () => Promise<void>): Promise<void> {
  for (let visits = 1;; visits++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StalledError) || visits === MOST_VISITS) throw error;
      console.log(`  a page ${error.message}: visited again`);
    }
  }
}

/** Says, in a page, that its timers stood still. */
function watchTimers({ stalled, stallMs }: { readonly stalled: string; readonly stallMs: number }): void {
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    if (now - last > stallMs) console.debug(`${stalled}${Math.round(now - last)} ms`);
    last = now;
  };
  setInterval(look, 20);
  // Where it comes back from the cache of pages it did nothing meanwhile.
  addEventListener("pageshow", () => last = performance.now());
}
