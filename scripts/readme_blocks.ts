/** A block of code in a Markdown text. */
export interface CodeBlock {
  /** File extension that the block's language asks for. */
  readonly extension: "ts" | "tsx";
  /** Line of the text that the code starts at, from 1. */
  readonly line: number;
  /** The code. */
  readonly code: string;
}

const EXTENSIONS: Readonly<Record<string, CodeBlock["extension"]>> = {
  ts: "ts",
  typescript: "ts",
  js: "ts",
  javascript: "ts",
  tsx: "tsx",
  jsx: "tsx",
};

const FENCE = /^( *)```(\w+)[^\n]*\n([\s\S]*?)^ *```/gm;

/** Finds the TypeScript and JavaScript blocks of a Markdown text. */
export function findCodeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(FENCE)].flatMap(({ index, 1: indent = "", 2: language = "", 3: code = "" }) => {
    const extension = EXTENSIONS[language];
    if (!extension) return [];
    const line = markdown.slice(0, index).split("\n").length + 1;
    return [{ extension, line, code: code.replaceAll(new RegExp(`^${indent}`, "gm"), "") }];
  });
}
