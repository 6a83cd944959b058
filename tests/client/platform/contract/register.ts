import type { DriverOptions, PageDriver } from "../page_driver.ts";

/** Registers a test with a page of its own. */
export type Register = (
  what: string,
  use: (driver: PageDriver) => void | Promise<void>,
  options?: DriverOptions,
) => void;
