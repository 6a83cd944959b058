import { stripTypeScriptTypes } from "node:module";
import type { Feed } from "../../src/ingest/server/demo/feed.ts";

/** What the site is served from. */
export interface SiteOptions {
  /** The ingest's address, for the page and its content security policy. */
  readonly endpoint: string;
  /** The live feed. */
  readonly feed: Feed;
}

const REPOSITORY = new URL("../../", import.meta.url);

/** Under this path, the files of the repository that the page is made of. */
const ASSET = /^\/_demo\/((?:mod|src\/.+|scripts\/demo\/.+)\.(ts|css|svg))$/;

const TYPES: Readonly<Record<string, string>> = { ts: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** Creates the handler of the site: its assets, the feed, and the page for every other path, as in any SPA. */
export async function createSiteHandler(
  { endpoint, feed }: SiteOptions,
): Promise<(request: Request) => Promise<Response>> {
  const html = await Deno.readTextFile(new URL("scripts/demo/site/index.html", REPOSITORY));
  const page = html.replaceAll("%INGEST_ENDPOINT%", endpoint);
  const policy = buildPolicy(new URL(endpoint).origin);
  const { exports }: { exports: Readonly<Record<string, string>> } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", REPOSITORY)),
  );

  /** Returns a module as the browser takes it: without types, its imports as addresses. The demo needs no bundler. */
  function toScript(source: string): string {
    return stripTypeScriptTypes(source).replaceAll(
      /(?<=from )"@vendor\/sdk(.*)"/g,
      (_, entry: string) => JSON.stringify(exports[`.${entry}`]?.replace("./", "/_demo/")),
    );
  }

  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/_demo/feed") return feed.open();
    const [, path = "", extension = ""] = ASSET.exec(pathname) ?? [];
    const text = path && await Deno.readTextFile(new URL(path, REPOSITORY)).catch(() => "");
    if (text) return answer(extension === "ts" ? toScript(text) : text, TYPES[extension] ?? "");
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
