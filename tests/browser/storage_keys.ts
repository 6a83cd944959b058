import type { Page } from "playwright-core";

/** Returns the keys of the SDK on the device. */
export function readSdkKeys(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("vendor.sdk.")));
}
