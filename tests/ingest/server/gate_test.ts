import { assertEquals, assertRejects } from "@std/assert";
import { createGate, type GateOptions } from "../../../src/ingest/server/gate.ts";
import { assertReadable, assertRefused } from "../answers.ts";
import { post } from "../fixtures.ts";

function setUp(options: Partial<GateOptions>) {
  const busy: string[] = [];
  const gate = createGate({
    handle: () => Promise.resolve(new Response("ok")),
    maxPending: 1,
    deadlineMs: 1_000,
    onBusy: (code) => busy.push(code),
    ...options,
  });
  return { gate, busy };
}

Deno.test("createGate() hands the handler the request as it came", async () => {
  const { gate } = setUp({
    handle: async (request) =>
      Response.json([request.method, request.url, request.headers.get("X-API-Key"), await request.text()]),
  });

  const answer = await gate.handle(post("body", { "X-API-Key": "pk" }));

  assertEquals(await answer.json(), ["POST", "https://ingest.vendor.example/v1/events", "pk", "body"]);
});

Deno.test("createGate() turns away what is too much, with 503 and Retry-After", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { gate, busy } = setUp({ handle: () => promise });

  const first = gate.handle(post("a"));
  const second = await gate.handle(post("b"));

  assertEquals([gate.pending(), busy], [1, ["overloaded"]]);
  assertEquals(second.headers.get("Retry-After"), "2");
  await assertRefused(second, 503, { code: "overloaded", message: "too many requests at a time, try again later" });
  resolve(new Response("ok"));
  assertEquals((await first).status, 200);
  assertEquals(gate.pending(), 0);
});

Deno.test("createGate() answers a request that takes too long, and keeps counting it until its handler has ended", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { gate, busy } = setUp({ handle: () => promise, deadlineMs: 20 });

  const answer = await gate.handle(post("a"));

  assertEquals([answer.status, answer.headers.get("Retry-After"), gate.pending()], [503, "2", 1]);
  assertReadable(answer);
  assertEquals((await gate.handle(post("b"))).status, 503);
  assertEquals(busy, ["timeout", "overloaded"]);
  resolve(new Response("late"));
  await promise;
  await new Promise((next) => setTimeout(next));
  assertEquals(gate.pending(), 0);
});

Deno.test("createGate() frees the place of a handler that fails", async () => {
  const { gate } = setUp({ handle: () => Promise.reject(new Error("bug")) });

  await assertRejects(() => gate.handle(post("a")), Error, "bug");

  assertEquals(gate.pending(), 0);
});

Deno.test("createGate() turns everything away once it is closed, and says when the last request has ended", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { gate, busy } = setUp({ handle: () => promise, maxPending: 2 });
  const first = gate.handle(post("a"));
  let isIdle = false;

  const idle = gate.close().then(() => isIdle = true);
  const second = await gate.handle(post("b"));

  assertEquals([second.status, second.headers.get("Retry-After"), busy, isIdle], [503, "2", ["stopping"], false]);
  resolve(new Response("ok"));
  assertEquals([(await first).status, await idle], [200, true]);
  await gate.close();
});
