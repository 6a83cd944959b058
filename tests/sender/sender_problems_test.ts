import { assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { createSender, type SenderStep } from "../../src/sender/mod.ts";
import { watchRejections } from "../ingest/watch_rejections.ts";
import { namesOf, pass, SECRET, setUp, step, steps, within } from "./script.ts";

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
