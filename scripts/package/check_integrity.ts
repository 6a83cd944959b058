import { SCRIPT_TAG_GUIDE } from "../docs/script_tags.ts";
import { GLOBAL_SCRIPT } from "./manifest.ts";
import { toIntegrity } from "./global_script.ts";
import type { InstalledPackage } from "./installed_package.ts";

/** Checks that the guide in the package tells browsers the script-tag build that is in the package, and no other. */
export async function checkIntegrity({ directory }: InstalledPackage): Promise<void> {
  const integrity = toIntegrity(await Deno.readTextFile(`${directory}/${GLOBAL_SCRIPT}`));
  const named = (await Deno.readTextFile(`${directory}/${SCRIPT_TAG_GUIDE}`)).match(/(?<=integrity=")[^"]*/g) ?? [];
  const wrong = named.filter((value) => value !== integrity);
  if (named.length === 0 || wrong.length > 0) {
    throw new Error(`${SCRIPT_TAG_GUIDE} names ${wrong[0] ?? "no integrity"}, and ${GLOBAL_SCRIPT} has ${integrity}`);
  }
  console.log(`integrity: that of ${GLOBAL_SCRIPT}, in ${named.length} places of ${SCRIPT_TAG_GUIDE}`);
}
