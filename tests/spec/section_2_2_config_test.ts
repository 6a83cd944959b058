import { assertEquals } from "@std/assert";
import { resolveConfig } from "../../src/client/config.ts";
import type { Config } from "../../src/client/base/types.ts";

Deno.test("SPEC 2.2 Config: all fields are present after defaults", () => {
  const { apiKey, endpoint, flushInterval, maxBatchSize, trackPageviews, debug } = resolveConfig({ apiKey: "pk_1" });

  assertEquals<Config>({ apiKey, endpoint, flushInterval, maxBatchSize, trackPageviews, debug }, {
    apiKey: "pk_1",
    endpoint: "https://ingest.vendor.example/v1/events",
    flushInterval: 5000,
    maxBatchSize: 50,
    trackPageviews: false,
    debug: false,
  });
});

Deno.test("SPEC 2.2 Config: a field that is undefined has its default", () => {
  const given = { apiKey: "pk_1", endpoint: undefined, flushInterval: undefined, maxBatchSize: undefined };

  assertEquals(resolveConfig(given as never), resolveConfig({ apiKey: "pk_1" }));
});

Deno.test("SPEC 2.2 Config: all except debug are required, debug is optional", () => {
  const config: Config = {
    apiKey: "pk_1",
    endpoint: "https://ingest.example/v1/events",
    flushInterval: 1,
    maxBatchSize: 2,
    trackPageviews: "auto",
  };

  assertEquals(resolveConfig(config).debug, false);
});
