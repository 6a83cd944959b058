const SCRIPT = /(<script>\n)(\(\(\) ?=>[\s\S]*?)(\n<\/script>)/;
const VERSION = /(vendor\/sdk@)[\w.-]+(\/vendor\.global\.js)/g;

/** What the script tags of a Markdown text have to say. */
export interface ScriptTags {
  /** The loader snippet. */
  readonly snippet: string;
  /** Version of the package. */
  readonly version: string;
}

/** Returns the text with the loader snippet and the version in its script tags; throws where it has no snippet. */
export function writeScriptTags(markdown: string, { snippet, version }: ScriptTags): string {
  if (!SCRIPT.test(markdown)) throw new Error("README.md has no loader snippet");
  return markdown
    .replace(SCRIPT, (_match, open: string, _old: string, close: string) => open + snippet + close)
    .replace(VERSION, `$1${version}$2`);
}
