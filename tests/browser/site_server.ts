import { buildHtml, type PageParts } from "./html.ts";
import { BANNER_MODULE, CLIENT_SCRIPT, CONSENT_MODULE, VENDOR_MODULE, VENDOR_SCRIPT } from "./sdk_bundle.ts";

/** Answers a request for one path. */
export type PathHandler = (request: Request) => Response | Promise<Response>;

/** A site that uses the SDK, on an origin of its own. */
export interface SiteServer {
  /** Origin, without a path. */
  readonly origin: string;
  /** Serves a page at a path, with headers on top of the content type. */
  serve(path: string, parts: PageParts, headers?: Readonly<Record<string, string>>): void;
  /** Answers a path otherwise. */
  handle(path: string, handler: PathHandler): void;
  /** Paths that were asked for, in order. */
  readonly visits: readonly string[];
  /** Ends it. */
  close(): Promise<void>;
}

const JAVASCRIPT = { "Content-Type": "text/javascript" };

/** Starts a site under a name of this machine: another name is another site, another port only another origin. */
export function startSite(hostname: "127.0.0.1" | "localhost"): SiteServer {
  const visits: string[] = [];
  const handlers = new Map<string, PathHandler>([
    ["/sdk.js", () => new Response(VENDOR_SCRIPT, { headers: JAVASCRIPT })],
    ["/sdk.mjs", () => new Response(VENDOR_MODULE, { headers: JAVASCRIPT })],
    ["/consent.mjs", () => new Response(CONSENT_MODULE, { headers: JAVASCRIPT })],
    ["/banner.mjs", () => new Response(BANNER_MODULE, { headers: JAVASCRIPT })],
    ["/client.js", () => new Response(CLIENT_SCRIPT, { headers: JAVASCRIPT })],
  ]);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    visits.push(pathname);
    return handlers.get(pathname)?.(request) ?? new Response("", { status: 404 });
  });
  return {
    origin: `http://${hostname}:${server.addr.port}`,
    serve(path, parts, headers) {
      const answer = { "Content-Type": "text/html; charset=utf-8", ...headers };
      handlers.set(path, () => new Response(buildHtml(parts), { headers: answer }));
    },
    handle: (path, handler) => void handlers.set(path, handler),
    visits,
    close: () => server.shutdown(),
  };
}
