import type { Operations } from "../client/operations.ts";
import type { InitConfig } from "../client/base/types.ts";

/** The global variable `Vendor` of a page that loads the SDK with a script tag. */
export interface VendorGlobal extends Operations {
  /** Starts collection, see `Vendor.init()`. */
  init(config: InitConfig): void;
}
