import { assert, assertEquals } from "@std/assert";
import { createIngest, createMemorySink, type Ingest, type IngestOptions } from "../../../src/ingest/mod.ts";
import { EVENT, FULL, KEY, ORIGIN, post, URL_OF_INGEST } from "../fixtures.ts";

const MIB = 1_048_576;

const TOO_LARGE = { error: { code: "body_too_large", message: "body must be at most 1048576 bytes" } };

function setUp(): Ingest {
  return createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink: createMemorySink() });
}

/** An ingest, and what its owner hears of: outcomes and errors. */
function listen(options: Partial<IngestOptions> = {}): { readonly ingest: Ingest; readonly heard: string[] } {
  const heard: string[] = [];
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink: createMemorySink(),
    onOutcome: (outcome) => heard.push(`${outcome.kind} ${"code" in outcome ? outcome.code : ""}`),
    onError: (error) => heard.push(String(error)),
    ...options,
  });
  return { ingest, heard };
}

/** Builds a valid body of exactly that many bytes; "ä" takes two. */
function bodyOf(bytes: number): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const build = (padding: string) => encoder.encode(JSON.stringify({ ...FULL, events: [EVENT], padding }));
  const rest = bytes - build("").byteLength;
  return build("ä".repeat(Math.floor(rest / 2)) + "a".repeat(rest % 2));
}

function streamOf(
  chunks: Iterable<Uint8Array<ArrayBuffer>>,
  onCancel: () => void = () => {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      const next = iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: onCancel,
  }, { highWaterMark: 0 });
}

Deno.test("createIngest() answers 413 to a body of one byte more, counted in bytes", async () => {
  const answer = await setUp()(post(bodyOf(MIB + 1)));

  assertEquals(answer.status, 413);
  assertEquals(await answer.json(), TOO_LARGE);
});

Deno.test("createIngest() counts while it reads, whatever shorter length is declared", async () => {
  const halves = [bodyOf(MIB + 1).subarray(0, MIB), bodyOf(MIB + 1).subarray(MIB)];

  const answer = await setUp()(post(streamOf(halves), { "Content-Length": "10" }));

  assertEquals(answer.status, 413);
});

Deno.test("createIngest() puts a body in many chunks together, split inside a character", async () => {
  const body = bodyOf(2001);
  const bytes = Array.from(body, (_, index) => body.subarray(index, index + 1));

  const answer = await setUp()(post(streamOf(bytes)));

  assertEquals(answer.status, 202);
});

Deno.test("createIngest() keeps no chunk of a body: a million of one byte would take a thousand times their size", async () => {
  const body = bodyOf(2001);
  // Written anew for each chunk: whoever keeps it sees the last byte everywhere.
  const chunk = new Uint8Array(1);
  function* oneByOne() {
    for (const byte of body) {
      chunk[0] = byte;
      yield chunk;
    }
  }

  const answer = await setUp()(post(streamOf(oneByOne())));

  assertEquals(answer.status, 202);
});

Deno.test("createIngest() cuts an endless body off", async () => {
  let pulled = 0;
  let isCancelled = false;
  function* endless() {
    while (true) {
      pulled += 1;
      yield new Uint8Array(65_536);
    }
  }

  const answer = await setUp()(post(streamOf(endless(), () => isCancelled = true)));

  assertEquals(answer.status, 413);
  assert(isCancelled);
  assertEquals(pulled, 17);
});

Deno.test("createIngest() reads nothing of a body that it refuses for its headers", async () => {
  let pulled = 0;
  const pull = () => {
    pulled += 1;
  };
  const unread = new ReadableStream({ pull }, { highWaterMark: 0 });

  const answer = await setUp()(post(unread, { "X-API-Key": "wrong" }));

  assertEquals([answer.status, pulled], [401, 0]);
});

Deno.test("createIngest() answers 413 when the sender's stream fails to be cancelled", async () => {
  function* endless() {
    while (true) yield new Uint8Array(MIB + 1);
  }
  const stream = streamOf(endless(), () => {
    throw new Error("can't cancel");
  });

  assertEquals((await setUp()(post(stream))).status, 413);
});

Deno.test("createIngest() answers 503 to a body that breaks off, as its sender is to come back", async () => {
  const { ingest, heard } = listen();
  const breakOff = () => {
    throw new TypeError("connection reset");
  };

  const answer = await ingest(post(new ReadableStream({ pull: breakOff })));

  assertEquals([answer.status, answer.headers.get("Retry-After")], [503, "5"]);
  assertEquals(heard, ["refused incomplete_body"]);
});

Deno.test("createIngest() tells its owner of a body that something else has read", async () => {
  const { ingest, heard } = listen();
  const read = post(FULL);
  await read.text();
  const locked = post(FULL);
  locked.body?.getReader();

  const statuses = [(await ingest(read)).status, (await ingest(locked)).status];

  assertEquals(statuses, [503, 503]);
  const reason = "TypeError: something else has read the request's body";
  assertEquals(heard, [reason, "refused unavailable", reason, "refused unavailable"]);
});

Deno.test("createIngest() answers 400 to a POST without a body", async () => {
  const request = new Request(URL_OF_INGEST, { method: "POST", headers: post("").headers });

  const answer = await setUp()(request);

  assertEquals(await answer.json(), { error: { code: "malformed", message: "body must be JSON" } });
});

Deno.test("createIngest() answers 503 to a body that stalls, and lets go of it", async () => {
  let isCancelled = false;
  const stalled = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array([0x7b])),
    cancel: () => void (isCancelled = true),
  });
  const { ingest, heard } = listen({ bodyTimeoutMs: 20 });

  const answer = await ingest(post(stalled));

  assertEquals([answer.status, answer.headers.get("Retry-After"), isCancelled], [503, "5", true]);
  assertEquals(heard, ["refused incomplete_body"]);
});
