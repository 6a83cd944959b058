import { assertEquals } from "@std/assert";
import {
  createIngest,
  createMemorySink,
  type IngestOutcome,
  type ReceivedBatch,
  type SinkRefusal,
  type StoredEvent,
} from "../../src/ingest/mod.ts";
import { assertReadable } from "./answers.ts";
import { createFailingSink, EVENT, FULL, KEY, NOW_MS, ORIGIN, post, RECEIVED_AT, URL_OF_INGEST } from "./fixtures.ts";

const KEYS = [{ apiKey: KEY, origins: [ORIGIN] }] as const;

const NO_PAGEVIEWS = { pageviews: 0, overAllowance: 0 };

Deno.test("onEvents hears of the events stored now, onOutcome of their counts", async () => {
  const events: [readonly StoredEvent[], string][] = [];
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: [{ ...KEYS[0], name: "shop" }],
    sink: createMemorySink(),
    now: () => NOW_MS,
    onEvents: (stored, keyName) => events.push([stored, keyName]),
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const second = { ...EVENT, id: "e-2" };
  const stored = { collection: "full", receivedAt: RECEIVED_AT, batchId: "b-1" } as const;

  await ingest(post(FULL));
  await ingest(post({ ...FULL, events: [EVENT, second, second] }));
  await ingest(post(FULL));

  assertEquals(events, [[[{ ...EVENT, ...stored, place: 0 }], "shop"], [[{ ...second, ...stored, place: 1 }], "shop"]]);
  assertEquals(outcomes, [
    { kind: "stored", keyName: "shop", accepted: 1, duplicates: 0, ...NO_PAGEVIEWS },
    { kind: "stored", keyName: "shop", accepted: 1, duplicates: 2, ...NO_PAGEVIEWS },
    { kind: "stored", keyName: "shop", accepted: 0, duplicates: 1, ...NO_PAGEVIEWS },
  ]);
});

Deno.test("onOutcome hears of events that an erasure names, and their sender of none", async () => {
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: { store: () => Promise.resolve({ accepted: 0, duplicates: 0, erased: 1 }), close: () => Promise.resolve() },
    onOutcome: (outcome) => outcomes.push(outcome),
  });

  const answer = await ingest(post(FULL));

  assertEquals([answer.status, await answer.json()], [202, { accepted: 0, duplicates: 0 }]);
  assertEquals(outcomes, [
    { kind: "stored", keyName: "key-1", accepted: 0, duplicates: 0, erased: 1, ...NO_PAGEVIEWS },
  ]);
});

Deno.test("onOutcome hears of each refusal what the sender is told", async () => {
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: createFailingSink(new Error("disk full")),
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const keyName = "key-1";

  await ingest(new Request(URL_OF_INGEST));
  await ingest(post({ ...FULL, events: [{ ...EVENT, name: "" }] }));
  await ingest(post(FULL));

  assertEquals(outcomes, [
    { kind: "refused", status: 405, code: "method_not_allowed", message: "events are sent with POST" },
    { kind: "refused", keyName, status: 400, code: "malformed", message: "events[0].name must be 1-100 characters" },
    {
      kind: "refused",
      keyName,
      status: 503,
      code: "unavailable",
      message: "the events couldn't be stored, try again later",
    },
  ]);
});

Deno.test("onOutcome hears of an empty batch, and nothing of a preflight", async () => {
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: createMemorySink(),
    onOutcome: (outcome) => outcomes.push(outcome),
  });

  await ingest(new Request(URL_OF_INGEST, { method: "OPTIONS" }));
  await ingest(post({ ...FULL, events: [] }));

  assertEquals(outcomes, [{ kind: "stored", keyName: "key-1", accepted: 0, duplicates: 0, ...NO_PAGEVIEWS }]);
});

Deno.test("the refusal of a sink reaches its sender in its own words, and nobody else", async () => {
  const outcomes: IngestOutcome[] = [];
  const refusal = { status: 429, code: "slow_down", message: "pk_test_1 is over quota", retryAfterS: 70 } as const;
  const ingest = createIngest({
    keys: KEYS,
    sink: { store: () => Promise.resolve(refusal), close: () => Promise.resolve() },
    onOutcome: (outcome) => outcomes.push(outcome),
  });

  const answer = await ingest(post(FULL));

  assertReadable(answer);
  assertEquals([answer.status, answer.headers.get("Retry-After")], [429, "70"]);
  assertEquals(await answer.json(), { error: { code: "slow_down", message: "pk_test_1 is over quota" } });
  const message = "the sink refused the events";
  assertEquals(outcomes, [{ kind: "refused", keyName: "key-1", status: 429, code: "refused_by_sink", message }]);
});

/** Answers of an ingest whose sink refuses like this: status and Retry-After. */
async function refuseWith(refusal: object, errors: unknown[] = []): Promise<[number, string | null]> {
  const refused = { code: "refused", message: "not now", ...refusal } as SinkRefusal;
  const ingest = createIngest({
    keys: KEYS,
    sink: { store: () => Promise.resolve(refused), close: () => Promise.resolve() },
    onError: (error) => errors.push(error),
  });
  const answer = await ingest(post(FULL));
  assertReadable(answer);
  return [answer.status, answer.headers.get("Retry-After")];
}

Deno.test("the refusal of a sink has Retry-After with 429 and 503 alone, in whole seconds", async () => {
  assertEquals(await refuseWith({ status: 429 }), [429, "5"]);
  assertEquals(await refuseWith({ status: 503 }), [503, "5"]);
  assertEquals(await refuseWith({ status: 429, retryAfterS: 0.2 }), [429, "1"]);
  assertEquals(await refuseWith({ status: 429, retryAfterS: -1 }), [429, "1"]);
  assertEquals(await refuseWith({ status: 503, retryAfterS: NaN }), [503, "5"]);
  assertEquals(await refuseWith({ status: 503, retryAfterS: Infinity }), [503, "3600"]);
  assertEquals(await refuseWith({ status: 400, retryAfterS: 7 }), [400, null]);
});

Deno.test("a sink that refuses with another status has failed: 503, and onError hears of it", async () => {
  const errors: unknown[] = [];

  assertEquals(await refuseWith({ status: 500 }, errors), [503, "5"]);
  assertEquals(await refuseWith({ status: 200 }, errors), [503, "5"]);
  assertEquals(errors.map(String), [
    "TypeError: the sink refused with 500, which is no status of a refusal",
    "TypeError: the sink refused with 200, which is no status of a refusal",
  ]);
});

Deno.test("a sink gets a batch without events too, and its counts are the answer", async () => {
  const batches: ReceivedBatch[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: {
      store: (batch) => {
        batches.push(batch);
        return Promise.resolve({ accepted: 7, duplicates: 3 });
      },
      close: () => Promise.resolve(),
    },
  });

  const answer = await ingest(post({ ...FULL, events: [] }));

  assertEquals(await answer.json(), { accepted: 7, duplicates: 3 });
  assertEquals(batches, [{ apiKey: KEY, events: [] }]);
});

Deno.test("a refusal repeats nothing of the key and the body", async () => {
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: createMemorySink(),
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const secret = "SECRET";
  const aggregate = { type: "event", collection: "aggregate", batchId: secret, events: [], sentAt: secret };

  const answers = [
    await ingest(post(FULL, { "X-API-Key": secret })),
    await ingest(post(FULL, { "Content-Type": secret })),
    await ingest(post(`{"batchId": ${secret}}`)),
    await ingest(post({ ...FULL, type: secret })),
    await ingest(post({ ...aggregate, [secret]: { [secret]: { userId: secret } } })),
    await ingest(post({ ...aggregate, events: [{ context: { [secret]: [{ traits: secret }] } }] })),
  ];
  const bodies = await Promise.all(answers.map((answer) => answer.text()));

  assertEquals(answers.map(({ status }) => status), [401, 415, 400, 400, 400, 400]);
  assertEquals(JSON.stringify([bodies, outcomes]).includes(secret), false);
});
