import { assertEquals, assertStringIncludes } from "@std/assert";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";
import { readKeySource } from "./driver/key_source.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { withVisitor } from "./driver/visitor.ts";

/** Opens the page of a bundler; returns how many requests came with the key of the build. */
async function countRequestsOf(application: string, bundler: string): Promise<number> {
  const directory = `${application}/dist/${bundler}`;
  const html = `<!doctype html><title>Page</title><link rel="icon" href="data:,"><body>
    <script type="module" src="/${bundler}.js"></script>`;
  await Deno.writeTextFile(`${directory}/index.html`, html);
  const site = serveDirectory(directory);
  const ingest = await startIngest([site.origin]);
  const settings = { endpoint: ingest.endpoint, trackPageviews: "auto", flushInterval: 20 };
  try {
    await withVisitor({ origin: site.origin, settings }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(site.origin);
      await page.getByText("consent is pending").waitFor();
      await page.waitForTimeout(500); // an event would be there by now
      assertEquals(complaints, []);
    });
    return ingest.stored.length;
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
}

/** Bundlers by the names of their files; Vite and the frameworks have tests of their own. */
const BUNDLERS = { webpack: "webpack", esbuild: "esbuild", rollup: "Rollup", parcel: "Parcel" } as const;

Deno.test("a page whose build has no key is shown and sends nothing, and with the key it sends", async (t) => {
  const { directory, scripts, build } = await prepareApplication("key_of_build");
  const bundlers = Object.entries(BUNDLERS);
  for (const [bundler, name] of bundlers) {
    await t.step(`${bundler}: without the key`, async () => {
      const { expression, setting } = readKeySource(name);
      const config = await Deno.readTextFile(`${directory}/${bundler}.config.js`).catch(() => scripts[bundler] ?? "");
      assertStringIncludes(config, setting);
      assertStringIncludes(await Deno.readTextFile(`${directory}/src/${bundler}.js`), `start(${expression});`);
      assertEquals(await countRequestsOf(directory, bundler), 0);
    });
  }
  await build({ VENDOR_KEY: KEY });
  for (const [bundler] of bundlers) {
    await t.step(`${bundler}: with the key`, async () => {
      assertEquals(await countRequestsOf(directory, bundler), 1);
    });
  }
});
