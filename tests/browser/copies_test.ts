import { assertEquals } from "@std/assert";
import { createBrowserTest, flush } from "./harness.ts";
import { KEY, OTHER_KEY } from "./ingest_server.ts";

const browserTest = createBrowserTest();

browserTest("a second copy of the package warns once where both collect for the same key", async (stage) => {
  stage.site.serve("/", { scripts: ["/sdk.js", "/client.js"], after: stage.init() });
  const page = await stage.open("/");
  await page.evaluate(({ endpoint, key, other }) => {
    const config = { endpoint, flushInterval: 20 };
    Vendor.init({ ...config, apiKey: key }); // the same copy
    VendorClient.createClient({ ...config, apiKey: other });
  }, { endpoint: stage.ingest.endpoint, key: KEY, other: OTHER_KEY });
  await flush(page);
  const before = [...stage.messages];

  await page.evaluate(({ endpoint, key }) => {
    VendorClient.createClient({ endpoint, apiKey: key }).step("of the second copy");
    return Vendor.flush();
  }, { endpoint: stage.ingest.endpoint, key: KEY });
  await flush(page);

  assertEquals([before, stage.messages], [[], ["[Vendor] another copy collects too"]]);
});
