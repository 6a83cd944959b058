import { type Browser, type BrowserContext, chromium, firefox, type Page } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH, UNWANTED_ARGS } from "../../browser/chromium.ts";
import { poll } from "../pauses.ts";
import { type Engine, refuse, type Tab, type Visitor } from "./engine.ts";
import { killDescendants } from "./processes.ts";

/** The program that the launcher of the suite found. */
export const FIREFOX_PATH: string = Deno.env.get("FIREFOX") ?? "/usr/bin/firefox-esr";

/** Name of Firefox's processes that hold a site, and not one of its own pages. */
const FIREFOX_SITE_PROCESS = /^Isolated Web/;

/** Longest way back to a page, in milliseconds. */
const BACK_LIMIT_MS = 10_000;

const KEEPS_VISIBLE = refuse("Playwright keeps its pages visible");

/** Launches Chromium. */
export async function launchChromium(): Promise<Engine> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [...CHROMIUM_ARGS, "--enable-precise-memory-info", "--js-flags=--expose-gc"],
    ignoreDefaultArgs: [...UNWANTED_ARGS],
  });
  return createEngine("chromium", browser, async (page) => {
    const crashed = page.waitForEvent("crash");
    page.goto("chrome://crash").catch(() => {}); // the page that would tell is gone
    await crashed;
  });
}

/** Launches Firefox, over WebDriver BiDi. */
export async function launchFirefox(): Promise<Engine> {
  const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_firefox_" });
  const executablePath = `${folder}/firefox`;
  // Playwright makes Firefox end with its first content process that crashes; visitors' browsers live on.
  await Deno.writeTextFile(executablePath, `#!/bin/sh\nexec env -u MOZ_CRASHREPORTER_SHUTDOWN ${FIREFOX_PATH} "$@"\n`, {
    mode: 0o755,
  });
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath });
  await Deno.remove(folder, { recursive: true });
  return createEngine("firefox", browser, async () => {
    const killed = await killDescendants(Deno.pid, FIREFOX_SITE_PROCESS);
    if (killed === 0) throw new Error("Firefox has no process for the site");
  });
}

type Crash = (page: Page) => Promise<void>;

function createEngine(name: "chromium" | "firefox", browser: Browser, crash: Crash): Engine {
  return {
    name,
    newVisitor: async () => await createVisitor(await browser.newContext(), crash),
    close: () => browser.close(),
  };
}

async function createVisitor(context: BrowserContext, crash: Crash): Promise<Visitor> {
  if (Deno.env.has("FAULT_DEBUG")) context.on("console", (message) => console.log(message.text()));
  await context.newPage(); // exit requests of a tab need a window that stays
  return {
    async open(url) {
      const page = await context.newPage();
      await page.goto(url);
      return createTab(page, crash);
    },
    setOffline: (isOffline) => context.setOffline(isOffline),
    close: () => context.close(),
  };
}

function createTab(page: Page, crash: Crash): Tab {
  const isAt = (path: string): Promise<boolean> =>
    page.evaluate("location.pathname").then((now) => now === path, () => false);
  return {
    goto: async (url) => void await page.goto(url),
    evaluate: (script) => page.evaluate(script),
    reload: async () => void await page.reload(),
    async back(path) {
      // page.goBack() waits for a load, and Firefox has none when the page comes from the back/forward cache.
      await page.evaluate("void setTimeout(() => history.back())");
      if (!await poll(() => isAt(path), BACK_LIMIT_MS)) throw new Error(`didn't come back to ${path}`);
    },
    close: () => page.close(),
    crash: () => crash(page),
    hide: KEEPS_VISIBLE,
    show: KEEPS_VISIBLE,
  };
}
