import type { Feed } from "./feed.ts";
import type { ShopFiles } from "./shop_files.ts";

/** Files and addresses that the shop is served with. */
export interface SiteOptions {
  /** Its files. */
  readonly files: ShopFiles;
  /** Its origin, the one that the ingest knows. */
  readonly origin: string;
  /** The ingest's address, for the page and its content security policy. */
  readonly endpoint: string;
  /** The live feed. */
  readonly feed: Feed;
}

/** Files beside the page, by their paths. */
const ASSETS = {
  "/_demo/shop.css": ["shop.css", "text/css"],
  "/_demo/shop.js": ["shop.js", "text/javascript"],
  "/_demo/favicon.svg": ["favicon.svg", "image/svg+xml"],
} as const;

/** Creates the handler of the shop: its files, the feed, and the page for every other path, as in any SPA. */
export function createSite({ files, origin, endpoint, feed }: SiteOptions): (request: Request) => Response {
  const page = files["index.html"].replaceAll("%INGEST_ENDPOINT%", endpoint);
  const { host } = new URL(origin);
  const policy = buildPolicy(new URL(endpoint).origin);
  const assets = new Map<string, readonly [name: keyof ShopFiles, type: string]>(Object.entries(ASSETS));

  return (request) => {
    const { pathname, search } = new URL(request.url);
    // Of another name, such as localhost, the ingest takes no events.
    if ((request.headers.get("Host") ?? host) !== host) {
      return new Response(null, { status: 302, headers: { Location: origin + pathname + search } });
    }
    if (pathname === "/_demo/feed") return feed.open();
    const asset = assets.get(pathname);
    if (asset !== undefined) return answer(files[asset[0]], asset[1]);
    if (pathname.startsWith("/_demo/") || pathname === "/favicon.ico") {
      return new Response("Not found\n", { status: 404 });
    }
    const response = answer(page, "text/html");
    response.headers.set("Content-Security-Policy", policy);
    return response;
  };
}

/** All the SDK asks of a strict policy is its ingest in `connect-src`; `'self'` is there for the feed. */
function buildPolicy(ingestOrigin: string): string {
  return [
    "default-src 'self'",
    `connect-src 'self' ${ingestOrigin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function answer(text: string, type: string): Response {
  return new Response(text, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
