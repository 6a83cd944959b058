import { createInstance, type Instance, type Operations } from "./instance.ts";
import type { InitConfig } from "./types.ts";

/** The SDK of this page (SPEC 4.2): one client at a time. Importing it does nothing, everything begins with `init()`. */
export const Vendor: Operations & {
  /**
   * Starts collection; call it once at startup, before any other method. A second call ends what runs and starts
   * afresh; a failed one leaves it as it was.
   *
   * @throws {Error} `Missing required configuration`, `Invalid endpoint URL`,
   * `Endpoint must use https:// (http:// allowed for localhost)`, `trackPageviews must be true, false, or "auto"` or
   * `consent must be "pending", "granted", or "denied"` (SPEC 7).
   */
  init(config: InitConfig): void;
} = /* @__PURE__ */ createVendor();

/** The environment is looked for with the first call. */
function createVendor(): typeof Vendor {
  let instance: Instance | undefined;
  const forward = (method: keyof typeof Vendor) => [
    method,
    (...args: never[]) => ((instance ??= createInstance())[method] as (...args: never[]) => unknown)(...args),
  ];
  const methods = ["init", "step", "identify", "reset", "page", "setConsent", "getConsent", "flush"] as const;
  return Object.fromEntries(methods.map(forward));
}
