import { bundle } from "../../scripts/support/bundle.ts";
import { runProcess } from "../../scripts/support/process.ts";
import type * as consent from "../../src/addons/consent/mod.ts";
import type {} from "./platforms_page.ts";
import type { SiteServer } from "./site_server.ts";

declare global {
  /** The sub-path `./consent`, in a page that loads `/consent.js`. */
  var VendorConsent: typeof consent;
}

/** What pages with a consent platform load. */
export interface PlatformScripts {
  /** Lets a site serve `/consent.js`, our sub-path, and `/platforms.js`, the real libraries. */
  serve(site: SiteServer): void;
}

/** Bundles the scripts. */
export async function buildPlatformScripts(): Promise<PlatformScripts> {
  const texts = {
    "/consent.js": bundle({
      entry: "src/addons/consent/mod.ts",
      format: "iife",
      minify: true,
      globalName: "VendorConsent",
    }),
    "/platforms.js": await bundlePlatforms(),
  };
  return {
    serve(site) {
      for (const [path, text] of Object.entries(texts)) {
        site.handle(path, () => new Response(text, { headers: { "Content-Type": "text/javascript" } }));
      }
    },
  };
}

// Deno's bundler, since esbuild alone doesn't find what is in Deno's cache.
async function bundlePlatforms(): Promise<string> {
  const path = await Deno.makeTempFile({ prefix: "vendor_sdk_platforms_", suffix: ".js" });
  try {
    const { code, output } = await runProcess(Deno.execPath(), {
      args: [
        "bundle",
        "--quiet",
        "--no-lock",
        ...["--import-map", "tests/offline/import_map.json"],
        ...["--platform", "browser", "--format", "iife", "--output", path],
        "tests/browser/platforms_page.ts",
      ],
      isQuiet: true,
    });
    if (code !== 0) throw new Error(`the platforms can't be bundled:\n${output}`);
    return await Deno.readTextFile(path);
  } finally {
    await Deno.remove(path);
  }
}
