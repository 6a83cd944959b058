import { join } from "node:path/posix";
import { INTEGRITY_PLACEHOLDER } from "./global_script.ts";
import { REPOSITORY_URL } from "./manifest.ts";

/** Folder of the guides, in the repository and in the npm package. */
export const GUIDES_DIRECTORY = "docs";

const LINK_OUT = /(?<=\]\()(?:\.\.|decisions|deploy|images)\/[^)]*/g;

/** Returns the paths of the guides, which users of the package read; decisions and pictures stay in the repository. */
export function listGuides(): readonly string[] {
  const names = [...Deno.readDirSync(GUIDES_DIRECTORY)].map(({ name }) => name).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => `${GUIDES_DIRECTORY}/${name}`);
}

/** Returns a document as the package has it: it names this build's script for tags, and links out of the package. */
export function buildDocument(markdown: string, integrity: string): string {
  return markdown
    .replaceAll(INTEGRITY_PLACEHOLDER, integrity)
    .replace(LINK_OUT, (target) => `${REPOSITORY_URL}/blob/main/${join(GUIDES_DIRECTORY, target)}`);
}
