/** The program that the launcher of the suite found. */
export const CHROMIUM_PATH: string = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";

/**
 * Features of Chromium's window that cost a process per visitor, and two that Playwright's windows stumble over. The
 * list replaces Playwright's own, which would take away what pages of real visitors have.
 */
const UNWANTED_FEATURES: readonly string[] = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "DestroyProfileOnBrowserClose",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
];

/** Keeps Chromium from what a test machine lacks (a sandbox, a GPU) and from requests of its own. */
export const CHROMIUM_ARGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${UNWANTED_FEATURES.join(",")}`,
];

/** Playwright's switches that take away what real visitors have. */
export const UNWANTED_ARGS: readonly string[] = ["--disable-back-forward-cache"];
