import { buildLoaderSnippet } from "../package/global_script.ts";
import { SDK } from "../package/packages.ts";

/** The guide that shows the script tags. */
export const SCRIPT_TAG_GUIDE = "docs/script-tag.md";

const SNIPPET = /(?<=<script>\n)\(\(\) ?=>[\s\S]*?(?=\n<\/script>)/;
const VERSION = /(?<=vendor\/sdk@)[\w.-]+(?=\/)/g;

/** Returns the guide's text with the loader snippet and the version of today in it. */
export function updateScriptTags(markdown: string): string {
  if (!SNIPPET.test(markdown)) throw new Error(`${SCRIPT_TAG_GUIDE} has no loader snippet`);
  return markdown.replace(SNIPPET, () => buildLoaderSnippet()).replaceAll(VERSION, SDK.source.version);
}
