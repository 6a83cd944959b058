import { assertEquals } from "@std/assert";
import { createIngest, createMemorySink } from "../../../src/ingest/mod.ts";
import { assertReadable, assertRefused, assertStored, setUp } from "../answers.ts";
import {
  AGGREGATE,
  FULL,
  headersOf,
  KEY,
  manyEvents,
  ORIGIN,
  OTHER_KEY,
  PAGEVIEW,
  post,
  URL_OF_INGEST,
} from "../fixtures.ts";

Deno.test("createIngest() answers a preflight from any origin, to be kept two hours", async () => {
  const { ingest } = setUp();
  const headers = {
    "Origin": "https://elsewhere.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,x-api-key,x-vendor-sdk-version",
  };

  const answer = await ingest(new Request(URL_OF_INGEST, { method: "OPTIONS", headers }));

  assertReadable(answer);
  assertEquals(answer.status, 204);
  assertEquals(answer.headers.get("Access-Control-Max-Age"), "7200");
  assertEquals(answer.headers.get("Access-Control-Allow-Methods"), "POST");
  assertEquals(answer.headers.get("Access-Control-Allow-Headers"), "content-type,x-api-key,x-vendor-sdk-version");
  assertEquals(answer.headers.get("Vary"), "Origin, Access-Control-Request-Headers");
  assertEquals(answer.body, null);
});

Deno.test("createIngest() names the origin that asked in every answer, and allows credentials", async () => {
  const { ingest } = setUp();
  const key = { "X-API-Key": OTHER_KEY };
  const answersOf = async (origin: string | null): Promise<readonly Response[]> => [
    await ingest(post(FULL, { ...key, "Origin": origin })),
    await ingest(post("{", { ...key, "Origin": origin })),
    await ingest(post(FULL, { "X-API-Key": null, "Origin": origin })),
    await ingest(
      new Request(URL_OF_INGEST, { method: "OPTIONS", headers: origin === null ? {} : { "Origin": origin } }),
    ),
  ];
  const read = ({ status, headers }: Response) => [
    status,
    headers.get("Access-Control-Allow-Origin"),
    headers.get("Access-Control-Allow-Credentials"),
    headers.get("Vary")?.startsWith("Origin"),
  ];

  for (const origin of ["https://elsewhere.example", "capacitor://localhost", "null"]) {
    const expected = [202, 400, 401, 204].map((status) => [status, origin, "true", true]);
    assertEquals((await answersOf(origin)).map(read), expected);
  }
  const expected = [202, 400, 401, 204].map((status) => [status, "*", null, true]);
  assertEquals((await answersOf(null)).map(read), expected);
});

const OWN_NAMES = "content-type, x-api-key, x-vendor-sdk-version";

for (
  const [what, asked, allowed] of [
    ["what tracing adds", "content-type,sentry-trace,traceparent,x-api-key", undefined],
    ["Authorization, which an asterisk leaves out", "authorization, x-requested-with", undefined],
    ["every character of a name", "x!#$%&'*+.^_`|~-9", undefined],
    ["its own three where none are asked for", null, OWN_NAMES],
    ["its own three where names are empty", "a,,b", OWN_NAMES],
    ["its own three where something else is asked for", "x-api-key, <script>", OWN_NAMES],
    ["its own three where the list is endless", "a,".repeat(4000) + "a", OWN_NAMES],
  ] as const
) {
  Deno.test(`createIngest() allows in a preflight ${what}`, async () => {
    const { ingest } = setUp();
    const headers = {
      "Origin": "https://elsewhere.example",
      "Access-Control-Request-Method": "POST",
      ...(asked !== null && { "Access-Control-Request-Headers": asked }),
    };

    const answer = await ingest(new Request(URL_OF_INGEST, { method: "OPTIONS", headers }));

    assertEquals(answer.status, 204);
    assertEquals(answer.headers.get("Access-Control-Allow-Headers"), allowed ?? asked);
  });
}

Deno.test("createIngest() answers 404 to another path, preflights included", async () => {
  const { ingest } = setUp();
  const error = { code: "not_found", message: "there is nothing at this path" };

  await assertRefused(await ingest(new Request("https://ingest.vendor.example/")), 404, error);
  await assertRefused(await ingest(new Request(`${URL_OF_INGEST}/`, { method: "POST", body: "{}" })), 404, error);
  await assertRefused(
    await ingest(new Request("https://ingest.vendor.example/v2/events", { method: "OPTIONS" })),
    404,
    error,
  );
});

Deno.test("createIngest() answers 400 where the address is none, as with a Host that is no host", async () => {
  const { ingest } = setUp();
  const request = post(FULL);
  const broken = Object.defineProperty(request, "url", { value: "http://[::bad/v1/events" });

  await assertRefused(await ingest(broken), 400, { code: "malformed", message: "header Host must be a host" });
});

Deno.test("createIngest() listens at the path it is given", async () => {
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: "any" }], sink: createMemorySink(), path: "/e" });

  const taken = await ingest(
    new Request("https://shop.example/e?x=1", {
      method: "POST",
      headers: headersOf(),
      body: JSON.stringify(FULL),
    }),
  );
  const refused = await ingest(post(FULL));

  await assertStored(taken, 1, 0);
  assertEquals(refused.status, 404);
});

Deno.test("createIngest() answers 405 to another method and names the right ones", async () => {
  const { ingest } = setUp();
  const error = { code: "method_not_allowed", message: "events are sent with POST" };
  const put = new Request(URL_OF_INGEST, { method: "PUT", headers: headersOf(), body: JSON.stringify(FULL) });

  const answer = await ingest(new Request(URL_OF_INGEST));

  assertEquals(answer.headers.get("Allow"), "POST, OPTIONS");
  await assertRefused(answer, 405, error);
  await assertRefused(await ingest(put), 405, error);
  await assertRefused(await ingest(new Request(URL_OF_INGEST, { method: "DELETE" })), 405, error);
  assertEquals((await ingest(new Request(URL_OF_INGEST, { method: "HEAD" }))).status, 405);
});

Deno.test("createIngest() answers 401 without a known key", async () => {
  const { ingest, sink } = setUp();
  const message = "header X-API-Key must carry a known key";
  const error = { code: "unknown_key", message: `${message}; the request is of ${ORIGIN}` };

  await assertRefused(await ingest(post(FULL, { "X-API-Key": null })), 401, error);
  await assertRefused(await ingest(post(FULL, { "X-API-Key": "" })), 401, error);
  await assertRefused(await ingest(post(FULL, { "X-API-Key": "pk_test_1x" })), 401, error);
  await assertRefused(await ingest(post(FULL, { "X-API-Key": "__proto__" })), 401, error);
  for (const origin of [null, "https://a b"]) {
    await assertRefused(await ingest(post(FULL, { "X-API-Key": "", "Origin": origin })), 401, { ...error, message });
  }

  assertEquals(await sink.events(), []);
});

Deno.test("createIngest() answers 403 to an origin that isn't registered for the key", async () => {
  const { ingest, sink } = setUp();
  const refuses = async (origin: string | null, message: string) => {
    const error = { code: "origin_not_registered", message };
    await assertRefused(await ingest(post(FULL, { "Origin": origin })), 403, error);
  };

  for (const origin of ["https://evil.example", "http://shop.example", "https://shop.example:8443", "null"]) {
    await refuses(origin, `the origin ${origin} isn't registered for this key`);
  }
  for (
    const origin of ["https://shop.example/teas?token=1", "https://ada@shop.example", `https://${"a".repeat(1_000)}`]
  ) {
    await refuses(origin, "header Origin must be an origin");
  }
  await refuses(null, "header Origin is missing; a backend needs a sending secret");

  assertEquals(await sink.events(), []);
});

Deno.test('createIngest() takes any origin, or none, for a key of "any" origins', async () => {
  const { ingest } = setUp();
  const key = { "X-API-Key": OTHER_KEY };

  await assertStored(await ingest(post(FULL, { ...key, "Origin": "https://evil.example" })), 1, 0);
  await assertStored(await ingest(post(FULL, { ...key, "Origin": null })), 0, 1);
});

Deno.test("createIngest() answers 415 to anything but JSON, plain or gzipped", async () => {
  const { ingest } = setUp();
  const type = { code: "unsupported_media_type", message: "header Content-Type must be application/json" };
  const encoding = { code: "unsupported_media_type", message: "header Content-Encoding must be gzip, or missing" };

  await assertRefused(await ingest(post(FULL, { "Content-Type": null })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Type": "text/plain" })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Type": "application/jsonp" })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Type": "application/json, text/plain" })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Type": "text/plain; a=application/json" })), 415, type);
  await assertRefused(await ingest(post(FULL, { "Content-Encoding": "br" })), 415, encoding);
  await assertRefused(await ingest(post(FULL, { "Content-Encoding": "gzip, gzip" })), 415, encoding);
  const answer = await ingest(post(FULL, { "Content-Encoding": "deflate" }));
  assertEquals(answer.headers.get("Accept-Encoding"), "gzip, identity");
});

Deno.test("createIngest() answers 400 without an SDK version", async () => {
  const { ingest } = setUp();
  const error = { code: "malformed", message: "header X-Vendor-SDK-Version is required" };

  await assertRefused(await ingest(post(FULL, { "X-Vendor-SDK-Version": null })), 400, error);
  await assertRefused(await ingest(post(FULL, { "X-Vendor-SDK-Version": " " })), 400, error);
});

/** Counts a value and all that it holds. */
function countValues(value: unknown): number {
  const items = typeof value === "object" && value !== null ? Object.values(value) : [];
  return items.reduce((sum: number, item) => sum + countValues(item), 1);
}

Deno.test("createIngest() takes 100,000 JSON values and answers 413 to more", async () => {
  const { ingest } = setUp();
  const error = { code: "too_many_values", message: "body must hold at most 100000 JSON values" };
  // Commas and brackets in a string are no values.
  const body = { ...FULL, text: '"[{,'.repeat(50_000), zeros: [0] };
  const holding = (count: number) => ({ ...body, zeros: Array(count - countValues(body) + 1).fill(0) });

  await assertStored(await ingest(post(holding(100_000))), 1, 0);
  await assertRefused(await ingest(post(holding(100_001))), 413, error);
  await assertRefused(await ingest(post(`[${"{},".repeat(100_000)}`)), 413, error);
});

Deno.test("createIngest() takes 100 events and answers 413 to 101", async () => {
  const { ingest, sink } = setUp();
  const error = { code: "too_many_events", message: "events must be at most 100" };
  const tooMany = Array.from({ length: 101 }, (_, index) => ({ ...PAGEVIEW, id: `p-${index}` }));

  await assertStored(await ingest(post({ ...FULL, events: manyEvents(100) })), 100, 0);
  await assertRefused(await ingest(post({ ...FULL, events: manyEvents(101, "n") })), 413, error);
  await assertRefused(await ingest(post({ ...AGGREGATE, events: tooMany })), 413, error);

  assertEquals((await sink.events()).length, 100);
});
