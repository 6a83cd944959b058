import type { Feed } from "./feed.ts";
import type { SiteFiles } from "./site_files.ts";

/** What the site is served from. */
export interface SiteOptions {
  /** Files of the site. */
  readonly files: SiteFiles;
  /** The ingest's address, for the page and its content security policy. */
  readonly endpoint: string;
  /** The live feed. */
  readonly feed: Feed;
}

/** Creates the handler of the site: its assets, the feed, and the page for every other path, as in any SPA. */
export function createSiteHandler({ files, endpoint, feed }: SiteOptions): (request: Request) => Response {
  const page = files.page.replaceAll("%INGEST_ENDPOINT%", endpoint);
  const policy = buildPolicy(new URL(endpoint).origin);

  return (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response("Only GET\n", { status: 405, headers: { Allow: "GET, HEAD" } });
    }
    const { pathname } = new URL(request.url);
    if (pathname === "/_demo/feed") return feed.open(request);
    const asset = files.assets.get(pathname);
    if (asset !== undefined) return answer(asset.text, asset.type);
    if (pathname.startsWith("/_demo/") || pathname === "/favicon.ico") {
      return new Response("Not found\n", { status: 404 });
    }
    const response = answer(page, "text/html; charset=utf-8");
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
    headers: { "Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}
