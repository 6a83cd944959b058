import { bundle } from "../../scripts/support/bundle.ts";
import { buildScript } from "../../scripts/package/global_script.ts";
import type { createClient } from "../../src/client/mod.ts";
import type { Vendor as VendorOfPackage } from "../../mod.ts";

declare global {
  /** The SDK in a page that loads {@linkcode VENDOR_SCRIPT}. */
  var Vendor: typeof VendorOfPackage;
  /** The sub-path `./client` in a page that loads {@linkcode CLIENT_SCRIPT}. */
  var VendorClient: { readonly createClient: typeof createClient };
}

/** The files that a site serves the SDK from. */
type ScriptName = "sdk.js" | "client.js" | "sdk.mjs" | "consent.mjs" | "banner.mjs";

/** Where the launcher of the suite put what it built once for all files of tests, which would each build it again. */
const BUILT_SCRIPTS = Deno.env.get("BUILT_SCRIPTS");

function build(name: ScriptName, make: () => string): string {
  return BUILT_SCRIPTS ? Deno.readTextFileSync(`${BUILT_SCRIPTS}/${name}`) : make();
}

/** The script-tag build. */
export const VENDOR_SCRIPT: string = build("sdk.js", () => buildScript().text);

/** The sub-path `./client` as a script that assigns `VendorClient`. */
export const CLIENT_SCRIPT: string = build(
  "client.js",
  () => bundle({ entry: "src/client/mod.ts", format: "iife", minify: true, globalName: "VendorClient" }),
);

/** The package as an ES module. */
export const VENDOR_MODULE: string = build(
  "sdk.mjs",
  () => bundle({ entry: "mod.ts", format: "esm", minify: true }),
);

/** The sub-path `./consent` as an ES module. */
export const CONSENT_MODULE: string = build(
  "consent.mjs",
  () => bundle({ entry: "src/addons/consent/mod.ts", format: "esm", minify: true }),
);

/** The sub-path `./banner` as an ES module. */
export const BANNER_MODULE: string = build(
  "banner.mjs",
  () => bundle({ entry: "src/addons/banner/mod.ts", format: "esm", minify: true }),
);

/** Writes all of them to a folder, and returns the environment of tests that take them from there. */
export function writeScripts(folder: string): Readonly<Record<string, string>> {
  const texts: Readonly<Record<ScriptName, string>> = {
    "sdk.js": VENDOR_SCRIPT,
    "client.js": CLIENT_SCRIPT,
    "sdk.mjs": VENDOR_MODULE,
    "consent.mjs": CONSENT_MODULE,
    "banner.mjs": BANNER_MODULE,
  };
  for (const [name, text] of Object.entries(texts)) Deno.writeTextFileSync(`${folder}/${name}`, text);
  return { BUILT_SCRIPTS: folder };
}
