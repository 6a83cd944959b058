import { assertEquals, assertStringIncludes } from "@std/assert";
import { createFeed } from "../../../../src/ingest/server/demo/feed.ts";
import { createSiteHandler } from "../../../../scripts/demo/site_handler.ts";

Deno.test("createSiteHandler() allows no connection but to itself and the ingest", async () => {
  const response = await get("/");
  await response.text();

  const policy = response.headers.get("Content-Security-Policy") ?? "";
  assertStringIncludes(policy, "default-src 'self'; connect-src 'self' http://127.0.0.1:4401;");
});

Deno.test("createSiteHandler() serves modules without types, their imports of the package as addresses", async () => {
  const response = await get("/_demo/scripts/demo/site/inspector.ts");
  const text = await response.text();

  assertEquals(response.headers.get("Content-Type"), "text/javascript; charset=utf-8");
  assertStringIncludes(text, 'import { Vendor } from "/_demo/mod.ts";');
  const [, inspector = ""] = /from "(.*inspector.*)"/.exec(text) ?? [];
  const module = await get(inspector);
  assertEquals(module.status, 200);
  assertStringIncludes(await module.text(), "export function inspect(");
});

Deno.test("createSiteHandler() serves nothing else of the repository", async () => {
  for (const path of ["deno.json", "README.md", "tests/demo/site_handler_test.ts", "src/none.ts", "src/../deno.json"]) {
    const response = await get(`/_demo/${path}`);
    await response.text();

    assertEquals([path, response.status], [path, 404]);
  }
});

async function get(path: string): Promise<Response> {
  const handle = await createSiteHandler({ endpoint: "http://127.0.0.1:4401/v1/events", feed: createFeed() });
  return await handle(new Request(`http://127.0.0.1:4400${path}`));
}
