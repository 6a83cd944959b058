import { assertEquals } from "@std/assert";
import { createClient } from "../../src/client/mod.ts";
import { resolveConfig } from "../../src/client/config.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import type { InitConfig } from "../../src/client/base/types.ts";
import { only, startVisit } from "../support/visit.ts";

// What makes a key, an endpoint or an option invalid is with SPEC 7, in one table.

const API_KEY = "pk_live_123";

Deno.test("SPEC 2.1 InitConfig: only apiKey is required", async () => {
  const browser = createTestBrowser();

  const client = createClient({ apiKey: API_KEY }, browser.open("https://shop.example/").environment);
  client.step("signup");
  await browser.advance(5000);

  assertEquals(browser.events.length, 1);
});

Deno.test("SPEC 2.1 InitConfig: every field at once is valid", () => {
  const config: Required<InitConfig> = {
    apiKey: API_KEY,
    endpoint: "https://ingest.example/v1/events",
    flushInterval: 1000,
    maxBatchSize: 10,
    trackPageviews: "auto",
    debug: true,
    consent: "pending",
  };

  const { maxEvents: _maxEvents, account: _account, ...resolved } = resolveConfig(config);

  assertEquals(resolved, config);
});

Deno.test("SPEC 2.1 and 4.1 endpoint: requests go there", async () => {
  const { accepted, page, client } = startVisit({ endpoint: "http://localhost:8787/v1/events?region=eu" });

  client.step("a");
  await accepted();

  assertEquals(only(page.requests).url, "http://localhost:8787/v1/events?region=eu");
});
