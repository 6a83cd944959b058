/**
 * The JetStream sink on a single nats-server.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { StoredEvent, StoreResult } from "../../src/ingest/mod.ts";
import { createJetStreamSink } from "../../src/ingest/stores/jetstream/jetstream_sink.ts";
import { FULL, headersOf, KEY, OTHER_KEY } from "../ingest/fixtures.ts";
import { batchOf, type ReadableSink, STORED, testSink } from "../ingest/stores/sink_contract.ts";
import { runIngest, startIngest } from "./ingest_process.ts";
import { type NatsCluster, startNatsCluster } from "./nats_cluster.ts";
import { bundleOnce } from "./program.ts";

let cluster: NatsCluster | undefined;
let streams = 0;

Deno.test.beforeAll(async () => {
  cluster = await startNatsCluster(1);
});

Deno.test.afterAll(async () => {
  await cluster?.stop();
});

function servers(): readonly string[] {
  return cluster?.servers ?? [];
}

/** Makes a stream that a sink would take, but for the changes. */
async function addStream(changes: Parameters<NatsCluster["addStream"]>[0]): Promise<void> {
  const kept = { storage: "file", retention: "limits", discard: "new", duplicate_window: 691_200_000_000_000 } as const;
  await cluster?.addStream({ ...kept, ...changes });
}

/** Opens a sink on a stream of its own. */
async function open(options: { readonly maxPendingEvents?: number } = {}): Promise<ReadableSink & { stream: string }> {
  streams += 1;
  const stream = `TEST_${streams}`;
  const settings = { servers: servers(), stream, subjectPrefix: `test.${streams}`, replicas: 1, ...options };
  const sink = await createJetStreamSink(settings);
  return {
    ...sink,
    stream,
    store: async (batch) => await sink.store(batch) as StoreResult,
    events: async () => (await cluster?.read(stream) ?? []).map(({ json }) => json as unknown as StoredEvent),
  };
}

testSink("createJetStreamSink()", open);

Deno.test("createJetStreamSink() says that its stream was deleted, makes it anew and takes events again", async () => {
  const sink = await open();
  await sink.store(batchOf([STORED]));
  await cluster?.deleteStream(sink.stream);

  const waiting = sink.store(batchOf([{ ...STORED, id: "waits" }]));
  const fault = await assertRejects(async () => await sink.check?.(), Error);
  const result = await waiting;
  await sink.check?.();
  await sink.store(batchOf([{ ...STORED, id: "after" }]));
  const ids = (await sink.events()).map(({ id }) => id);
  await sink.close();

  assertEquals(fault.message, `the stream ${sink.stream} was deleted with what it held; it was made anew`);
  assertEquals([(result as { readonly accepted: number }).accepted, ids], [1, ["waits", "after"]]);
});

Deno.test("createJetStreamSink() names no key in subjects and message ids", async () => {
  const sink = await open();
  await sink.store(batchOf([STORED, { ...STORED, id: "a b\r\n*.>" }]));
  await sink.store(batchOf([STORED], OTHER_KEY));
  await sink.close();

  const messages = await cluster?.read(sink.stream) ?? [];

  assertEquals(messages.length, 3);
  for (const { subject, messageId } of messages) {
    assertMatch(subject, /^test\.\d+\.[0-9a-f]{32}$/);
    assertMatch(messageId, /^[0-9a-f]{32}\.[!-~]+$/);
    assertEquals([KEY, OTHER_KEY].filter((key) => (subject + messageId).includes(key)), []);
  }
  assertEquals(new Set(messages.map(({ subject }) => subject)).size, 2);
});

Deno.test("createJetStreamSink() takes events from two processes once", async () => {
  const sink = await open();
  const subjectPrefix = `test.${streams}`;
  const other = await createJetStreamSink({ servers: servers(), stream: sink.stream, subjectPrefix, replicas: 1 });
  const events = Array.from({ length: 50 }, (_, index) => ({ ...STORED, id: `e-${index}` }));

  const results = await Promise.all([sink, other, sink, other].map((one) => one.store(batchOf(events))));
  await Promise.all([sink.close(), other.close()]);

  assertEquals(results.reduce((sum, result) => sum + ("accepted" in result ? result.accepted : 0), 0), 50);
  assertEquals((await cluster?.read(sink.stream))?.length, 50);
});

Deno.test("createJetStreamSink() turns down an event that the servers wouldn't take", async () => {
  const sink = await open();

  const result = await sink.store(batchOf([{ ...STORED, properties: { text: "x".repeat(1_048_000) } }]));
  const events = await sink.events();
  await sink.close();

  assertEquals(result as unknown, {
    status: 413,
    code: "event_too_large",
    message: "an event is larger than can be stored",
  });
  assertEquals(events, []);
});

Deno.test("createJetStreamSink() turns down an event that only its id makes too large", async () => {
  const sink = await open();
  const event = { ...STORED, id: "😀".repeat(128) };
  const free = 1_048_576 - 1_034 -
    new TextEncoder().encode(JSON.stringify({ ...event, properties: { text: "" } })).length;

  const result = await sink.store(batchOf([{ ...event, properties: { text: "x".repeat(free) } }]));
  await sink.close();

  assertEquals("status" in result && result.status, 413);
});

Deno.test("createJetStreamSink() turns batches down rather than let them pile up", async () => {
  const sink = await open({ maxPendingEvents: 1 });

  const [first, second] = await Promise.all([sink.store(batchOf([STORED])), sink.store(batchOf([STORED]))]);
  const third = await sink.store(batchOf([STORED]));
  await sink.close();

  assertEquals([first.accepted, third.duplicates], [1, 1]);
  assertEquals((second as unknown as { status: number; retryAfterS: number }).status, 503);
});

Deno.test("createJetStreamSink() takes a batch alone however long it is", async () => {
  const sink = await open({ maxPendingEvents: 1 });

  const result = await sink.store(batchOf([STORED, { ...STORED, id: "e-2" }]));
  await sink.close();

  assertEquals(result.accepted, 2);
});

Deno.test("createJetStreamSink() turns down an event that its stream wouldn't take, and no smaller one", async () => {
  const [name, prefix] = ["SMALL", "small"];
  await addStream({ name, subjects: [`${prefix}.*`], max_msg_size: 4_096 });
  const sink = await createJetStreamSink({ servers: servers(), stream: name, subjectPrefix: prefix, replicas: 1 });
  const sized = (bytes: number) => batchOf([{ ...STORED, id: `e-${bytes}`, properties: { text: "x".repeat(bytes) } }]);

  const results = [await sink.store(sized(4_096)), await sink.store(sized(3_000))];
  await sink.close();

  assertEquals(results.map((result) => "status" in result ? result.status : result.accepted), [413, 1]);
});

Deno.test("createJetStreamSink() rejects at once what its stream refuses, and isn't ready until it has room", async () => {
  const [name, prefix] = ["FULL", "full"];
  await addStream({ name, subjects: [`${prefix}.*`], max_msgs: 1 });
  const sink = await createJetStreamSink({ servers: servers(), stream: name, subjectPrefix: prefix, replicas: 1 });
  await sink.store(batchOf([STORED]));
  const startMs = Date.now();

  await assertRejects(() => sink.store(batchOf([{ ...STORED, id: "e-2" }])), Error, "maximum messages exceeded");
  const durationMs = Date.now() - startMs;
  await sink.store(batchOf([STORED])); // known, and so no sign of room
  await assertRejects(async () => await sink.check?.(), Error, "maximum messages exceeded");
  await cluster?.purge(name);
  await sink.store(batchOf([{ ...STORED, id: "e-2" }]));
  await sink.check?.();
  await sink.close();

  assert(durationMs < 5_000);
});

Deno.test("createJetStreamSink() refuses a stream that acknowledges nothing", async () => {
  await addStream({ name: "MUTE", subjects: ["mute.*"], no_ack: true });
  const options = { servers: servers(), stream: "MUTE", subjectPrefix: "mute", replicas: 1 };

  await assertRejects(() => createJetStreamSink(options), Error, "the stream MUTE acknowledges nothing");
});

Deno.test("createJetStreamSink() refuses a stream that could lose, hide or keep events, as the server describes it", async () => {
  const [major = 0, minor = 0] = (await cluster?.version() ?? "").split(".").map(Number);
  const since = (one: number, other: number): boolean => major > one || (major === one && minor >= other);
  const refused: readonly (readonly [boolean, Parameters<NatsCluster["addStream"]>[0], RegExp])[] = [
    [true, { name: "PURGE", subjects: ["purge.*"], deny_purge: true }, /PURGE keeps loaded events for ever/],
    [true, { name: "DELETE", subjects: ["delete.*"], deny_delete: true }, /DELETE keeps the events of whoever/],
    [true, { name: "MIRROR", mirror: { name: "MUTE" } }, /MIRROR is a mirror/],
    [
      since(2, 10),
      { name: "MOVED", subjects: ["moved.*"], subject_transform: { src: "moved.*", dest: "kept.{{wildcard(1)}}" } },
      /MOVED stores events under other subjects/,
    ],
    [
      since(2, 12),
      { name: "ASYNC", subjects: ["async.*"], persist_mode: "async" },
      /ASYNC acknowledges events before they are written/,
    ],
  ];

  for (const [isKnown, config, message] of refused) {
    if (!isKnown) continue;
    await addStream(config);
    const options = { servers: servers(), stream: config.name, subjectPrefix: config.name.toLowerCase(), replicas: 1 };
    assertMatch((await assertRejects(() => createJetStreamSink(options), Error)).message, message);
  }
});

Deno.test("createJetStreamSink() isn't ready while its stream could lose what comes, as on a start", async () => {
  const { stream, ...sink } = await open();
  await cluster?.changeStream(stream, { discard: "old", max_msgs: 1 });

  await assertRejects(async () => await sink.check?.(), Error, "must retain by limits and discard new messages");
  await cluster?.changeStream(stream, { discard: "new" });
  await sink.check?.();
  await sink.close();
});

Deno.test("createJetStreamSink() says why it can't be used", async () => {
  await assertRejects(
    () => createJetStreamSink({ servers: ["127.0.0.1:1"] }),
    Error,
    "NATS can't be reached at 127.0.0.1:1",
  );
  await assertRejects(
    () => createJetStreamSink({ servers: servers(), stream: "WIDE", subjectPrefix: "wide", replicas: 3 }),
    Error,
    "JetStream can't be used: the stream WIDE with 3 replicas can't be made: replicas > 1 not supported",
  );
});

Deno.test("ingest on Deno: says in one line why JetStream can't be used", async () => {
  const args = ["--key", "pk_1=any", "--sink", `nats://${servers().join(",")}`];

  const { code, stderr } = await runIngest(args);

  assertEquals(code, 1);
  assertMatch(stderr, /^ingest: the sink can't be used: JetStream can't be used: the stream VENDOR_EVENTS .+\n$/);
});

Deno.test("ingest on Node: publishes to JetStream, with the client installed beside it", async () => {
  const options = { nodeProgram: await bundleOnce() };

  const sink = `nats:${servers().join(",")}`;
  const flags = ["--key", `${KEY}=any`, "--sink", sink, "--nats-replicas", "1", "--nats-stream", "ON_NODE"];
  const ingest = await startIngest(flags, options);
  const send = () => fetch(ingest.endpoint, { method: "POST", headers: headersOf(), body: JSON.stringify(FULL) });
  const answers = [await (await send()).json(), await (await send()).json()];
  const { code, stderr } = await ingest.end();

  assertEquals(answers, [{ accepted: 1, duplicates: 0 }, { accepted: 0, duplicates: 1 }]);
  assertEquals([code, stderr], [0, ""]);
  assertEquals((await cluster?.read("ON_NODE"))?.map(({ json }) => json.id), ["e-1"]);
});

Deno.test("createJetStreamSink() isn't ready while its server is away, and stores again when it is back", async () => {
  const own = await startNatsCluster(1);
  const sink = await createJetStreamSink({ servers: own.servers, replicas: 1 });
  await sink.check?.();
  await own.kill(0);

  await assertRejects(async () => await sink.check?.());
  const storing = sink.store(batchOf([STORED]));
  own.restart(0);
  const result = await storing;
  await sink.check?.();
  await sink.close();
  const messages = await own.read("VENDOR_EVENTS");
  await own.stop();

  assertEquals("accepted" in result && result.accepted + result.duplicates, 1);
  assertEquals(messages.length, 1);
});

Deno.test("createJetStreamSink() rejects in time while its server is away, and closes", async () => {
  const own = await startNatsCluster(1);
  const sink = await createJetStreamSink({ servers: own.servers, replicas: 1, timeoutMs: 500 });
  await own.stop();
  const startMs = Date.now();

  await assertRejects(async () => await sink.store(batchOf([STORED])), Error, "an event wasn't acknowledged in time");
  await sink.close();

  assert(Date.now() - startMs < 3_000);
});
