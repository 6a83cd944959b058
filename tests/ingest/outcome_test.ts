import { assertEquals, assertFalse } from "@std/assert";
import { createIngest, createMemorySink, type IngestOutcome } from "../../src/ingest/mod.ts";
import { createFailingSink, EVENT, FULL, KEY, NOW_MS, ORIGIN, post, RECEIVED_AT, URL_OF_INGEST } from "./fixtures.ts";

const KEYS = [{ apiKey: KEY, origins: [ORIGIN] }];

Deno.test("onOutcome hears of each accepted event and of the count of duplicates", async () => {
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: createMemorySink(),
    now: () => NOW_MS,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const second = { ...EVENT, id: "e-2" };
  const stored = { collection: "full", receivedAt: RECEIVED_AT, batchId: "b-1" } as const;

  await ingest(post(FULL));
  await ingest(post({ ...FULL, events: [EVENT, second, second] }));

  assertEquals(outcomes, [
    { kind: "accepted", event: { ...EVENT, ...stored } },
    { kind: "accepted", event: { ...second, ...stored } },
    { kind: "duplicates", count: 2 },
  ]);
});

Deno.test("onOutcome hears of each refusal what the sender is told", async () => {
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: createFailingSink(new Error("disk full")),
    onOutcome: (outcome) => outcomes.push(outcome),
  });

  await ingest(new Request(URL_OF_INGEST));
  await ingest(post({ ...FULL, events: [{ ...EVENT, name: "" }] }));
  await ingest(post(FULL));

  assertEquals(outcomes, [
    { kind: "refused", status: 405, code: "method_not_allowed", message: "events are sent with POST" },
    { kind: "refused", status: 400, code: "malformed", message: "events[0].name must be 1-100 characters" },
    {
      kind: "refused",
      status: 503,
      code: "unavailable",
      message: "the events couldn't be stored, try again later",
    },
  ]);
});

Deno.test("onOutcome hears nothing of a preflight and of an empty batch", async () => {
  const outcomes: IngestOutcome[] = [];
  const ingest = createIngest({
    keys: KEYS,
    sink: createMemorySink(),
    onOutcome: (outcome) => outcomes.push(outcome),
  });

  await ingest(new Request(URL_OF_INGEST, { method: "OPTIONS" }));
  await ingest(post({ ...FULL, events: [] }));

  assertEquals(outcomes, []);
});

Deno.test("a refusal repeats nothing of the key, the origin or the body", async () => {
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
    await ingest(post(FULL, { "Origin": `https://${secret}.example` })),
    await ingest(post(FULL, { "Content-Type": secret })),
    await ingest(post(`{"batchId": ${secret}}`)),
    await ingest(post({ ...FULL, type: secret })),
    await ingest(post({ ...aggregate, [secret]: { [secret]: { userId: secret } } })),
    await ingest(post({ ...aggregate, events: [{ context: { [secret]: [{ traits: secret }] } }] })),
  ];
  const bodies = await Promise.all(answers.map((answer) => answer.text()));

  assertEquals(answers.map(({ status }) => status), [401, 403, 415, 400, 400, 400, 400]);
  assertFalse(JSON.stringify([bodies, outcomes]).includes(secret));
});
