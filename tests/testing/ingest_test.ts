import { assertEquals } from "@std/assert";
import { createClient } from "../../src/client/mod.ts";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";

Deno.test("respond() can put the real ingest at the other end", async () => {
  const sink = createMemorySink();
  const ingest = createIngest({ keys: [{ apiKey: "pk_test", origins: ["https://shop.example"] }], sink });
  const browser = createTestBrowser({ now: Date.now() });
  browser.respond(async ({ url, headers, text }) => {
    const origin = "https://shop.example";
    const { status } = await ingest(
      new Request(url, { method: "POST", headers: { ...headers, Origin: origin }, body: text }),
    );
    return { status };
  });
  const page = browser.open("https://shop.example/teas");
  const endpoint = "https://ingest.example/v1/events";
  const client = createClient(
    { apiKey: "pk_test", endpoint, trackPageviews: "auto", consent: "pending" },
    page.environment,
  );

  await browser.advance(5000);
  client.setConsent("granted");
  client.step("tea_chosen", { name: "Sencha" });
  await browser.advance(5000);
  page.close();

  const stored = await sink.events();
  assertEquals(page.requests.map(({ status }) => status), [202, 202]);
  assertEquals(stored.map(({ name, collection }) => [name, collection]), [
    ["$pageview", "aggregate"],
    ["tea_chosen", "full"],
  ]);
  await sink.close();
});
