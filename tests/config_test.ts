import { assertEquals, assertThrows } from "@std/assert";
import { resolveConfig } from "../src/config.ts";

Deno.test("resolveConfig() uses endpoint and key verbatim", () => {
  const given = { endpoint: "HTTPS://Ingest.Example:443/v1/../v1/events?a=b#c", apiKey: " pk " };

  const { endpoint, apiKey } = resolveConfig(given);

  assertEquals({ endpoint, apiKey }, given);
});

Deno.test("resolveConfig() copies: later changes have no effect", () => {
  const config = { apiKey: "pk", flushInterval: 1 };
  const resolved = resolveConfig(config);

  config.flushInterval = 2;

  assertEquals(resolved.flushInterval, 1);
});

Deno.test("resolveConfig() judges hostnames as the URL parser does", () => {
  const resolve = (endpoint: unknown) => resolveConfig({ apiKey: "pk", endpoint: endpoint as string }).endpoint;

  assertEquals(resolve("http://127.1:8787/"), "http://127.1:8787/"); // 127.0.0.1 by another name
  assertEquals(resolve("http://[0:0:0:0:0:0:0:1]/"), "http://[0:0:0:0:0:0:0:1]/");
  for (const endpoint of ["http://localhost.:80/", "http://[::2]/", "http://sub.localhost/"]) {
    assertThrows(() => resolve(endpoint), Error, "Endpoint must use https://");
  }
  assertThrows(() => resolve(new URL("https://ingest.example/")), Error, "Invalid endpoint URL");
});

Deno.test("resolveConfig() gives each pair of endpoint and API key an account of its own", () => {
  const accountOf = (endpoint: string, apiKey: string): string => resolveConfig({ endpoint, apiKey }).account;
  const keys = ["pk_live_a", "pk_live_b", "1pk_live_a", "PK_LIVE_A", "pk_test_a"];
  const endpoints = ["https://a.example/", "https://a.example/1", "https://b.example/"];
  const accounts = endpoints.flatMap((endpoint) => keys.map((key) => accountOf(endpoint, key)));

  assertEquals(new Set(accounts).size, 15);
  assertEquals(accountOf("https://a.example/", "pk_live_b"), accounts[1]);
});
