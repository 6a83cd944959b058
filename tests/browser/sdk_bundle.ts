import { bundle } from "../../scripts/bundle.ts";
import type { createClient } from "../../src/client.ts";
import type { Vendor as VendorOfPackage } from "../../mod.ts";

declare global {
  /** The SDK in a page that loads {@linkcode VENDOR_SCRIPT}. */
  var Vendor: typeof VendorOfPackage;
  /** The sub-path `./client` in a page that loads {@linkcode CLIENT_SCRIPT}. */
  var VendorClient: { readonly createClient: typeof createClient };
}

/** The package as a script that assigns `Vendor`. */
export const VENDOR_SCRIPT: string = `${
  bundle({ entry: "mod.ts", format: "iife", minify: true, globalName: "VendorSdk" })
}; var Vendor = VendorSdk.Vendor;`;

/** The sub-path `./client` as a script that assigns `VendorClient`. */
export const CLIENT_SCRIPT: string = bundle({
  entry: "src/client.ts",
  format: "iife",
  minify: true,
  globalName: "VendorClient",
});

/** The package as an ES module. */
export const VENDOR_MODULE: string = bundle({ entry: "mod.ts", format: "esm", minify: true });
