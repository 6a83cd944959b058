import { readFile } from "node:fs/promises";
import { describeError } from "../../platform/describe_error.ts";
import { ServerFault } from "../ops/server_fault.ts";

/** The files of the demo's shop, as a browser takes them, by their names. */
export type ShopFiles = Readonly<Record<ShopFile, string>>;

/** Names of the files. The page names the others. */
export const SHOP_FILES = ["index.html", "shop.css", "shop.js", "favicon.svg"] as const;

type ShopFile = typeof SHOP_FILES[number];

/** Where the npm package has them, beside the folder of its program. */
const FOLDER = new URL("../demo/", import.meta.url);

/**
 * Reads the shop from the package.
 *
 * @throws {ServerFault} When it isn't there, as in the sources, where `deno task demo` makes it.
 */
export async function readShopFiles(): Promise<ShopFiles> {
  try {
    const files = SHOP_FILES.map(async (name) => [name, await readFile(new URL(name, FOLDER), "utf8")] as const);
    return Object.fromEntries(await Promise.all(files)) as ShopFiles;
  } catch (cause) {
    throw new ServerFault(`the shop of the demo isn't here: ${describeError(cause)}`, { cause });
  }
}
