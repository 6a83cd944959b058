import { detectEnvironment } from "./environment/detect.ts";
import { createInstance, type Operations } from "./instance.ts";
import type { InitConfig } from "./types.ts";

/** The SDK of a page: one client at a time, from `init()` on. */
export interface VendorNamespace extends Operations {
  /**
   * Starts collection; call it once at startup, before any other method. A second call ends the first
   * instance and starts afresh; a failed one leaves it as it was.
   *
   * @throws {Error} `Missing required configuration`, `Invalid endpoint URL`,
   * `Endpoint must use https:// (http:// allowed for localhost)`, `trackPageviews must be true, false, or "auto"` or
   * `consent must be "pending", "granted", or "denied"` (SPEC 7).
   */
  init(config: InitConfig): void;
}

/** The SDK of this page (SPEC 4.2). Importing it does nothing: everything begins with `init()`. */
export const Vendor: VendorNamespace = /* @__PURE__ */ createVendor();

function createVendor(): VendorNamespace {
  const { init, client: { drops: _drops, close: _close, ...operations } } = createInstance(detectEnvironment);
  return { init, ...operations };
}
