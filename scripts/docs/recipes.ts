/** Whether the lines of a text stand in a file one after the other, no matter how far they are indented as a whole. */
export function isPartOf(code: string, file: string): boolean {
  const indents = new Set(file.split("\n").map((line) => /^\s*/.exec(line)?.[0] ?? ""));
  return [...indents].some((indent) => `\n${file}`.includes(`\n${code.replaceAll(/^(?=.)/gm, indent)}`));
}
