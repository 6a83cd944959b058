import { assertEquals } from "@std/assert";
import type { Vendor as VendorOfPackage } from "../../../mod.ts";
import { KEY, startIngest } from "../../browser/ingest_server.ts";
import { describeEvent } from "./describe_view.ts";
import { serveDirectory } from "./static_server.ts";
import { withVisitor } from "./visitor.ts";

/** Loads the script `with_sdk.js` of a directory into a page, and starts the SDK that it assigns to `Vendor`. */
export async function countLoad(directory: string): Promise<void> {
  await Deno.writeTextFile(
    `${directory}/index.html`,
    `<!doctype html><title>Bundle</title><link rel="icon" href="data:,"><script type="module" src="/with_sdk.js"></script>`,
  );
  const site = serveDirectory(directory);
  const ingest = await startIngest([site.origin]);
  try {
    await withVisitor({ origin: site.origin }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(`${site.origin}/?bundle`);
      await page.evaluate(
        (config) => (globalThis as unknown as { readonly Vendor: typeof VendorOfPackage }).Vendor.init(config),
        { apiKey: KEY, endpoint: ingest.endpoint, trackPageviews: true, flushInterval: 20 },
      );
      const events = await ingest.untilStored(1);
      assertEquals(events.map((event) => describeEvent(event, { site: site.origin, mail: "-" })), [
        'full $pageview /?bundle "Bundle"',
      ]);
      assertEquals(complaints, []);
    });
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
}
