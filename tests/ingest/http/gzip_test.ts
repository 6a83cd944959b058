import { assertEquals, assertLessOrEqual } from "@std/assert";
import type { Bytes } from "../../../src/ingest/http/body.ts";
import { assertReadable, assertRefused, assertStored, setUp } from "../answers.ts";
import { FULL, manyEvents, post } from "../fixtures.ts";

const GZIP = { "Content-Encoding": "gzip" };

async function compress(stream: ReadableStream<Bytes>): Promise<Bytes> {
  return await new Response(stream.pipeThrough(new CompressionStream("gzip"))).bytes();
}

async function gzip(body: string | Bytes): Promise<Bytes> {
  return await compress(new Blob([body]).stream());
}

function repeat(chunk: Bytes, times: number): ReadableStream<Bytes> {
  return ReadableStream.from(Array.from({ length: times }, () => chunk));
}

const TOO_LARGE = { code: "body_too_large", message: "body must be at most 1048576 bytes" };

const NO_GZIP = { code: "malformed", message: "body must be gzip, as its Content-Encoding says" };

Deno.test("createIngest() takes a gzipped body", async () => {
  const { ingest, sink } = setUp();
  const body = await gzip(JSON.stringify({ ...FULL, events: manyEvents(100) }));

  await assertStored(await ingest(post(body, GZIP)), 100, 0);
  await assertStored(await ingest(post(body, { "Content-Encoding": "X-Gzip" })), 0, 100);

  assertEquals((await sink.events()).length, 100);
});

Deno.test("createIngest() says of a gzipped body what names it", async () => {
  const { ingest } = setUp();
  const body = await gzip(JSON.stringify(FULL));
  const error = { code: "malformed", message: "body is gzip, which header Content-Encoding must say" };

  await assertRefused(await ingest(post(body)), 400, error);
});

Deno.test("createIngest() takes a body that says it isn't compressed", async () => {
  const { ingest } = setUp();

  await assertStored(await ingest(post(FULL, { "Content-Encoding": "identity" })), 1, 0);
});

Deno.test("createIngest() takes 1 MiB after decompression and answers 413 to a byte more", async () => {
  const { ingest } = setUp();
  // Numbers of their own, for spaces alone would unfold to more than gzip may.
  const text = JSON.stringify({ ...FULL, numbers: Array.from({ length: 60_000 }, (_, index) => index) });

  await assertStored(await ingest(post(await gzip(text.padEnd(1_048_576)), GZIP)), 1, 0);
  await assertRefused(await ingest(post(await gzip(text.padEnd(1_048_577)), GZIP)), 413, TOO_LARGE);
});

Deno.test("createIngest() answers 413 to gzip that unfolds to a hundred times its size", async () => {
  const { ingest, sink } = setUp();
  const message = "body must be at most 100 times as large as its gzip, or 65536 bytes";
  const error = { code: "body_too_large", message };
  const dense = await gzip(JSON.stringify(FULL).padEnd(65_537));
  const alike = manyEvents(100).map((event) => ({ ...event, properties: { text: "alike ".repeat(60) } }));

  await assertRefused(await ingest(post(dense, GZIP)), 413, error);
  await assertRefused(await ingest(post(await gzip(JSON.stringify(FULL).padEnd(1_000_000)), GZIP)), 413, error);
  assertEquals(await sink.events(), []);
  await assertStored(await ingest(post(await gzip(JSON.stringify(FULL).padEnd(65_536)), GZIP)), 1, 0);
  await assertStored(await ingest(post(await gzip(JSON.stringify({ ...FULL, events: alike })), GZIP)), 100, 0);
});

Deno.test("createIngest() doesn't unfold a bomb", async () => {
  const { ingest } = setUp();
  const bomb = await compress(repeat(new Uint8Array(1_000_000), 150));
  const before = Deno.memoryUsage().rss;

  const answer = await ingest(post(bomb, GZIP));
  const grown = Deno.memoryUsage().rss - before;

  assertEquals(answer.status, 413);
  assertLessOrEqual(grown, 50_000_000);
});

Deno.test("createIngest() answers 413 to a compressed body over 1 MiB", async () => {
  const { ingest } = setUp();
  const noise = new Uint8Array(1_100_000);
  for (let at = 0; at < noise.length; at += 50_000) crypto.getRandomValues(noise.subarray(at, at + 50_000));

  await assertRefused(await ingest(post(await gzip(noise), GZIP)), 413, TOO_LARGE);
});

Deno.test("createIngest() answers 400 to what isn't gzip, is cut off or goes on", async () => {
  const { ingest, sink } = setUp();
  const whole = await gzip(JSON.stringify(FULL));
  const broken = whole.map((byte, index) => index === 40 ? byte ^ 0xff : byte);

  const answers = [
    await ingest(post(FULL, GZIP)),
    await ingest(post("", GZIP)),
    await ingest(post(whole.subarray(0, 100), GZIP)),
    await ingest(post(whole.subarray(0, -1), GZIP)),
    await ingest(post(new Uint8Array([...whole, 1, 2, 3]), GZIP)),
    await ingest(post(broken, GZIP)),
    await ingest(post(await gzip(whole), GZIP)),
  ];

  answers.forEach(assertReadable);
  assertEquals(answers.map(({ status }) => status), [400, 400, 400, 400, 400, 400, 400]);
  assertEquals(await answers[0]?.json(), { error: NO_GZIP });
  assertEquals(await sink.events(), []);
});
