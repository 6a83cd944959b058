/** What a page of the site is made of, in the order in which the browser meets it. */
export interface PageParts {
  /** Title; empty for a page without one. */
  readonly title?: string;
  /** Runs before the SDK loads. */
  readonly before?: string;
  /** Scripts to load; by default the package. */
  readonly scripts?: readonly string[];
  /** Runs after they have loaded. */
  readonly after?: string;
  /** Rest of the page. */
  readonly body?: string;
  /** Value of the attribute `nonce` of every script. */
  readonly nonce?: string;
}

/** Turns a function into a script that calls it in the page, where nothing of its surroundings exists. */
export function script<Args extends readonly unknown[]>(
  inPage: (...args: Args) => unknown,
  ...args: Args
): string {
  return `(${inPage})(...${JSON.stringify(args)});`;
}

/** Builds the text of a page. */
export function buildHtml(parts: PageParts): string {
  const { title = "Page", before = "", scripts = ["/sdk.js"], after = "", body = "", nonce = "" } = parts;
  const open = nonce ? `<script nonce="${nonce}"` : "<script";
  return [
    `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">`,
    before && `${open}>${before}</script>`,
    ...scripts.map((url) => `${open} src="${url}"></script>`),
    after && `${open}>${after}</script>`,
    `</head><body>${body}</body></html>`,
  ].join("\n");
}
