import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  loadNats,
  type StreamConfig,
  type StreamInfo,
  type StreamManager,
} from "../../../../src/ingest/stores/jetstream/jetstream_modules.ts";
import { ensureStream } from "../../../../src/ingest/stores/jetstream/jetstream_stream.ts";
import { hashKey } from "../../../../src/ingest/platform/digest.ts";

const NEEDS = { name: "EVENTS", subject: "vendor.events.*", replicas: 3, duplicateWindowMs: 1000 } as const;

const CONFIG: StreamConfig = {
  name: "EVENTS",
  subjects: ["vendor.events.*"],
  storage: "file",
  retention: "limits",
  discard: "new",
  num_replicas: 3,
  duplicate_window: 1_000_000_000,
  max_age: 0,
  max_msgs_per_subject: -1,
};

/** A cluster that has the stream, or none. */
function createManager(config: StreamConfig | undefined): { manager: StreamManager; added: StreamConfig[] } {
  const added: StreamConfig[] = [];
  const missing = Object.assign(new Error("stream not found"), { code: 10_059 });
  const manager: StreamManager = {
    streams: {
      info: () => config === undefined ? Promise.reject(missing) : Promise.resolve({ config }),
      add: (wanted) => Promise.resolve({ config: (added.push(wanted), wanted) }),
    },
  };
  return { manager, added };
}

Deno.test("ensureStream() makes a missing stream that refuses what is new when it is full", async () => {
  const { manager, added } = createManager(undefined);

  const config = await ensureStream(manager, NEEDS);

  assertEquals([added, config], [[CONFIG], CONFIG]);
});

Deno.test("ensureStream() leaves a stream that does as it is", async () => {
  const { manager, added } = createManager({ ...CONFIG, num_replicas: 5, subjects: ["vendor.events.*", "other"] });

  await ensureStream(manager, NEEDS);

  assertEquals(added, []);
});

Deno.test("ensureStream() takes a stream whose wildcards take in its subjects, and no other", async () => {
  const isTaken = async (kept: string): Promise<boolean> => {
    const { manager } = createManager({ ...CONFIG, subjects: [kept] });
    return await ensureStream(manager, NEEDS).then(() => true, () => false);
  };

  for (const kept of [">", "vendor.>", "vendor.events.>", "*.*.*", "vendor.*.>"]) assert(await isTaken(kept), kept);
  for (
    const kept of ["*", "vendor", "vendor.*", "other.>", "vendor.events.*.>", "vendor.events.*.*", "vendor.events.a"]
  ) assertEquals(await isTaken(kept), false, kept);
});

Deno.test("ensureStream() refuses a stream that could lose an event or take one twice", async () => {
  const refusal = async (change: Partial<StreamConfig>): Promise<string> => {
    const { manager } = createManager({ ...CONFIG, ...change });
    return (await assertRejects(() => ensureStream(manager, NEEDS), Error)).message;
  };

  assertMatch(await refusal({ subjects: ["other"] }), /doesn't keep the subjects/);
  assertMatch(await refusal({ storage: "memory" }), /isn't stored in files/);
  assertMatch(await refusal({ retention: "workqueue" }), /must retain by limits/);
  assertMatch(await refusal({ discard: "old" }), /discard new messages/);
  assertMatch(await refusal({ num_replicas: 1 }), /has 1 replicas instead of 3/);
  assertMatch(await refusal({ duplicate_window: 120_000_000 }), /knows message ids for 120 ms instead of 1000 ms/);
  assertMatch(await refusal({ max_msgs_per_subject: 1000 }), /keeps no more than 1000 messages of a key/);
  assertMatch(await refusal({ sealed: true }), /is sealed/);
  assertMatch(await refusal({ no_ack: true }), /acknowledges nothing/);
  assertMatch(await refusal({ persist_mode: "async" }), /acknowledges events before they are written/);
  const transform = { src: "vendor.events.*", dest: "kept.{{wildcard(1)}}" };
  assertMatch(await refusal({ subject_transform: transform }), /stores events under other subjects/);
  assertMatch(await refusal({ deny_purge: true }), /keeps loaded events for ever/);
  assertMatch(await refusal({ deny_delete: true }), /keeps the events of whoever is erased/);
  assertMatch(await refusal({ mirror: { name: "OTHER" }, subjects: [] }), /is a mirror/);
  assertMatch(await refusal({ max_age: 1_000_000 }), /forgets messages after 1 ms/);
});

Deno.test("ensureStream() waits for a cluster that elects its leaders, and says so where it doesn't end", async () => {
  const timeout = Object.assign(new Error("timeout"), { name: "TimeoutError" });
  const missing = Object.assign(new Error("stream not found"), { code: 10_059 });
  const answers = [
    () => Promise.reject(timeout),
    () => Promise.reject(missing),
    () => Promise.resolve({ config: CONFIG, cluster: {} }),
    () => Promise.resolve({ config: CONFIG, cluster: { leader: "node-1" } }),
  ];
  const info = (): Promise<StreamInfo> => (answers.length > 1 ? answers.shift() : answers[0])?.() ?? info();
  const electing: StreamManager = { streams: { info, add: () => Promise.reject(timeout) } };
  const silent: StreamManager = { streams: { info: () => Promise.reject(timeout), add: electing.streams.add } };

  const config = await ensureStream(electing, NEEDS);
  const { message } = await assertRejects(() => ensureStream(silent, NEEDS, 0), Error);

  assertEquals([config, answers.length, message], [CONFIG, 1, "timeout"]);
});

Deno.test("ensureStream() says why a stream can't be made", async () => {
  const { manager } = createManager(undefined);
  const add = () => Promise.reject(new Error("insufficient resources"));

  await assertRejects(
    () => ensureStream({ streams: { ...manager.streams, add } }, NEEDS),
    Error,
    "the stream EVENTS with 3 replicas can't be made: insufficient resources",
  );
});

Deno.test("hashKey() stands for a key without showing it", async () => {
  assertEquals(await hashKey("pk_test_1"), await hashKey("pk_test_1"));
  assertMatch(await hashKey("pk_test_1"), /^[0-9a-f]{32}$/);
  assert(await hashKey("pk_test_1") !== await hashKey("pk_test_2"));
});

Deno.test("loadNats() says what to install where the client is missing", async () => {
  const missing = new Error("Cannot find module");

  const error = await assertRejects(
    () => loadNats(() => Promise.reject(missing)),
    Error,
    "JetStream needs the packages @nats-io/transport-node and @nats-io/jetstream",
  );

  assertEquals(error.cause, missing);
});
