import { fileURLToPath } from "node:url";
import { bundle } from "../support/bundle.ts";
import type { ShopFiles } from "../../src/ingest/server/demo/shop_files.ts";

const SITE = "scripts/demo/site";

const STYLES = ["theme.css", "layout.css", "shop.css", "received.css"];

/** Builds the files of the demo's shop, which uses the SDK of these sources. */
export async function buildShop(): Promise<ShopFiles> {
  const read = (name: string): Promise<string> =>
    Deno.readTextFile(fileURLToPath(new URL(`../../${SITE}/${name}`, import.meta.url)));
  const styles = await Promise.all(STYLES.map(read));
  return {
    "index.html": await read("index.html"),
    "shop.css": styles.join("\n"),
    "shop.js": bundle({ entry: `${SITE}/main.ts`, format: "esm", minify: true }),
    "favicon.svg": await read("favicon.svg"),
  };
}
