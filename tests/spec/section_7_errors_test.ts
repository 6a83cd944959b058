import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { Vendor } from "../../mod.ts";
import { createClient } from "../../src/client.ts";
import { createInstance } from "../../src/instance.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { only, startVisit, warningsOf } from "../support/visit.ts";

const MISSING = "Missing required configuration";
const UNPARSABLE = "Invalid endpoint URL";
const INSECURE = "Endpoint must use https:// (http:// allowed for localhost)";
const PAGEVIEWS = 'trackPageviews must be true, false, or "auto"';
const CONSENT = 'consent must be "pending", "granted", or "denied"';

Deno.test("SPEC 7 Missing required configuration: apiKey missing", () => {
  assertEquals(messageOf({}), MISSING);
});

Deno.test("SPEC 7 Missing required configuration: apiKey empty", () => {
  assertEquals(messageOf({ apiKey: "" }), MISSING);
});

Deno.test("SPEC 7 Missing required configuration: apiKey no string", () => {
  assertEquals(messageOf({ apiKey: 123 }), MISSING);
});

Deno.test("SPEC 7 Missing required configuration: apiKey null", () => {
  assertEquals(messageOf({ apiKey: null }), MISSING);
});

Deno.test("SPEC 7 Missing required configuration: no configuration at all", () => {
  assertEquals(messageOf(undefined), MISSING);
  assertEquals(messageOf(null), MISSING);
  assertEquals(messageOf("pk_1"), MISSING);
});

Deno.test("SPEC 7 Invalid endpoint URL: cannot be parsed", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "not a url" }), UNPARSABLE);
});

Deno.test("SPEC 7 Invalid endpoint URL: relative", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "/v1/events" }), UNPARSABLE);
});

Deno.test("SPEC 7 Invalid endpoint URL: empty", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "" }), UNPARSABLE);
});

Deno.test("SPEC 7 Invalid endpoint URL: null", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: null }), UNPARSABLE);
});

Deno.test("SPEC 7 Endpoint must use https://: http:// with another hostname", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "http://ingest.example/v1/events" }), INSECURE);
});

Deno.test("SPEC 7 Endpoint must use https://: http:// with a hostname that begins with localhost", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "http://localhost.evil.example/" }), INSECURE);
});

Deno.test("SPEC 7 Endpoint must use https://: http:// with localhost as the user name", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "http://localhost:80@evil.example/" }), INSECURE);
});

Deno.test("SPEC 7 Endpoint must use https://: http:// with another loopback address", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "http://127.0.0.2/" }), INSECURE);
});

Deno.test("SPEC 7 Endpoint must use https://: schemes other than http and https", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "ftp://localhost/v1/events" }), INSECURE);
  assertEquals(messageOf({ apiKey: "pk", endpoint: "javascript:alert(1)" }), INSECURE);
  assertEquals(messageOf({ apiKey: "pk", endpoint: "wss://ingest.example/" }), INSECURE);
});

Deno.test("SPEC 7 Endpoint must use https://: not for localhost, 127.0.0.1 and [::1]", () => {
  assertEquals(messageOf({ apiKey: "pk", endpoint: "http://localhost/v1/events" }), undefined);
  assertEquals(messageOf({ apiKey: "pk", endpoint: "http://127.0.0.1:8787/v1/events" }), undefined);
  assertEquals(messageOf({ apiKey: "pk", endpoint: "http://[::1]:8787/v1/events" }), undefined);
  assertEquals(messageOf({ apiKey: "pk", endpoint: "HTTP://LOCALHOST:8787" }), undefined);
});

Deno.test("SPEC 7 trackPageviews must be true, false, or auto: has another value", () => {
  assertEquals(messageOf({ apiKey: "pk", trackPageviews: "true" }), PAGEVIEWS);
  assertEquals(messageOf({ apiKey: "pk", trackPageviews: 1 }), PAGEVIEWS);
  assertEquals(messageOf({ apiKey: "pk", trackPageviews: "AUTO" }), PAGEVIEWS);
  assertEquals(messageOf({ apiKey: "pk", trackPageviews: null }), PAGEVIEWS);
});

Deno.test("SPEC 7 consent must be pending, granted, or denied: has another value", () => {
  assertEquals(messageOf({ apiKey: "pk", consent: "yes" }), CONSENT);
  assertEquals(messageOf({ apiKey: "pk", consent: true }), CONSENT);
  assertEquals(messageOf({ apiKey: "pk", consent: "" }), CONSENT);
  assertEquals(messageOf({ apiKey: "pk", consent: null }), CONSENT);
  assertEquals(messageOf({ apiKey: "pk", consent: ["granted"] }), CONSENT);
});

Deno.test("SPEC 7 order: of several faults the first of the table is told", () => {
  const endpoint = "http://ingest.example/";

  assertEquals(messageOf({ apiKey: "", endpoint: "?", trackPageviews: 1, consent: 1 }), MISSING);
  assertEquals(messageOf({ apiKey: "pk", endpoint: "?", trackPageviews: 1, consent: 1 }), UNPARSABLE);
  assertEquals(messageOf({ apiKey: "pk", endpoint, trackPageviews: 1, consent: 1 }), INSECURE);
  assertEquals(messageOf({ apiKey: "pk", trackPageviews: 1, consent: 1 }), PAGEVIEWS);
  assertEquals(messageOf({ apiKey: "pk", consent: 1 }), CONSENT);
});

Deno.test("SPEC 7 init(): throws synchronously, an Error", () => {
  const error = assertThrows(() => Vendor.init({ apiKey: "pk", consent: "maybe" as "granted" }));

  assertInstanceOf(error, Error);
  assertEquals(error.message, CONSENT);
});

Deno.test("SPEC 7 createClient(): throws the same", () => {
  const { environment } = createTestBrowser().open("https://shop.example/");

  assertThrows(() => createClient({ apiKey: "" }, environment), Error, MISSING);
});

Deno.test("SPEC 7 warnings: a maxBatchSize above 100 is capped with a one-time warning", () => {
  const page = createTestBrowser().open("https://shop.example/");
  const vendor = createInstance(page.environment);

  vendor.init({ apiKey: "pk", maxBatchSize: 101 });
  vendor.init({ apiKey: "pk", maxBatchSize: 5000 });

  const warning = only(warningsOf(page));
  assert(warning.startsWith("[Vendor] ") && /maxBatchSize.*100/.test(warning), warning);
  vendor.close();
});

Deno.test("SPEC 7 warnings: are emitted even when debug is false", () => {
  const { page, client } = startVisit({ maxBatchSize: 101, debug: false });

  assertEquals(warningsOf(page).length, 1);
  client.close();
});

/** Returns the message of the error that creating a client with the configuration throws. */
function messageOf(config: unknown): string | undefined {
  const { environment } = createTestBrowser().open("https://shop.example/");
  try {
    createClient(config as { apiKey: string }, environment).close();
  } catch (error) {
    return error instanceof Error ? error.message : "no Error";
  }
}
