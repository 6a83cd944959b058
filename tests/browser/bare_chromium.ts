import { CHROMIUM_ARGS, CHROMIUM_PATH } from "./chromium.ts";

/** A Chromium that no DevTools client is attached to. */
export interface BareChromium {
  /** Ends it and removes its profile. */
  close(): Promise<void>;
}

/** How often the profile's removal is tried: Chromium's children may write for a moment after it has ended. */
const MAX_REMOVALS = 20;

/**
 * Starts Chromium with a page, and without DevTools: Chromium prerenders nothing, and hides no tab, while a client
 * such as Playwright is attached. The page has to act on its own.
 */
export async function startBareChromium(url: string): Promise<BareChromium> {
  const profile = await Deno.makeTempDir({ prefix: "vendor_sdk_profile_" });
  const child = new Deno.Command(CHROMIUM_PATH, {
    args: ["--headless", `--user-data-dir=${profile}`, "--disable-popup-blocking", ...CHROMIUM_ARGS, url],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async close() {
      child.kill("SIGTERM");
      await child.status;
      await removeProfile(profile);
    },
  };
}

async function removeProfile(profile: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await Deno.remove(profile, { recursive: true });
    } catch (error) {
      if (attempt === MAX_REMOVALS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
