import { assertEquals } from "@std/assert";
import { resolveConfig } from "../../src/client/config.ts";

Deno.test("resolveConfig() gives each pair of endpoint and API key an account of its own", () => {
  const accountOf = (endpoint: string, apiKey: string): string => resolveConfig({ endpoint, apiKey }).account;
  const keys = ["pk_live_a", "pk_live_b", "1pk_live_a", "PK_LIVE_A", "pk_test_a"];
  const endpoints = ["https://a.example/", "https://a.example/1", "https://b.example/"];
  const accounts = endpoints.flatMap((endpoint) => keys.map((key) => accountOf(endpoint, key)));

  assertEquals(new Set(accounts).size, 15);
  assertEquals(accountOf("https://a.example/", "pk_live_b"), accounts[1]);
});
