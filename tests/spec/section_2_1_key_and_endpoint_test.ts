import { assertEquals, assertThrows } from "@std/assert";
import { createClient } from "../../src/client.ts";
import { resolveConfig } from "../../src/config.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import type { InitConfig } from "../../src/types.ts";
import { only, startVisit } from "../support/visit.ts";

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

for (const [what, apiKey] of [["missing", undefined], ["empty", ""], ["of whitespace alone", " \t\n"]] as const) {
  Deno.test(`SPEC 2.1 apiKey: ${what} is an error`, () => {
    assertThrows(() => resolveConfig({ apiKey } as InitConfig), Error, "Missing required configuration");
  });
}

Deno.test("SPEC 2.1 apiKey: sent as header X-API-Key on every ingest request", async () => {
  const { browser, page, client } = startVisit({ apiKey: API_KEY, maxBatchSize: 1 });

  client.step("a");
  client.step("b");
  await browser.settle();

  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), [API_KEY, API_KEY]);
});

Deno.test("SPEC 2.1 apiKey: never in the body", async () => {
  const { browser, page, client } = startVisit({ apiKey: API_KEY, trackPageviews: "auto", consent: "pending" });

  await browser.advance(5000);
  client.setConsent("granted");
  client.step("a");
  await browser.advance(5000);

  assertEquals(page.requests.map(({ text }) => text.includes(API_KEY)), [false, false]);
});

Deno.test("SPEC 2.1 endpoint: default has the path /v1/events", () => {
  const { protocol, pathname } = new URL(resolveConfig({ apiKey: API_KEY }).endpoint);

  assertEquals([protocol, pathname], ["https:", "/v1/events"]);
});

for (
  const endpoint of [
    "https://ingest.example:8443/v1/events",
    "http://localhost:8787/v1/events",
    "http://127.0.0.1/v1/events",
    "http://[::1]:8787/v1/events",
  ]
) {
  Deno.test(`SPEC 2.1 endpoint: ${endpoint} is allowed`, () => {
    assertEquals(resolveConfig({ apiKey: API_KEY, endpoint }).endpoint, endpoint);
  });
}

Deno.test("SPEC 2.1 endpoint: must parse as a URL", () => {
  const endpoint = "/v1/events";

  assertThrows(() => resolveConfig({ apiKey: API_KEY, endpoint }), Error, "Invalid endpoint URL");
});

Deno.test("SPEC 2.1 endpoint: http:// is not allowed for other hostnames", () => {
  const endpoint = "http://ingest.example/v1/events";

  assertThrows(() => resolveConfig({ apiKey: API_KEY, endpoint }), Error, "Endpoint must use https://");
});

Deno.test("SPEC 2.1 endpoint: requests go there", async () => {
  const { accepted, page, client } = startVisit({ endpoint: "http://localhost:8787/v1/events?region=eu" });

  client.step("a");
  await accepted();

  assertEquals(only(page.requests).url, "http://localhost:8787/v1/events?region=eu");
});
