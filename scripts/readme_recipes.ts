/** A block of code in a Markdown text that is said to be part of a fixture. */
export interface Recipe {
  /** The code. */
  readonly code: string;
  /** Files that it's part of, relative to `tests/consumers/fixtures/`. */
  readonly files: readonly string[];
}

const RECIPE = /<!-- recipe: (.+?) -->\s+```\w+\n([\s\S]*?)^```/gm;

/** Finds the blocks that follow a comment such as `<!-- recipe: nuxt/app/plugins/analytics.client.ts -->`. */
export function findRecipes(markdown: string): Recipe[] {
  return [...markdown.matchAll(RECIPE)].map(([, files = "", code = ""]) => ({ code, files: files.split(", ") }));
}

/** Whether the lines of a text stand in a file one after the other, no matter how far they are indented as a whole. */
export function isPartOf(code: string, file: string): boolean {
  const lines = file.split("\n");
  const indents = new Set(lines.map((line) => /^\s*/.exec(line)?.[0] ?? ""));
  return [...indents].some((indent) => `\n${file}`.includes(`\n${indentLines(code, indent)}`));
}

function indentLines(text: string, indent: string): string {
  return text.split("\n").map((line) => line && indent + line).join("\n");
}
