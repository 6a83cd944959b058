import { assertEquals, assertThrows } from "@std/assert";
import { isConsentState, resolveConfig } from "../src/config.ts";

Deno.test("resolveConfig() uses the endpoint verbatim", () => {
  const endpoint = "HTTPS://Ingest.Example:443/v1/../v1/events?a=b#c";

  assertEquals(resolveConfig({ apiKey: "pk", endpoint }).endpoint, endpoint);
});

Deno.test("resolveConfig() uses the key verbatim", () => {
  assertEquals(resolveConfig({ apiKey: " pk " }).apiKey, " pk ");
});

Deno.test("resolveConfig() doesn't change what it is given", () => {
  const config = Object.freeze({ apiKey: "pk", maxBatchSize: 1000 });

  resolveConfig(config);

  assertEquals(config, { apiKey: "pk", maxBatchSize: 1000 });
});

Deno.test("resolveConfig() copies: later changes have no effect", () => {
  const config = { apiKey: "pk", flushInterval: 1 };
  const resolved = resolveConfig(config);

  config.flushInterval = 2;

  assertEquals(resolved.flushInterval, 1);
});

Deno.test("resolveConfig() clamps the batch size in force, not the configured one", () => {
  const sizes = [-Infinity, -1, 0, 0.5, 1, 1.9, 50, 99.99, 100, 101, 1e300, NaN, Infinity];

  assertEquals(sizes.map((maxBatchSize) => resolveConfig({ apiKey: "pk", maxBatchSize }).maxEvents), [
    50,
    1,
    1,
    1,
    1,
    1,
    50,
    99,
    100,
    100,
    100,
    50,
    50,
  ]);
});

Deno.test("resolveConfig() takes no object in the place of a string", () => {
  const endpoint = new URL("https://ingest.example/") as unknown as string;

  assertThrows(() => resolveConfig({ apiKey: "pk", endpoint }), Error, "Invalid endpoint URL");
});

Deno.test("resolveConfig() judges hostnames as the URL parser does", () => {
  const resolve = (endpoint: string) => resolveConfig({ apiKey: "pk", endpoint }).endpoint;

  assertEquals(resolve("http://127.1:8787/"), "http://127.1:8787/"); // 127.0.0.1 by another name
  assertEquals(resolve("http://[0:0:0:0:0:0:0:1]/"), "http://[0:0:0:0:0:0:0:1]/");
  assertThrows(() => resolve("http://localhost.:80/"), Error, "Endpoint must use https://");
  assertThrows(() => resolve("http://[::2]/"), Error, "Endpoint must use https://");
  assertThrows(() => resolve("http://sub.localhost/"), Error, "Endpoint must use https://");
});

Deno.test("isConsentState() knows the three states and nothing else", () => {
  const values = ["pending", "granted", "denied", "", "Granted", null, undefined, true, ["granted"], Object("granted")];

  assertEquals(values.map((value) => isConsentState(value)), [true, true, true, ...Array(7).fill(false)]);
});

Deno.test("resolveConfig() takes the default for a flushInterval that is no number, as of maxBatchSize", () => {
  const intervals = [1n, "20", null, Symbol("soon"), {}, undefined];

  const resolved = intervals.map((interval) =>
    resolveConfig({ apiKey: "pk", flushInterval: interval as never }).flushInterval
  );

  assertEquals(resolved, [5000, 5000, 5000, 5000, 5000, 5000]);
});

Deno.test("resolveConfig() takes any number for a flushInterval as given", () => {
  const resolved = [NaN, Infinity, -1, 0].map((flushInterval) => resolveConfig({ apiKey: "pk", flushInterval }));

  assertEquals(resolved.map(({ flushInterval }) => flushInterval), [NaN, Infinity, -1, 0]);
});

Deno.test("resolveConfig() gives each pair of endpoint and API key an account of its own", () => {
  const accountOf = (endpoint: string, apiKey: string): string => resolveConfig({ endpoint, apiKey }).account;
  const keys = ["pk_Aa", "pk_BB", "pk_😀", "pk_😁", "1pk", "pk"];
  const endpoints = ["https://a.example/", "https://a.example/1", "https://a.example/Aa", "https://a.example/BB"];
  const accounts = endpoints.flatMap((endpoint) => keys.map((key) => accountOf(endpoint, key)));

  assertEquals(new Set(accounts).size, 24);
  assertEquals(accountOf("https://a.example/", "pk_😀"), accounts[2]);
});
