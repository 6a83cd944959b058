import { assertEquals, assertThrows } from "@std/assert";
import { createIngest, createMemorySink, type RateLimit } from "../../../src/ingest/mod.ts";
import { createKeyBucket } from "../../../src/ingest/keys/key_bucket.ts";
import { createTokenBucket } from "../../../src/ingest/keys/token_bucket.ts";
import { FULL, KEY, NOW_MS, ORIGIN, OTHER_KEY, post } from "../fixtures.ts";

function createBucketAt(limit: RateLimit): { takeAt: (ms: number) => number } {
  let nowMs = 0;
  const bucket = createTokenBucket(limit, () => nowMs);
  return {
    takeAt: (ms) => {
      nowMs = ms;
      return bucket.take();
    },
  };
}

Deno.test("createTokenBucket() admits a burst, then one request per interval", () => {
  const { takeAt } = createBucketAt({ requestsPerSecond: 2, burst: 3 });

  const waits = [takeAt(0), takeAt(0), takeAt(0), takeAt(0), takeAt(250), takeAt(500), takeAt(500)];

  assertEquals(waits, [0, 0, 0, 500, 250, 0, 500]);
});

Deno.test("createTokenBucket() saves no more than a burst up", () => {
  const { takeAt } = createBucketAt({ requestsPerSecond: 10, burst: 2 });
  takeAt(0);

  assertEquals([takeAt(60_000), takeAt(60_000), takeAt(60_000)], [0, 0, 100]);
});

Deno.test("createTokenBucket() lets a second's worth come at once, and at least one", () => {
  const fast = createBucketAt({ requestsPerSecond: 3 });
  const slow = createBucketAt({ requestsPerSecond: 0.1 });

  assertEquals([fast.takeAt(0), fast.takeAt(0), fast.takeAt(0), fast.takeAt(0) > 0], [0, 0, 0, true]);
  assertEquals([slow.takeAt(0), slow.takeAt(0), slow.takeAt(10_000)], [0, 10_000, 0]);
});

Deno.test("createTokenBucket() outlives a clock that is set back", () => {
  const { takeAt } = createBucketAt({ requestsPerSecond: 1 });
  takeAt(3_600_000);

  assertEquals([takeAt(0), takeAt(500), takeAt(1000)], [1000, 500, 0]);
});

Deno.test("createIngest() limits the rate of a key, and tells when to come back", async () => {
  let nowMs = NOW_MS;
  const ingest = createIngest({
    keys: [
      { apiKey: KEY, origins: [ORIGIN], rateLimit: { requestsPerSecond: 0.5, burst: 2 } },
      { apiKey: OTHER_KEY, origins: "any" },
    ],
    sink: createMemorySink(),
    now: () => nowMs,
  });
  const statusOf = async (apiKey: string) => (await ingest(post(FULL, { "X-API-Key": apiKey }))).status;

  const statuses = [await statusOf(KEY), await statusOf(KEY), await statusOf(KEY), await statusOf(OTHER_KEY)];
  const refused = await ingest(post(FULL));
  nowMs += 2000;

  assertEquals(statuses, [202, 202, 429, 202]);
  assertEquals(refused.headers.get("Retry-After"), "2");
  assertEquals(await refused.json(), {
    error: { code: "rate_limited", message: "too many requests with this key, try again later" },
  });
  assertEquals(await statusOf(KEY), 202);
});

Deno.test("createIngest() spends no token on a request from a site that isn't registered", async () => {
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN], rateLimit: { requestsPerSecond: 0.001 } }],
    sink: createMemorySink(),
    now: () => NOW_MS,
  });

  const strange = await ingest(post(FULL, { "Origin": "https://evil.example" }));
  const own = await ingest(post(FULL));

  assertEquals([strange.status, own.status], [403, 202]);
});

Deno.test("createIngest() refuses a rate limit that would admit nothing or everything", () => {
  const create = (rateLimit: RateLimit) => () =>
    createIngest({ keys: [{ apiKey: KEY, origins: "any", rateLimit }], sink: createMemorySink() });

  const message = "keys[0].rateLimit.requestsPerSecond must be a number above 0";
  assertThrows(create({ requestsPerSecond: 0 }), TypeError, message);
  assertThrows(create({ requestsPerSecond: NaN }), TypeError, message);
  assertThrows(create({ requestsPerSecond: Infinity }), TypeError, message);
  const burst = "keys[0].rateLimit.burst must be a number of at least 1";
  assertThrows(create({ requestsPerSecond: 1, burst: 0.5 }), TypeError, burst);
});

Deno.test("createIngest() spends no token on a request whose headers are wrong", async () => {
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN], rateLimit: { requestsPerSecond: 0.001 } }],
    sink: createMemorySink(),
    now: () => NOW_MS,
  });
  const wrong = [{ "Content-Type": null }, { "Content-Encoding": "br" }, { "X-Vendor-SDK-Version": null }];

  const statuses = [];
  for (const headers of [...wrong, ...wrong, {}, ...wrong]) statuses.push((await ingest(post(FULL, headers))).status);

  assertEquals(statuses, [415, 415, 400, 415, 415, 400, 202, 415, 415, 400]);
});

Deno.test("createIngest() limits the bytes of a key, as they are decompressed", async () => {
  let nowMs = NOW_MS;
  const padded = JSON.stringify({ ...FULL, padding: " ".repeat(30_000) });
  const stream = new Blob([padded]).stream().pipeThrough(new CompressionStream("gzip"));
  const gzip = new Uint8Array(await new Response(stream).arrayBuffer());
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN], bytesPerSecond: 5000 }],
    sink: createMemorySink(),
    now: () => nowMs,
  });
  const send = () => ingest(post(gzip, { "Content-Encoding": "gzip" }));

  const statuses = [(await send()).status, (await send()).status];
  const refused = await send();
  nowMs += 4000;

  assertEquals(statuses, [202, 202]);
  assertEquals([refused.status, refused.headers.get("Retry-After")], [429, "3"]);
  assertEquals(await refused.json(), {
    error: { code: "rate_limited", message: "too many bytes with this key, try again later" },
  });
  assertEquals([(await send()).status, (await send()).status], [202, 429]);
});

Deno.test("createIngest() limits no bytes of a key with an infinite number, and refuses others that are none", () => {
  const create = (bytesPerSecond: number) => () =>
    createIngest({ keys: [{ apiKey: KEY, origins: "any", bytesPerSecond }], sink: createMemorySink() });

  create(Infinity)();
  for (const wrong of [0, -1, NaN]) {
    assertThrows(create(wrong), TypeError, "keys[0].bytesPerSecond must be a number of at least 1");
  }
});

function createKeyBucketAt(limit: RateLimit): { takeAt: (ms: number, network?: string) => boolean } {
  let nowMs = 0;
  const bucket = createKeyBucket(limit, () => nowMs);
  return {
    takeAt: (ms, network) => {
      nowMs = ms;
      return bucket.take(network) === 0;
    },
  };
}

Deno.test("createKeyBucket() gives a network that sends alone most of a burst, and all in the long run", () => {
  for (const [network, most] of [["203.0.113.7", 15], [undefined, 20]] as const) {
    const { takeAt } = createKeyBucketAt({ requestsPerSecond: 10, burst: 20 });

    const burst = Array.from({ length: 50 }, () => takeAt(0, network)).filter(Boolean).length;
    const later = Array.from({ length: 1000 }, (_, index) => takeAt(index * 20, network)).filter(Boolean).length;

    assertEquals(burst, most);
    assertEquals(later >= 190 && later <= 210, true);
  }
});

Deno.test("createKeyBucket() keeps half for others while one network sends ten times what the key may", () => {
  const { takeAt } = createKeyBucketAt({ requestsPerSecond: 10, burst: 20 });
  let [own, others] = [0, 0];

  for (let ms = 0; ms < 60_000; ms += 10) {
    if (takeAt(ms, "198.51.100.7")) own += 1;
    // Four a second, each of another network.
    if (ms % 250 === 0 && takeAt(ms, `203.0.113.${ms % 199}`)) others += 1;
  }

  assertEquals(others, 240);
  assertEquals(own > 300, true); // the rest is theirs all the same
});

Deno.test("createKeyBucket() shares a burst of one as it comes", () => {
  const { takeAt } = createKeyBucketAt({ requestsPerSecond: 1, burst: 1 });

  assertEquals([takeAt(0, "a"), takeAt(0, "b"), takeAt(1000, "a"), takeAt(2000, "a"), takeAt(3000, "b")], [
    true,
    false,
    true,
    true,
    true,
  ]);
});
