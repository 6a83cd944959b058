/**
 * Breaks a minified program into lines of at most so many characters, where a line break changes nothing: after
 * punctuation outside of strings. (esbuild's own limit breaks strings, which an editor that indents would spoil.) The
 * program has to be without regular expressions that contain some.
 */
export function wrapLines(program: string, maxLength: number): string {
  const lines: string[] = [];
  let start = 0;
  let end = 0;
  let quote = "";
  [...program].forEach((character, index) => {
    if (index - start >= maxLength && end > start) {
      lines.push(program.slice(start, end));
      start = end;
    }
    if (quote) quote = character === quote ? "" : quote;
    else if (/["'`]/.test(character)) quote = character;
    else if (/[,;:{]/.test(character)) end = index + 1;
  });
  return [...lines, program.slice(start)].join("\n");
}
