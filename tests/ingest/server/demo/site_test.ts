import { assertEquals, assertStringIncludes } from "@std/assert";
import { createFeed } from "../../../../src/ingest/server/demo/feed.ts";
import { createSite } from "../../../../src/ingest/server/demo/site.ts";

const FILES = {
  "index.html": '<meta name="ingest-endpoint" content="%INGEST_ENDPOINT%">',
  "shop.css": "",
  "shop.js": "console.log(1)",
  "favicon.svg": "<svg/>",
};

const ENDPOINT = "http://127.0.0.1:4401/v1/events";

const ORIGIN = "http://127.0.0.1:4400";

const get = (path: string): Response =>
  createSite({ files: FILES, origin: ORIGIN, endpoint: ENDPOINT, feed: createFeed() })(new Request(ORIGIN + path));

Deno.test("createSite() answers each path with the page, which may talk to itself and the ingest alone", async () => {
  for (const path of ["/", "/teas/sencha?kind=green"]) {
    const response = get(path);
    assertStringIncludes(await response.text(), `content="${ENDPOINT}"`);
    assertStringIncludes(
      response.headers.get("Content-Security-Policy") ?? "",
      "default-src 'self'; connect-src 'self' http://127.0.0.1:4401;",
    );
  }
});

Deno.test("createSite() serves the files of the shop, and no others", async () => {
  const script = get("/_demo/shop.js");

  assertEquals(script.headers.get("Content-Type"), "text/javascript; charset=utf-8");
  assertEquals(await script.text(), "console.log(1)");
  for (const path of ["/_demo/index.html", "/_demo/constructor", "/favicon.ico"]) {
    const response = get(path);
    await response.text();
    assertEquals([path, response.status], [path, 404]);
  }
});
