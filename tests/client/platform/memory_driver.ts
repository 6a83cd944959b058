import { createTestBrowser } from "../../../src/testing/mod.ts";
import { DRIVER_SCREEN, DRIVER_TITLE, DRIVER_URL, type DriverOptions, type PageDriver } from "./page_driver.ts";

/** Opens a page of the browser in memory. */
export function openMemoryPage(options: DriverOptions = {}): PageDriver {
  const browser = createTestBrowser();
  const page = browser.open(DRIVER_URL, { ...options, title: DRIVER_TITLE, screen: DRIVER_SCREEN });
  return {
    environment: page.environment,
    sent: () =>
      page.requests.filter(({ state }) => state !== "refused")
        .map(({ url, headers, text, keepalive, priority }) => ({ url, headers, body: text, keepalive, priority })),
    respond(answer) {
      if (answer === "hang") return browser.respond("hang");
      const { status, retryAfterS } = answer;
      browser.respond(retryAfterS === undefined ? { status } : { status, retryAfterMs: retryAfterS * 1000 });
    },
    pushState: page.pushState,
    replaceState: page.replaceState,
    back: () => Promise.resolve(page.back()),
    setTitle: page.setTitle,
    hide: page.hide,
    show: page.show,
    leave: page.freeze,
    restore: page.restore,
    activate: page.activate,
    goOffline: browser.goOffline,
    goOnline: browser.goOnline,
    blockStorage: browser.blockStorage,
    fillStorage: browser.fillStorage,
    stored: () => Object.fromEntries(browser.storage),
    pass: browser.advance,
    close: () => Promise.resolve(page.close()),
  };
}
