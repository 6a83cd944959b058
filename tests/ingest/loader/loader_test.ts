import { assertEquals, assertMatch } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { LoadingOptions } from "../../../src/ingest/loader/loading.ts";
import { startLoader } from "../../../src/ingest/loader/run_loader.ts";
import { createPurger } from "../../../src/ingest/loader/purger.ts";
import { readMessage } from "../../../src/ingest/stores/jetstream/read_message.ts";
import type { SourceMessage, StreamSource } from "../../../src/ingest/stores/jetstream/stream_source.ts";
import type { BlockResult, KeyedEvent, LoadTarget } from "../../../src/ingest/ports/load_target.ts";
import { STORED, STORED_PAGEVIEW } from "../stores/sink_contract.ts";

const HASH = "0123456789abcdef0123456789abcdef";

const SUBJECT = `vendor.events.${HASH}`;

const encode = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

/** A stream that delivers its messages once, and notes what becomes of each. */
function createFakeSource(payloads: readonly unknown[]) {
  const answers: string[] = [];
  const letters: (readonly [number, string])[] = [];
  const messages = payloads.map((payload, index): SourceMessage => {
    const answer = (word: string) => () => void answers.push(`${word} ${index}`);
    const [ack, nak, term, working] = ["ack", "nak", "term", "working"].map(answer);
    if (!ack || !nak || !term || !working) throw new Error("there are four answers");
    return { subject: SUBJECT, data: encode(payload), seq: index, ack, nak, term, working };
  });
  const source: StreamSource = {
    async fetch(maxMessages) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return messages.splice(0, maxMessages);
    },
    addDeadLetter: (message, reason) => Promise.resolve(void letters.push([message.seq, reason])),
    countWaiting: () => Promise.resolve(messages.length),
    findAcknowledged: () => Promise.resolve(0),
    purge: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
  return { source, answers, letters };
}

/** A block that was stored as it is. */
const STORED_ALL: BlockResult = { unfit: [], erased: 0 };

/** A store that keeps blocks. */
function createFakeTarget(store?: LoadTarget["store"]) {
  const blocks: (readonly KeyedEvent[])[] = [];
  const target: LoadTarget = {
    store: (block) => store?.(block) ?? Promise.resolve((blocks.push(block), STORED_ALL)),
    close: () => Promise.resolve(),
  };
  return { target, blocks };
}

/** Loads until the condition holds, and closes. */
async function loadUntil(source: StreamSource, options: LoadingOptions, holds: () => boolean) {
  const loader = startLoader(source, { purgeAfterMs: Infinity, ...options });
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  await loader.close();
  return loader.counts();
}

Deno.test("startLoader() acknowledges messages once their block is in, and no sooner", async () => {
  const { source, answers } = createFakeSource([STORED, STORED_PAGEVIEW, STORED]);
  const stored = Promise.withResolvers<BlockResult>();
  const storing = Promise.withResolvers<void>();
  const { target } = createFakeTarget(() => {
    storing.resolve();
    return stored.promise;
  });
  const loader = startLoader(source, { target, maxBlockEvents: 3, purgeAfterMs: Infinity });

  await storing.promise;
  await new Promise((resolve) => setTimeout(resolve, 30));
  const before = [...answers];
  stored.resolve(STORED_ALL);
  await loader.close();

  assertEquals(before, []);
  assertEquals(answers, ["ack 0", "ack 1", "ack 2"]);
  assertEquals(loader.counts(), { loaded: 3, blocks: 1, erased: 0, deadLetters: 0, purged: 0, failures: 0 });
});

Deno.test("startLoader() stores blocks of the size that was asked for", async () => {
  const { source, answers } = createFakeSource(Array.from({ length: 5 }, () => STORED));
  const { target, blocks } = createFakeTarget();

  await loadUntil(source, { target, maxBlockEvents: 2 }, () => answers.length === 5);

  assertEquals(blocks.map(({ length }) => length), [2, 2, 1]);
});

Deno.test("startLoader() tries a block again until it is in", async () => {
  const { source, answers } = createFakeSource([STORED]);
  const errors: unknown[] = [];
  let attempts = 0;
  const { target } = createFakeTarget(() => {
    attempts += 1;
    return attempts < 3 ? Promise.reject(new Error("away")) : Promise.resolve(STORED_ALL);
  });

  const counts = await loadUntil(
    source,
    { target, maxBlockEvents: 1, onError: (error) => errors.push(error) },
    () => answers.length > 0,
  );

  assertEquals(answers, ["ack 0"]);
  assertEquals([counts.loaded, counts.failures, errors.length], [1, 2, 2]);
});

Deno.test("startLoader() gives back what isn't in when it closes", async () => {
  const { source, answers } = createFakeSource([STORED, STORED]);
  const { target } = createFakeTarget(() => Promise.reject(new Error("away")));
  let failures = 0;

  await loadUntil(source, { target, maxBlockEvents: 1, onError: () => failures += 1 }, () => failures > 0);

  assertEquals(answers.toSorted(), ["nak 0", "nak 1"]);
});

Deno.test("startLoader() buries what is no event, and what the store never takes", async () => {
  const { source, answers, letters } = createFakeSource([STORED, { id: 1 }, STORED_PAGEVIEW]);
  const { target } = createFakeTarget(() => Promise.resolve({ unfit: [{ index: 1, reason: "too old" }], erased: 0 }));

  const counts = await loadUntil(source, { target, maxBlockEvents: 3 }, () => answers.length === 3);

  assertEquals(answers, ["term 1", "ack 0", "term 2"]);
  assertEquals(letters, [[1, "it's no event: id must be a string"], [2, "too old"]]);
  assertEquals([counts.loaded, counts.deadLetters], [1, 2]);
});

Deno.test("startLoader() acknowledges what an erasure names, and counts it", async () => {
  const { source, answers, letters } = createFakeSource([STORED, STORED_PAGEVIEW]);
  const { target } = createFakeTarget(() => Promise.resolve({ unfit: [], erased: 1 }));

  const counts = await loadUntil(source, { target, maxBlockEvents: 2 }, () => answers.length === 2);

  assertEquals([answers, letters], [["ack 0", "ack 1"], []]);
  assertEquals([counts.loaded, counts.erased], [1, 1]);
});

Deno.test("startLoader() lets a message come again that the dead letters couldn't take", async () => {
  const { source, answers } = createFakeSource([{}]);
  const { target } = createFakeTarget();
  const failing = { ...source, addDeadLetter: () => Promise.reject(new Error("no stream")) };

  const counts = await loadUntil(failing, { target, maxBlockEvents: 1 }, () => answers.length > 0);

  assertEquals([answers, counts.deadLetters, counts.failures], [["nak 0"], 0, 1]);
});

Deno.test("readMessage() takes what the sink publishes, fields of newer versions included", () => {
  const event = { ...STORED, flag: "own" as const, newer: true };

  assertEquals(readMessage(SUBJECT, encode(event)), { keyHash: HASH, event });
  assertEquals(readMessage(SUBJECT, encode(STORED_PAGEVIEW)), { keyHash: HASH, event: STORED_PAGEVIEW });
  const { sessionId: _, context: __, ...ofBackend } = { ...STORED, identity: { userId: "ada" } };
  assertEquals(readMessage(SUBJECT, encode(ofBackend)), { keyHash: HASH, event: ofBackend });
});

Deno.test("readMessage() says why a message is no event", () => {
  const reasonOf = (payload: unknown, subject = SUBJECT): string => {
    const read = readMessage(subject, payload instanceof Uint8Array ? payload : encode(payload));
    return "reason" in read ? read.reason : "none";
  };
  const { id: _, ...nameless } = STORED;

  assertEquals(reasonOf(STORED, "vendor.events.all"), "the subject doesn't end with the hash of a key");
  assertMatch(reasonOf(new Uint8Array([0xff])), /^it isn't JSON: /);
  assertMatch(reasonOf(nameless), /^it's no event: id /);
  assertEquals(reasonOf([]), "it's no event: it must be an object");
  const foreign = { ...STORED, timestamp: "2026-03-01T10:00:00+00:00" };
  assertEquals(reasonOf(foreign), "it's no event: timestamp must be an ISO 8601 UTC time with Z");
  assertEquals(
    reasonOf({ ...STORED, context: { ...STORED.context, pageUrl: 1 } }),
    "it's no event: context.pageUrl must be a string",
  );
});

Deno.test("createPurger() removes what was acknowledged for long enough, and what a new consumer lacks stays", async () => {
  using time = new FakeTime();
  const purged: number[] = [];
  let acknowledged = 100;
  const purger = createPurger({
    findAcknowledged: () => Promise.resolve(acknowledged),
    purge: (upTo) => Promise.resolve((purged.push(upTo), upTo)),
  }, { purgeAfterMs: 10_000, now: Date.now, onPurged: () => {}, onError: () => {} });

  await time.tickAsync(10_000);
  const early = [...purged];
  acknowledged = 200;
  await time.tickAsync(1_000);
  acknowledged = 150;
  await time.tickAsync(20_000);
  await purger.close();

  assertEquals(early, []);
  assertEquals(purged, [100, 150]);
});
