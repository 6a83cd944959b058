/**
 * What every page environment has to keep to, run against each of them.
 *
 * @module
 */
import { registerListeners } from "./contract/listeners.ts";
import { registerPage } from "./contract/page.ts";
import type { Register } from "./contract/register.ts";
import { registerStorage } from "./contract/storage.ts";
import { registerTimers } from "./contract/timers.ts";
import { registerTransport } from "./contract/transport.ts";
import type { DriverOptions, PageDriver } from "./page_driver.ts";

/** Registers the tests of an environment. */
export function environmentContract(name: string, open: (options?: DriverOptions) => PageDriver): void {
  const test: Register = (what, use, options) =>
    Deno.test(`${name} ${what}`, async () => {
      const driver = open(options);
      try {
        await use(driver);
      } finally {
        await driver.close();
      }
    });
  registerPage(test);
  registerTimers(test);
  registerStorage(test);
  registerListeners(test);
  registerTransport(test);
}
