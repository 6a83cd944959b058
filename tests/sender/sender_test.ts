import { assert, assertEquals, assertMatch } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import process from "node:process";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import type { SenderOptions } from "../../src/sender/mod.ts";
import { namesOf, pass, SECRET, setUp, step, steps, within } from "./script.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

Deno.test("createSender() sends the envelope and the headers of the contract, and the secret in place of an Origin", async () => {
  using time = new FakeTime(Date.parse("2026-03-01T10:00:00.000Z"));
  const { sender, sent } = setUp();
  const properties = { total: 12.5, big: 10n };

  sender.step({ userId: "u-1", anonymousId: "a-1", sessionId: "s-1", name: "purchase", properties });
  properties.total = 0;
  sender.step({ userId: null, name: "nightly", timestamp: new Date("2026-02-28T23:00:00Z") });
  sender.step({ userId: null, name: "order paid", pageUrl: "https://shop.example/cart" });
  const flushing = sender.flush();
  await pass(time, 0);
  const outcome = await flushing;

  const [{ headers, body } = { headers: {}, body: undefined }] = sent;
  const ids = body?.events.map(({ id }) => id) ?? [];
  assertEquals(outcome, "stored");
  assertEquals(headers, {
    "authorization": `Bearer ${SECRET}`,
    "content-type": "application/json",
    "x-api-key": "pk_test_1",
    "x-vendor-sdk-version": "0.1.0",
  });
  for (const id of [...ids, body?.batchId, body?.sessionId]) assertMatch(id ?? "", UUID);
  assertEquals(new Set(ids).size, 3);
  assertEquals(body, {
    type: "event",
    batchId: body?.batchId ?? "",
    sessionId: body?.sessionId ?? "",
    sentAt: "2026-03-01T10:00:00.000Z",
    identity: { userId: "u-1", anonymousId: "a-1" },
    context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0" },
    events: [
      {
        id: ids[0] ?? "",
        name: "purchase",
        properties: { total: 12.5, big: "10" },
        timestamp: "2026-03-01T10:00:00.000Z",
        sessionId: "s-1",
        identity: { userId: "u-1", anonymousId: "a-1" },
      },
      { id: ids[1] ?? "", name: "nightly", timestamp: "2026-02-28T23:00:00.000Z", identity: { userId: null } },
      {
        id: ids[2] ?? "",
        name: "order paid",
        timestamp: "2026-03-01T10:00:00.000Z",
        identity: { userId: null },
        context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: "https://shop.example/cart" },
      },
    ],
  });
});

Deno.test("a sender sends by any function like fetch", async () => {
  const got: unknown[] = [];
  // As node-fetch has it, whose classes aren't those of the runtime.
  const fetch = (url: string, init: object) => {
    got.push([typeof url, Object.keys(init).sort()]);
    return Promise.resolve({ status: 202, headers: new Map(), text: () => Promise.resolve("{}") });
  };
  const { sender, problems } = setUp([], { fetch: fetch as unknown as NonNullable<SenderOptions["fetch"]> });

  sender.step(step("purchase"));

  assertEquals(await sender.close(), "stored");
  assertEquals([got, problems], [[["string", ["body", "headers", "method", "redirect", "signal"]]], []]);
});

for (
  const [what, answer] of [
    ["throws at once", (): never => {
      throw new TypeError("not in this runtime");
    }],
    ["returns nothing", () => undefined],
  ] as const
) {
  Deno.test(`a sender waits, and its process goes on, where a function in place of fetch ${what}`, async () => {
    using time = new FakeTime();
    let calls = 0;
    const fetch = () => calls++ ? Promise.resolve(new Response("{}", { status: 202 })) : answer();
    const { sender, problems } = setUp([], { fetch: fetch as NonNullable<SenderOptions["fetch"]> });

    sender.step(step("purchase"));
    void sender.flush();
    await pass(time, 0);
    const kinds = problems.map(({ kind }) => kind);
    await pass(time, 1000);

    assertEquals([await sender.close(), kinds, calls], ["stored", ["waiting"], 2]);
  });
}

Deno.test("what a sender sends is stored as it is, of the key's site: without a page, and without a session that wasn't given", async () => {
  const sink = createMemorySink();
  const keys = [{ apiKey: "pk_test_1", origins: ["https://shop.example"], sendingSecrets: { billing: SECRET } }];
  const { sender, problems } = setUp([], { fetch: within(createIngest({ keys, sink })) });

  sender.step(step("purchase"));
  const outcome = await sender.close();

  const [stored] = await sink.events();
  assertEquals([outcome, problems], ["stored", []]);
  assertEquals(stored, {
    id: stored?.id ?? "",
    place: 0,
    name: "purchase",
    collection: "full",
    identity: { userId: "u-1" },
    timestamp: stored?.timestamp ?? "",
    receivedAt: stored?.receivedAt ?? "",
    batchId: stored?.batchId ?? "",
    site: "https://shop.example",
  });
});

Deno.test("createSender() sends when a batch is full, at the interval, and at flush()", async () => {
  using time = new FakeTime();
  const { sender, sent } = setUp(undefined, { maxBatchSize: 3, flushInterval: 2000 });

  steps(4).forEach(sender.step);
  await pass(time, 0);
  const full = sent.length;
  sender.step(step("late"));
  await pass(time, 1999);
  const before = sent.length;
  await pass(time, 1);
  sender.step(step("last"));
  await sender.flush();

  assertEquals([full, before], [2, 2]);
  assertEquals(namesOf(sent), [["step 0", "step 1", "step 2"], ["step 3"], ["late"], ["last"]]);
});

Deno.test("a batch holds at most 100 steps, and half a mebibyte", async () => {
  const { sender, sent } = setUp(undefined, { maxBatchSize: 1000 });
  const properties = { text: "é".repeat(16_000) };

  steps(120).forEach(sender.step);
  await sender.flush();
  for (let index = 0; index < 20; index++) sender.step(step("large", { properties }));
  await sender.flush();

  const counts = sent.map(({ body }) => body.events.length);
  assertEquals(counts.slice(0, 2), [100, 20]);
  assertEquals(counts.slice(2).reduce((sum, count) => sum + count, 0), 20);
  assertEquals(Math.max(...counts.slice(2)), 16);
});

Deno.test("a batch that isn't taken is sent again with the same ids, a new sentAt, and after Retry-After", async () => {
  using time = new FakeTime();
  const busy = new Response("", { status: 503, headers: { "Retry-After": "20" } });
  const { sender, sent, problems } = setUp([busy, new Response("{}", { status: 202 })]);

  sender.step(step("purchase", { dedupeId: "order-17" }));
  sender.step(step("mail"));
  const flushing = sender.flush();
  await pass(time, 19_999);
  const early = sent.length;
  await pass(time, 1);
  const outcome = await flushing;

  const [first, second] = sent.map(({ body }) => body);
  assertEquals([early, sent.length, outcome], [1, 2, "stored"]);
  assertEquals(second, { ...first, sentAt: second?.sentAt ?? "" } as typeof second);
  assertEquals(Date.parse(second?.sentAt ?? "") - Date.parse(first?.sentAt ?? ""), 20_000);
  assertEquals(problems, [{ kind: "waiting", delayMs: 20_000, message: "503" }]);
});

Deno.test("the wait doubles with each failure, and steps of meanwhile leave first, in a batch of their own", async () => {
  using time = new FakeTime();
  const error = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  const { sender, sent, problems } = setUp([error, error, error, new Response("{}", { status: 202 })]);

  sender.step(step("early"));
  void sender.flush();
  await pass(time, 0);
  sender.step(step("late"));
  await pass(time, 20_000);
  await sender.close();

  assertEquals(namesOf(sent), [["early"], ["late"], ["early"], ["late"], ["early"]]);
  const delays = problems.map((problem) => problem.kind === "waiting" ? problem.delayMs : 0);
  assertEquals(delays.map((delayMs, index) => delayMs >= 500 * 2 ** index && delayMs <= 1000 * 2 ** index), [
    true,
    true,
    true,
  ]);
  assertEquals(problems[0]?.message, "Error: connect ECONNREFUSED");
});

Deno.test("a redirect isn't followed, and 30 seconds without an answer are a failure", async () => {
  using time = new FakeTime();
  const redirect = new Response(null, { status: 308, headers: { Location: "https://evil.example/" } });
  const { sender, sent, problems } = setUp([redirect, "never", new Response("{}", { status: 202 })]);

  sender.step(step("purchase"));
  const flushing = sender.flush();
  await pass(time, 40_000);

  assertEquals([await flushing, await sender.close()], ["unavailable", "stored"]);
  assertEquals(sent.length, 3);
  assertEquals(problems.map(({ message }) => message), ["the endpoint redirects", "Error: no answer in 30 s"]);
});

Deno.test("flush() resolves after 30 seconds where the ingest is down, and the steps wait on", async () => {
  using time = new FakeTime();
  const { sender, sent } = setUp([new Response("", { status: 500 }), new Response("", { status: 500 })]);

  sender.step(step("purchase"));
  const flushing = sender.flush();
  await pass(time, 30_000);
  const outcome = await flushing;
  const before = sent.length;
  await pass(time, 60_000);
  const after = sent.length;
  const closing = sender.close();
  await pass(time, 30_000);
  await closing;

  assertEquals([outcome, after > before], ["unavailable", true]);
});

Deno.test("close() drops what isn't stored after 30 seconds, aborts its request, and takes no more", async () => {
  using time = new FakeTime();
  const { sender, sent, problems } = setUp(["never"], { maxBatchSize: 1 });

  steps(3).forEach(sender.step);
  await pass(time, 10_000);
  const closing = sender.close();
  sender.step(step("late"));
  await pass(time, 30_000);
  const outcome = await closing;
  await pass(time, 600_000);

  assertEquals([outcome, await sender.close(), await sender.flush()], ["unavailable", "unavailable", "unavailable"]);
  assertEquals(sent.map(({ signal }) => signal.aborted), sent.map(() => true));
  assertEquals(problems.filter(({ kind }) => kind === "dropped"), [
    { kind: "dropped", reason: "closed", count: 1, message: "the sender is closed" },
    { kind: "dropped", reason: "closed", count: 3, message: "they weren't stored when the sender was closed" },
  ]);
});

Deno.test("with waitUntil the steps of a task leave at its end, and the promise is that of their delivery", async () => {
  const promises: Promise<unknown>[] = [];
  const { sender, sent } = setUp(undefined, { waitUntil: (promise) => void promises.push(promise) });

  steps(2).forEach(sender.step);
  const inTask = sent.length;
  const first = await Promise.all(promises);
  sender.step(step("later"));
  await Promise.all(promises);

  assertEquals([inTask, promises.length, first], [0, 2, ["stored"]]);
  assertEquals(namesOf(sent), [["step 0", "step 1"], ["later"]]);
});

Deno.test("flush() says that a step may come again after close(), which took no more", async () => {
  const { sender, problems } = setUp();
  sender.step(step("before"));

  const closing = sender.close();
  sender.step(step("after"));
  const flushed = await sender.flush();

  assertEquals([await closing, flushed, await sender.flush()], ["stored", "unavailable", "unavailable"]);
  assertEquals(problems.map((problem) => problem.kind === "dropped" && problem.reason), ["closed"]);
});

Deno.test("a transport that never answers, and takes no notice of the end, is tried again", async () => {
  using time = new FakeTime();
  const { sender, sent, problems } = setUp(["deaf", new Response("{}", { status: 202 })]);
  sender.step(step("x"));
  const flushed = sender.flush();

  await pass(time, 30_000);
  await pass(time, 2_000);

  assertEquals([await flushed, sent.length, problems.map(({ message }) => message)], ["unavailable", 2, [
    "Error: no answer in 30 s",
  ]]);
  await sender.close();
});

Deno.test("a status is the answer, whatever becomes of its headers and its body", async () => {
  using time = new FakeTime();
  const stalled = { status: 202, headers: new Headers(), text: () => new Promise<string>(() => {}) };
  const { sender, sent } = setUp([{ status: 202 }, stalled]);
  sender.step(step("of a wrapper"));
  const first = sender.flush();
  await pass(time, 0);
  sender.step(step("whose body stalls"));
  const second = sender.flush();
  await pass(time, 5_000);

  assertEquals([await first, await second, sent.length], ["stored", "stored", 2]);
  await sender.close();
});

Deno.test("a body that doesn't end is read no further once its time is over", async () => {
  using time = new FakeTime();
  const endless = { status: 200, headers: new Headers(), text: () => new Promise(() => {}) };
  const { sender, sent } = setUp([endless]);

  sender.step(step("purchase"));
  const flushing = sender.flush();
  await pass(time, 4000);
  const before = sent[0]?.signal.aborted;
  await pass(time, 1000);

  assertEquals([before, await flushing, sent[0]?.signal.aborted], [false, "stored", true]);
});

Deno.test("flush() waits for what came before it, in no more memory for each call", async () => {
  using time = new FakeTime();
  const { sender } = setUp([new Response("", { status: 503 })]);
  steps(19_000).forEach(sender.step);
  const startedMs = process.cpuUsage().user;
  const flushing = Array.from({ length: 2000 }, () => sender.flush());
  const tookMs = (process.cpuUsage().user - startedMs) / 1000;
  await pass(time, 30_000);
  const closing = sender.close();
  await pass(time, 30_000);
  await closing;

  assertEquals(new Set(await Promise.all(flushing)), new Set(["unavailable"]));
  // A list of all that waits took 14 ms a call.
  assert(tookMs < 5000, `${tookMs} ms`);
});
