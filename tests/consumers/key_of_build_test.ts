import { assertEquals } from "@std/assert";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { withVisitor } from "./driver/visitor.ts";

/** Opens the page of a directory; returns how many requests came with the key of the build. */
async function countRequests(directory: string): Promise<number> {
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

/** Opens the page of a script. */
async function countRequestsOf(directory: string, bundler: string): Promise<number> {
  const html = `<!doctype html><title>Page</title><link rel="icon" href="data:,"><body>
    <script type="module" src="/${bundler}.js"></script>`;
  await Deno.writeTextFile(`${directory}/dist/${bundler}/index.html`, html);
  return await countRequests(`${directory}/dist/${bundler}`);
}

const WITH_KEY = { VENDOR_KEY: KEY, VITE_VENDOR_KEY: KEY, NEXT_PUBLIC_VENDOR_KEY: KEY };

Deno.test("a page whose build has no key is shown and sends nothing, and with the key it sends", async (t) => {
  const { directory } = await prepareApplication("key_of_build");
  const bundlers = ["vite", "webpack", "esbuild", "rollup", "parcel"];
  for (const bundler of bundlers) {
    await t.step(`${bundler}: without the key`, async () => {
      assertEquals(await countRequestsOf(directory, bundler), 0);
    });
  }
  await runOrThrow("npm", { args: ["run", "build"], cwd: directory, env: WITH_KEY, timeoutMs: 240_000 });
  for (const bundler of bundlers) {
    await t.step(`${bundler}: with the key`, async () => {
      assertEquals(await countRequestsOf(directory, bundler), 1);
    });
  }
});

Deno.test("a Next.js page whose build has no key is shown and sends nothing, and with the key it sends", async () => {
  const { directory } = await prepareApplication("key_of_next");
  assertEquals(await countRequests(`${directory}/out`), 0);

  await runOrThrow("npm", { args: ["run", "build"], cwd: directory, env: WITH_KEY, timeoutMs: 240_000 });

  assertEquals(await countRequests(`${directory}/out`), 1);
});
