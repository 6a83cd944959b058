import { watchRejections } from "../ingest/watch_rejections.ts";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import process from "node:process";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { createSender, type SenderOptions, type SenderStep } from "../../src/sender/mod.ts";
import { namesOf, pass, SECRET, setUp } from "./script.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const step = (name: string, more: Partial<SenderStep> = {}): SenderStep => ({ userId: "u-1", name, ...more });

const steps = (count: number): readonly SenderStep[] =>
  Array.from({ length: count }, (_, index) => step(`step ${index}`));

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

/** Sends into an ingest of the same process. */
function within(ingest: (request: Request) => Promise<Response>): NonNullable<SenderOptions["fetch"]> {
  return (url, init) => ingest(new Request(url, init));
}

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

Deno.test("413 halves a batch, with new batch ids and the same event ids; a single step is dropped", async () => {
  const large = new Response(JSON.stringify({ error: { code: "body_too_large", message: "body is too large" } }), {
    status: 413,
  });
  const ok = new Response("{}", { status: 202 });
  const { sender, sent, problems } = setUp([large, ok, large, large, ok]);

  steps(4).forEach(sender.step);
  const outcome = await sender.flush();

  const [whole, ...parts] = sent.map(({ body }) => body);
  assertEquals(namesOf(sent), [
    ["step 0", "step 1", "step 2", "step 3"],
    ["step 0", "step 1"],
    ["step 2", "step 3"],
    ["step 2"],
    ["step 3"],
  ]);
  assertEquals(new Set(sent.map(({ body }) => body.batchId)).size, 5);
  const idsOf = (names: readonly string[]) =>
    names.map((name) => parts.flatMap(({ events }) => events).find((event) => event.name === name)?.id);
  assertEquals(idsOf(["step 0", "step 1", "step 2", "step 3"]), whole?.events.map(({ id }) => id) ?? []);
  assertEquals(outcome, "refused");
  assertEquals(problems, [{ kind: "dropped", reason: "too_large", count: 1, message: "413, body_too_large" }]);
});

Deno.test("what the ingest rejects is dropped, and the next batch is sent", async () => {
  const malformed = new Response(JSON.stringify({ error: { code: "malformed", message: "body must be JSON" } }), {
    status: 400,
  });
  const planned = new Response('{"accepted":1,"duplicates":0,"refused":1}', { status: 202 });
  const { sender, problems } = setUp([malformed, planned, new Response("no JSON", { status: 200 })]);
  const flush = (count: number) => {
    steps(count).forEach(sender.step);
    return sender.flush();
  };

  assertEquals([await flush(1), await flush(2), await flush(1)], ["refused", "refused", "stored"]);
  assertEquals(problems, [
    { kind: "dropped", reason: "rejected", count: 1, message: "400, malformed" },
    { kind: "dropped", reason: "rejected", count: 1, message: "the ingest's plan refuses them" },
  ]);
});

for (
  const [status, outcome] of [[400, "refused"], [413, "refused"], [402, "unavailable"], [404, "unavailable"]] as const
) {
  Deno.test(`flush() says "${outcome}" where a step is answered ${status}`, async () => {
    const { sender, problems } = setUp([new Response(null, { status })]);

    sender.step(step("purchase"));

    assertEquals([await sender.flush(), problems.length], [outcome, 1]);
  });
}

Deno.test("flush() says that a step may come again, where others are refused", async () => {
  const answers = [new Response(null, { status: 400 }), new Response(null, { status: 404 })];
  const { sender, problems } = setUp(answers, { maxBatchSize: 1 });

  steps(2).forEach(sender.step);

  assertEquals(await sender.flush(), "unavailable");
  assertEquals(problems.map(({ message }) => message), ["400", "404"]);
});

Deno.test("a key or a secret that is refused stops the sender, and flush() says that it may come again", async () => {
  const keys = [{ apiKey: "pk_test_1", origins: ["https://shop.example"] }];
  const { sender, problems } = setUp([], {
    fetch: within(createIngest({ keys, sink: createMemorySink() })),
    maxBatchSize: 1,
  });

  steps(3).forEach(sender.step);
  const first = await sender.flush();
  sender.step(step("late"));
  const second = await sender.flush();

  assertEquals([first, second, await sender.close()], ["unavailable", "unavailable", "unavailable"]);
  const reason = "stopped";
  const message = "401, unknown_secret";
  assertEquals(problems, [
    { kind: "dropped", reason, count: 3, message },
    { kind: "dropped", reason, count: 1, message: "nothing can be sent any more" },
  ]);
});

Deno.test("a request that can't be built stops the sender, and its problem repeats no header", async () => {
  const { sender, sent, problems } = setUp(undefined, { apiKey: "pk_\u2026" });

  sender.step(step("purchase"));

  assertEquals([await sender.flush(), sent.length], ["unavailable", 0]);
  assertEquals(problems.map(({ message }) => message), ["the request can't be built of the key and the endpoint"]);
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

Deno.test("step() takes nothing that the ingest would refuse, throws nothing, and says what is wrong", async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const { sender, sent, problems } = setUp();
  const wrong: readonly unknown[] = [
    step(""),
    step("x".repeat(101)),
    { name: "without a user" },
    step("x", { userId: "" }),
    step("x", { anonymousId: "" }),
    step("x", { sessionId: "s".repeat(129) }),
    step("x", { sessionId: "\ud800" }),
    step("x", { pageUrl: "/teas" }),
    step("x", { pageUrl: "javascript:alert(1)" }),
    step("x", { pageUrl: "https://ada:secret@shop.example/" }),
    step("x", { pageUrl: " https://shop.example/" }),
    step("x", { pageUrl: `https://shop.example/${"x".repeat(8192)}` }),
    step("x", { timestamp: new Date(NaN) }),
    step("x", { timestamp: new Date(8.64e15) }),
    { ...step("x"), timestamp: 1_772_359_200 },
    step("x", { dedupeId: "" }),
    { ...step("x"), properties: [1] },
    step("x", { properties: { text: "é".repeat(20_000) } }),
    undefined,
    {
      get name() {
        throw new Error("no name");
      },
    },
  ];

  for (const each of wrong) sender.step(each as SenderStep);
  sender.step(step("🫖".repeat(100), { properties: cyclic, anonymousId: undefined }));
  await sender.close();

  assertEquals(problems.map(({ message }) => message), [
    "name must be 1-100 characters",
    "name must be 1-100 characters",
    "userId must be 1-1000 characters, or null",
    "userId must be 1-1000 characters, or null",
    "anonymousId must be 1-128 characters",
    "sessionId must be 1-128 characters",
    "sessionId must be 1-128 characters",
    "pageUrl must be an absolute URL with a host, without a password, of 8192 characters at most",
    "pageUrl must be an absolute URL with a host, without a password, of 8192 characters at most",
    "pageUrl must be an absolute URL with a host, without a password, of 8192 characters at most",
    "pageUrl must be an absolute URL with a host, without a password, of 8192 characters at most",
    "pageUrl must be an absolute URL with a host, without a password, of 8192 characters at most",
    "timestamp must be a Date of the years 0 to 9999",
    "timestamp must be a Date of the years 0 to 9999",
    "timestamp must be a Date of the years 0 to 9999",
    "dedupeId must be a non-empty string without lone surrogates",
    "properties must be an object that JSON can hold",
    "properties are over 32 KiB of JSON",
    "the step can't be read",
    "the step can't be read",
  ]);
  assertEquals(sent.map(({ body }) => body.events.map(({ properties }) => properties)), [[{ self: "[Circular]" }]]);
});

Deno.test("20,000 steps wait at most, and the oldest go", async () => {
  using time = new FakeTime();
  const { sender, problems } = setUp(["never"]);

  steps(20_003).forEach(sender.step); // 50 of them are under way
  await pass(time, 0);
  steps(48).forEach(sender.step);
  const closing = sender.close();
  await pass(time, 30_000);
  await closing;

  const dropped = problems.filter((problem) => problem.kind === "dropped");
  assertEquals(dropped.map(({ reason, count }) => [reason, count]), [["queue_full", 1], ["closed", 20_050]]);
});

Deno.test("createSender() refuses what Vendor.init() refuses, and a secret that is missing or no header", () => {
  const create = (options: object) => () => void createSender({ apiKey: "pk_1", secret: SECRET, ...options });

  assertThrows(create({ apiKey: "" }), Error, "createSender(): apiKey: Missing required configuration");
  for (const secret of ["", undefined, "ss_ 1", "ss_\u00e9"]) {
    assertThrows(create({ secret }), Error, "createSender(): secret must be printable ASCII without spaces");
  }
  assertThrows(create({ endpoint: "events" }), Error, "createSender(): endpoint: Invalid endpoint URL");
  assertThrows(
    create({ endpoint: "http://shop.example" }),
    Error,
    "createSender(): endpoint: Endpoint must use https://",
  );
  create({ endpoint: "http://localhost:8080/v1/events" })();
});

Deno.test("without onProblem the console hears of each kind once a minute", async () => {
  using time = new FakeTime();
  const { warn } = console;
  const lines: unknown[] = [];
  console.warn = (line) => void lines.push(line);
  try {
    const fetch = () => Promise.resolve(new Response("", { status: 500, headers: { "Retry-After": "40" } }));
    const sender = createSender({ apiKey: "pk_1", secret: SECRET, fetch });
    sender.step(step(""));
    sender.step(step(""));
    sender.step(step("x"));
    const closing = sender.close();
    await pass(time, 30_000);
    await closing;
  } finally {
    console.warn = warn;
  }

  assertEquals(lines, [
    "[Vendor] 1 dropped: name must be 1-100 characters",
    "[Vendor] waits 40 s: 500",
    "[Vendor] 1 dropped: they weren't stored when the sender was closed",
  ]);
});

Deno.test("400 halves a batch, so that one step costs no other", async () => {
  const fetch = within(createIngest({
    keys: [{ apiKey: "pk_test_1", origins: ["https://shop.example"], sendingSecrets: { shop: SECRET } }],
    sink: createMemorySink(),
  }));
  const { sender, problems } = setUp([], {
    fetch: async (url, init) =>
      init.body.includes("step 2")
        ? new Response('{"error":{"code":"malformed"}}', { status: 400 })
        : await fetch(url, init),
  });

  steps(4).forEach(sender.step);

  assertEquals(await sender.flush(), "refused");
  assertEquals(problems, [{ kind: "dropped", reason: "rejected", count: 1, message: "400, malformed" }]);
});

Deno.test("a problem tells nothing of an answer but its status and its code", async () => {
  const answers = [
    { error: { code: "malformed", message: `bad token Bearer ${SECRET}` } },
    { error: { code: `key ${SECRET}`, message: "user jane@example.com" } },
    `<h1>${SECRET}</h1>`,
  ].map((body) => new Response(typeof body === "string" ? body : JSON.stringify(body), { status: 400 }));
  const { sender, problems } = setUp(answers);

  for (let count = 0; count < 3; count++) {
    sender.step(step("x"));
    await sender.flush();
  }

  assertEquals(problems.map(({ message }) => message), ["400, malformed", "400", "400"]);
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

Deno.test("what the application hands over may throw, reject and call step()", async () => {
  const rejections = watchRejections();
  const rejected = new Response("{}", { status: 400 });
  let told = 0;
  const { sender } = setUp([rejected], {
    onProblem: () => {
      told += 1;
      sender.step(step(""));
      return Promise.reject(new Error("the chat is down")) as unknown as void;
    },
    waitUntil: () => Promise.reject(new Error("no context")) as unknown as void,
  });

  sender.step(step("x"));
  await sender.flush();

  assertEquals([told, await rejections.stop()], [1, []]);
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

Deno.test("an answer's count of refused steps is one of the batch", async () => {
  const answers = ["1e9", "-1"].map((refused) => new Response(`{"refused":${refused}}`, { status: 202 }));
  const { sender, problems } = setUp(answers);
  const outcomes: string[] = [];
  for (let batch = 0; batch < 2; batch++) {
    steps(2).forEach(sender.step);
    outcomes.push(await sender.flush());
  }

  assertEquals(outcomes, ["refused", "stored"]);
  assertEquals(problems.map((problem) => problem.kind === "dropped" && problem.count), [2]);
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
