import { createBrowserEnvironment } from "./browser.ts";
import type { Environment } from "./environment.ts";
import { createHeadlessEnvironment } from "./headless.ts";

/** Returns the environment that the SDK runs in. Asked at the first call of any method, never at import. */
export function detectEnvironment(): Environment {
  return isBrowser() ? createBrowserEnvironment(window) : createHeadlessEnvironment();
}

/** Servers have a `navigator`, some a `localStorage` and test runners a `window`: only a live document tells. */
function isBrowser(): boolean {
  try {
    return window.document === document && document.nodeType === 9 && /^https?:$/.test(location.protocol);
  } catch {
    return false; // no such global
  }
}
