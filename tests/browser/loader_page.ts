import type { Page } from "playwright-core";
import { buildLoaderSnippet, buildScript, INTEGRITY_PLACEHOLDER } from "../../scripts/package/global_script.ts";
import type { Stage } from "./harness.ts";

/** What a page with the loader is made of. */
export interface LoaderPageParts {
  /** Is in the page before everything else. */
  readonly html?: string;
  /** Runs before the loader. */
  readonly before?: string;
  /** Runs after it, while the file is still being loaded. */
  readonly after?: string;
  /** Value of the attribute `integrity`; that of the file unless given. */
  readonly integrity?: string;
  /** Path of the file; `/vendor.global.js` unless given. */
  readonly src?: string;
  /** Value of the attribute `nonce` of every script. */
  readonly nonce?: string;
  /** How often the tags are in the page; once unless given. */
  readonly times?: number;
}

const FILE = buildScript();
const GUIDE = await Deno.readTextFile(new URL("../../docs/script-tag.md", import.meta.url));

/** The script tags of the guide that load the SDK beside the page. */
const GUIDE_TAGS: string = /```html\n(<script>\n\(\(\)=>[\s\S]*?)```/.exec(GUIDE)?.[1] ?? "";

/**
 * Serves a page at a path with the script tags of the guide as they are, but for where the file is; the file comes
 * with the returned function.
 */
export function serveLoader(
  { site }: Stage,
  path: string,
  { headers = {}, ...parts }: LoaderPageParts & { readonly headers?: Readonly<Record<string, string>> },
): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  site.handle("/vendor.global.js", async () => {
    await promise;
    return new Response(FILE.text, { headers: { "Content-Type": "text/javascript" } });
  });
  const html = buildPage(parts);
  site.handle(path, () => new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8", ...headers } }));
  return resolve;
}

/** Serves a page at a path with the loader, calls behind it, and the tags by which the guide puts rules before the file. */
export function serveRuledLoader({ site }: Stage, path: string, { after }: { readonly after: string }): void {
  const [, tags = ""] = /^### Rules while it loads\n[\s\S]*?```html\n([\s\S]*?)```/m.exec(GUIDE) ?? [];
  const headers = { "Content-Type": "text/javascript" };
  site.handle("/vendor.rules.global.js", async () => {
    await new Promise((resolve) => setTimeout(resolve, 300)); // the file is there long before
    return new Response(buildScript("vendor.rules.global.js").text, { headers });
  });
  site.handle("/vendor.global.js", () => new Response(FILE.text, { headers }));
  const here = tags.replace(INTEGRITY_PLACEHOLDER, FILE.integrity).replace(/https:[^"]*(?=\/vendor\.global)/, "");
  const html = `<!doctype html><html><head><title>Page</title><link rel="icon" href="data:,">
    <script>${buildLoaderSnippet()}</script><script>${after}</script>${here}</head><body></body></html>`;
  site.handle(path, () => new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } }));
}

/** Opens a page while its file is still on the way: an async script holds the load event up. */
export async function openLoading({ context, site }: Stage, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site.origin + path, { waitUntil: "domcontentloaded" });
  return page;
}

function buildPage(parts: LoaderPageParts): string {
  const {
    html = "",
    before = "",
    after = "",
    integrity = FILE.integrity,
    src = "/vendor.global.js",
    nonce = "",
    times = 1,
  } = parts;
  if (!GUIDE_TAGS.includes(INTEGRITY_PLACEHOLDER)) {
    throw new Error("docs/script-tag.md has no script tags for the loader");
  }
  const tags = GUIDE_TAGS.replace(INTEGRITY_PLACEHOLDER, integrity).replace(/src="[^"]*"/, `src="${src}"`);
  const body = [`<script>${before}</script>`, ...Array<string>(times).fill(tags), `<script>${after}</script>`].join(
    "\n",
  );
  return `<!doctype html><html><head><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,">\n${html}${
    nonce ? body.replaceAll("<script", `<script nonce="${nonce}"`) : body
  }\n</head><body></body></html>`;
}
