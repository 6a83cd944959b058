import { assertEquals, assertStringIncludes } from "@std/assert";
import { createFeed } from "../../scripts/demo/feed.ts";
import { createSiteHandler } from "../../scripts/demo/site_handler.ts";
import type { SiteFiles } from "../../scripts/demo/site_files.ts";

const FILES: SiteFiles = {
  page: '<meta content="%INGEST_ENDPOINT%">',
  assets: new Map([["/_demo/site.css", { text: "p{}", type: "text/css; charset=utf-8" }]]),
};

Deno.test("createSiteHandler() serves the page for every path of the application", async () => {
  const response = get("/teas/sencha?ref=list");

  assertEquals(response.status, 200);
  assertEquals(await response.text(), '<meta content="http://127.0.0.1:4401/v1/events">');
});

Deno.test("createSiteHandler() allows no connection but to itself and the ingest", async () => {
  const response = get("/");
  await response.text();

  const policy = response.headers.get("Content-Security-Policy") ?? "";
  assertStringIncludes(policy, "default-src 'self'; connect-src 'self' http://127.0.0.1:4401;");
});

Deno.test("createSiteHandler() serves assets under their type", async () => {
  const response = get("/_demo/site.css");

  assertEquals(response.headers.get("Content-Type"), "text/css; charset=utf-8");
  assertEquals(await response.text(), "p{}");
});

Deno.test("createSiteHandler() has nothing else of its own", async () => {
  const response = get("/_demo/other.js");
  await response.text();

  assertEquals(response.status, 404);
});

Deno.test("createSiteHandler() only answers GET and HEAD", async () => {
  const response = get("/", "POST");
  await response.text();

  assertEquals(response.status, 405);
  assertEquals(response.headers.get("Allow"), "GET, HEAD");
});

function get(path: string, method = "GET"): Response {
  const handle = createSiteHandler({ files: FILES, endpoint: "http://127.0.0.1:4401/v1/events", feed: createFeed() });
  return handle(new Request(`http://127.0.0.1:4400${path}`, { method }));
}
