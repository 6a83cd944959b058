import { join } from "node:path/posix";
import { INTEGRITY_PLACEHOLDER } from "./global_script.ts";
import { REPOSITORY_URL } from "./manifest.ts";

/** Folder of the guides, in the repository and in the npm package. */
const GUIDES_DIRECTORY = "docs";

const LINK_OUT = /(?<=\]\()(?:\.\.|decisions|images)\/[^)]*/g;

/** Returns the paths of the guides and of the files to deploy with; decisions and pictures stay in the repository. */
export function listGuides(): readonly string[] {
  const guides = listFiles(GUIDES_DIRECTORY).filter((path) => /^docs\/([^/]+\.md|deploy\/.+)$/.test(path));
  return guides.filter((path) => !path.endsWith("_test.yml"));
}

function listFiles(directory: string): readonly string[] {
  const entries = [...Deno.readDirSync(directory)].sort((a, b) => a.name < b.name ? -1 : 1);
  return entries.flatMap(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    return isDirectory ? listFiles(path) : [path];
  });
}

/** Returns a document as the package has it: it names this build's script for tags, and links out of the package. */
export function buildDocument(markdown: string, integrity: string): string {
  return markdown
    .replaceAll(INTEGRITY_PLACEHOLDER, integrity)
    .replace(LINK_OUT, (target) => `${REPOSITORY_URL}/blob/main/${join(GUIDES_DIRECTORY, target)}`);
}
