import { assertEquals } from "@std/assert";
import { buildScript } from "../../scripts/package/global_script.ts";
import { createBrowserTest, flush } from "./harness.ts";
import { KEY } from "./ingest_server.ts";

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

const SCRIPTS = [
  ["/vendor.global.js", buildScript()],
  ["/vendor.rules.global.js", buildScript("vendor.rules.global.js")],
  ["/vendor.auto.global.js", buildScript("vendor.auto.global.js")],
] as const;

/** The tags of the guide. */
const GUIDE = await Deno.readTextFile(new URL("../../docs/script-tag.md", import.meta.url));
const TAGS = /^## Rules and auto\n[\s\S]*?```html\n([\s\S]*?)```/m.exec(GUIDE)?.[1] ?? "";

browserTest("rules and auto() work by tags alone, as the guide has them", async (stage) => {
  for (const [path, { text }] of SCRIPTS) {
    stage.site.handle(path, () => new Response(text, { headers: { "Content-Type": "text/javascript" } }));
  }
  const tags = TAGS.replace("pk_live_123", KEY).replace(/https:[^"]*\/v1\/events/, stage.ingest.endpoint)
    .replace(`"pending"`, `"granted"`);
  const away = `${stage.otherSite.origin}/away`;
  stage.otherSite.serve("/away", { scripts: [] });
  const html =
    `<!doctype html><title>Teas</title><link rel="icon" href="data:,">${tags}<a href="${away}?token=1">away</a>`;
  stage.site.handle("/", () => new Response(html, { headers: { "Content-Type": "text/html" } }));
  const page = await stage.open("/?utm_source=mail&token=secret");

  await page.evaluate(() => addEventListener("click", (event) => event.preventDefault()));
  await page.click("a");
  await flush(page);

  assertEquals(stage.ingest.stored.map(({ name, context, properties }) => [name, context?.pageUrl, properties]), [
    ["$pageview", `${stage.site.origin}/?utm_source=mail`, { release: "2026.11" }],
    ["$outbound", `${stage.site.origin}/?utm_source=mail`, { release: "2026.11", url: away }],
  ]);
});
