import { bundle } from "../bundle.ts";

/** A file served under its path. */
export interface Asset {
  /** Content. */
  readonly text: string;
  /** Value of `Content-Type`. */
  readonly type: string;
}

/** The files of the site, in memory. */
export interface SiteFiles {
  /** HTML of the page, with the ingest's address still to be filled in. */
  readonly page: string;
  /** The other files, by path. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/** In the order of the cascade. */
const STYLE_SHEETS = ["theme", "layout", "shop", "banner", "calls", "service", "feed"] as const;

/** Reads the site and bundles its script. */
export async function loadSiteFiles(): Promise<SiteFiles> {
  const [page, icon, script, ...styles] = await Promise.all([
    read("index.html"),
    read("favicon.svg"),
    bundle({ entry: "scripts/demo/site/main.ts", format: "esm", minify: false }),
    ...STYLE_SHEETS.map((name) => read(`${name}.css`)),
  ]);
  return {
    page,
    assets: new Map([
      ["/_demo/site.js", { text: script, type: "text/javascript; charset=utf-8" }],
      ["/_demo/site.css", { text: styles.join("\n"), type: "text/css; charset=utf-8" }],
      ["/_demo/favicon.svg", { text: icon, type: "image/svg+xml" }],
    ]),
  };
}

function read(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`./site/${name}`, import.meta.url));
}
