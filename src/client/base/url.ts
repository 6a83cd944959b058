import { attempt } from "./attempt.ts";

/**
 * Returns a URL as the platform writes it (URL standard), or nothing where the text is none. Where the page has something
 * of its own under the parser's name, the text stays as it is.
 */
export function normalizeUrl(text: string): string | undefined {
  return attempt(() => new URL("a:").href) ? attempt(() => new URL(text).href) : text;
}

/** Returns a URL without query and fragment. */
export function pathOf(url: string): string {
  return url.replace(/[?#].*/s, "");
}

/** Returns a URL without name and password: some browsers show a page those that led to it. */
export function withoutPassword(url: string): string {
  return url.replace(/^([^/]+\/\/)[^/?#]*@/, "$1");
}
