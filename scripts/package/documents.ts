import { join } from "node:path/posix";
import { INTEGRITY_PLACEHOLDER } from "./global_script.ts";
import { REPOSITORY_URL } from "./manifest.ts";

const LINK = /(?<=\]\()(?!https?:|mailto:|#)[^)\s]+|(?<=\b(?:src|srcset)=")(?!https?:)[^"]+/g;
const PICTURE = /\.(png|svg)$/;

/**
 * Returns a document of a folder as the npm package has it: it names this build's script for tags, and leads to the
 * repository, where the guides are.
 */
export function buildDocument(
  markdown: string,
  { folder, integrity }: { readonly folder: string; readonly integrity: string },
): string {
  return markdown.replaceAll(INTEGRITY_PLACEHOLDER, integrity).replace(
    LINK,
    (target) => `${REPOSITORY_URL}/${PICTURE.test(target) ? "raw" : "blob"}/main/${join(folder, target)}`,
  );
}
