import { assertEquals } from "@std/assert";
import { createBrowserTest, quiet } from "./harness.ts";
import { readExample } from "./read_example.ts";

const browserTest = createBrowserTest();

browserTest("a page that makes steps of its requests by the guide's recipe leaves the SDK's out", async (stage) => {
  const code = readExample("docs/troubleshooting.md", {
    after: "## A request every few seconds",
    endpoint: stage.ingest.endpoint,
  }).replace("endpoint });", "endpoint, maxBatchSize: 1 });");
  stage.site.handle("/recipe.js", () => new Response(code, { headers: { "Content-Type": "text/javascript" } }));
  stage.site.handle("/teas", () => new Response("sencha"));
  stage.site.serve("/", { scripts: [], body: `<script type="module" src="/recipe.js"></script>` });
  const page = await stage.open("/");

  await page.evaluate(async () => {
    await fetch("/teas?sort=price");
    await fetch(new Request("/teas"));
    await fetch(new URL("/teas", location.href));
  });
  await stage.ingest.untilStored(3);
  await quiet();

  const { host } = new URL(stage.site.origin);
  assertEquals(
    stage.ingest.stored.map(({ name, properties }) => [name, properties]),
    Array(3).fill(["request", { host, pathname: "/teas" }]),
  );
  assertEquals(stage.ingest.requests.length, 3);
});
