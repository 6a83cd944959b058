import { assert, assertEquals, assertThrows } from "@std/assert";
import { Vendor } from "../../mod.ts";
import { createClient } from "../../src/client/mod.ts";
import { createInstance } from "../../src/client/instance.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { only, startVisit, warningsOf } from "../support/visit.ts";

const MISSING = "Missing required configuration";
const UNPARSABLE = "Invalid endpoint URL";
const INSECURE = "Endpoint must use https:// (http:// allowed for localhost)";
const PAGEVIEWS = 'trackPageviews must be true, false, or "auto"';
const CONSENT = 'consent must be "pending", "granted", or "denied"';

for (
  const [message, what, config] of [
    [MISSING, "apiKey missing", {}],
    [MISSING, "apiKey empty", { apiKey: "" }],
    [MISSING, "apiKey of whitespace alone", { apiKey: " \t\n" }],
    [MISSING, "apiKey no string", { apiKey: 123 }],
    [MISSING, "apiKey null", { apiKey: null }],
    [MISSING, "no configuration at all", undefined],
    [MISSING, "null in place of a configuration", null],
    [MISSING, "text in place of a configuration", "pk_1"],
    [UNPARSABLE, "cannot be parsed", { apiKey: "pk", endpoint: "not a url" }],
    [UNPARSABLE, "relative", { apiKey: "pk", endpoint: "/v1/events" }],
    [UNPARSABLE, "empty", { apiKey: "pk", endpoint: "" }],
    [UNPARSABLE, "an object", { apiKey: "pk", endpoint: new URL("https://ingest.example/") }],
    [UNPARSABLE, "null", { apiKey: "pk", endpoint: null }],
    [INSECURE, "another hostname", { apiKey: "pk", endpoint: "http://ingest.example/v1/events" }],
    [INSECURE, "a hostname that begins with localhost", { apiKey: "pk", endpoint: "http://localhost.evil.example/" }],
    [INSECURE, "localhost as the user name", { apiKey: "pk", endpoint: "http://localhost:80@evil.example/" }],
    [INSECURE, "a subdomain of localhost", { apiKey: "pk", endpoint: "http://sub.localhost/" }],
    [INSECURE, "localhost with a dot", { apiKey: "pk", endpoint: "http://localhost.:80/" }],
    [INSECURE, "another IPv6 address", { apiKey: "pk", endpoint: "http://[::2]/" }],
    [INSECURE, "another loopback address", { apiKey: "pk", endpoint: "http://127.0.0.2/" }],
    [INSECURE, "a scheme but http and https", { apiKey: "pk", endpoint: "ftp://localhost/v1/events" }],
    [INSECURE, "a script", { apiKey: "pk", endpoint: "javascript:alert(1)" }],
    [undefined, "localhost", { apiKey: "pk", endpoint: "http://localhost/v1/events" }],
    [undefined, "127.0.0.1", { apiKey: "pk", endpoint: "http://127.0.0.1:8787/v1/events" }],
    [undefined, "[::1]", { apiKey: "pk", endpoint: "http://[::1]:8787/v1/events" }],
    [undefined, "127.0.0.1 by another name", { apiKey: "pk", endpoint: "http://127.1:8787/" }],
    [undefined, "[::1] in full", { apiKey: "pk", endpoint: "http://[0:0:0:0:0:0:0:1]/" }],
    [undefined, "https:// with a port", { apiKey: "pk", endpoint: "https://ingest.example:8443/v1/events" }],
    [undefined, "LOCALHOST", { apiKey: "pk", endpoint: "HTTP://LOCALHOST:8787" }],
    [PAGEVIEWS, "text", { apiKey: "pk", trackPageviews: "true" }],
    [PAGEVIEWS, "a number", { apiKey: "pk", trackPageviews: 1 }],
    [PAGEVIEWS, "AUTO", { apiKey: "pk", trackPageviews: "AUTO" }],
    [PAGEVIEWS, "null", { apiKey: "pk", trackPageviews: null }],
    [CONSENT, "another text", { apiKey: "pk", consent: "yes" }],
    [CONSENT, "a boolean", { apiKey: "pk", consent: true }],
    [CONSENT, "empty", { apiKey: "pk", consent: "" }],
    [CONSENT, "null", { apiKey: "pk", consent: null }],
    [CONSENT, "a list", { apiKey: "pk", consent: ["granted"] }],
  ] as const
) Deno.test(`SPEC 7 ${message ?? "no error"}: ${what}`, () => assertEquals(messageOf(config), message));

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

  assert(error instanceof Error);
  assertEquals(error.message, CONSENT);
});

Deno.test("SPEC 7 and 8 warnings: a maxBatchSize above 100 is capped with a one-time warning", async () => {
  const page = createTestBrowser().open("https://shop.example/");
  const vendor = createInstance(page.environment);

  for (const maxBatchSize of [100, 0, 101, 5000]) vendor.init({ apiKey: "pk", maxBatchSize });
  await Promise.resolve();

  const warning = only(warningsOf(page));
  assert(warning.startsWith("[Vendor] ") && /maxBatchSize.*100/.test(warning), warning);
});

Deno.test("SPEC 2.1 and 7 warnings: are emitted even when debug is false", async () => {
  const { page } = startVisit({ maxBatchSize: 101, debug: false });
  await Promise.resolve();

  assertEquals(warningsOf(page).length, 1);
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
