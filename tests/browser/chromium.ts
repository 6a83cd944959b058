/** The program that the launcher of the suite found. */
export const CHROMIUM_PATH: string = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";

/** Keeps Chromium from what a test machine lacks (a sandbox, a GPU) and from requests of its own. */
export const CHROMIUM_ARGS: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Playwright's switches that take away what real visitors have. */
export const UNWANTED_ARGS: readonly string[] = ["--disable-back-forward-cache"];
