import GithubSlugger from "github-slugger";
import { lexer, type Token, walkTokens } from "marked";

/** Parts of a Markdown text for the checks of the documentation. */
export interface Markdown {
  /** The blocks of code, in order. */
  readonly blocks: readonly CodeBlock[];
  /** The targets of links and pictures, in order. */
  readonly links: readonly Link[];
  /** The anchors that GitHub gives to its headings. */
  readonly anchors: ReadonlySet<string>;
}

/** A block of code. */
export interface CodeBlock {
  /** Language of the block; empty where it names none. */
  readonly language: string;
  /** The code. */
  readonly code: string;
  /** Line that the code starts at, from 1; in a list, about that. */
  readonly line: number;
  /** Files of `tests/consumers/fixtures/` that the block is part of, as the comment `<!-- recipe: … -->` names them. */
  readonly recipe: readonly string[];
}

/** A link or a picture. */
export interface Link {
  /** Where it leads, as written. */
  readonly target: string;
  /** Line that it's in, from 1; of several that read alike, the first. */
  readonly line: number;
}

const RECIPE = /<!-- recipe: (.+?) -->/;
const HTML_TARGET = /\b(?:href|src|srcset)="([^"]+)"/g;

/** Reads a Markdown text. */
export function readMarkdown(text: string): Markdown {
  const blocks: CodeBlock[] = [];
  const links: Link[] = [];
  const anchors = new Set<string>();
  const slugger = new GithubSlugger();
  let topLine = 1;
  let recipe: readonly string[] = [];
  for (const top of lexer(text)) {
    walkTokens([top], (token) => {
      const line = topLine + countLines(top.raw.slice(0, Math.max(0, top.raw.indexOf(token.raw))));
      if (token.type === "code") {
        blocks.push({ language: token.lang?.split(" ")[0] ?? "", code: `${token.text}\n`, line: line + 1, recipe });
      }
      if (token.type !== "space") recipe = token.type === "html" ? RECIPE.exec(token.raw)?.[1]?.split(", ") ?? [] : [];
      if (token.type === "heading") anchors.add(slugger.slug(toText(token)));
      if (token.type === "link" || token.type === "image") links.push({ target: token.href, line });
      if (token.type === "html") {
        for (const [, target = ""] of token.raw.matchAll(HTML_TARGET)) links.push({ target, line });
      }
    });
    topLine += countLines(top.raw);
  }
  return { blocks, links, anchors };
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function toText(token: Token): string {
  if ("tokens" in token && token.tokens) return token.tokens.map(toText).join("");
  return token.type === "html" || !("text" in token) ? "" : token.text;
}
