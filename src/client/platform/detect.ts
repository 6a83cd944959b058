import { createBrowserEnvironment } from "./browser.ts";
import type { Environment } from "./environment.ts";
import { createHeadlessEnvironment } from "./headless.ts";

/**
 * Returns the environment that the SDK runs in: the page, or nowhere where there is no document. Asked at the first call
 * of any method, never at import.
 *
 * @example Put an environment of your own around it.
 * ```ts
 * import { createClient, detectEnvironment, type Environment } from "@vendor/sdk/client";
 *
 * const detected = detectEnvironment();
 * const environment: Environment = detected.canCollect ? { ...detected, title: () => "" } : detected;
 * const client = createClient({
 *   apiKey: "pk_live_123",
 *   endpoint: "https://ingest.example.com/v1/events",
 * }, environment);
 * client.close();
 * ```
 */
export function detectEnvironment(): Environment {
  try {
    // Servers have a `navigator`, some a `localStorage` and test runners a `window`: only a live document tells.
    if (window.document === document && document.nodeType === 9) {
      // Applications have schemes of their own; file:, data:, blob: and about: have no host to tell pages apart by.
      if (location.host) return createBrowserEnvironment(window);
      console.warn(`[Vendor] nothing is collected on ${location.protocol}`);
    }
  } catch {
    // no such global
  }
  return createHeadlessEnvironment();
}
