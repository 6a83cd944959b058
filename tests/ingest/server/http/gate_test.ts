import { assertEquals, assertRejects } from "@std/assert";
import { answerBusy, createGate, type Gate } from "../../../../src/ingest/server/http/gate.ts";
import { assertReadable, assertRefused } from "../../answers.ts";

const LONG_MS = 10_000;

function setUp(): { gate: Gate; busy: string[] } {
  const busy: string[] = [];
  const gate = createGate({
    maxPending: 1,
    turnAway: (code) => {
      busy.push(code);
      return answerBusy(code);
    },
  });
  return { gate, busy };
}

Deno.test("createGate() turns away what is too much, with 503 and Retry-After", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { gate, busy } = setUp();

  const first = gate.run(() => promise, LONG_MS);
  const second = await gate.run(() => promise, LONG_MS);

  assertEquals([gate.pending(), busy], [1, ["overloaded"]]);
  assertEquals(second.headers.get("Retry-After"), "2");
  await assertRefused(second, 503, { code: "overloaded", message: "too many requests at a time, try again later" });
  resolve(new Response("ok"));
  assertEquals([(await first).status, gate.pending()], [200, 0]);
});

Deno.test("createGate() answers a request that takes too long, and keeps counting it until its work has ended", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const { gate, busy } = setUp();
  let isIdle = false;

  const answer = await gate.run(() => promise, 20);
  const next = await gate.run(() => promise, LONG_MS);
  const idle = gate.idle().then(() => isIdle = true);

  assertEquals([answer.status, answer.headers.get("Retry-After"), gate.pending(), isIdle], [503, "2", 1, false]);
  assertReadable(answer);
  assertEquals([next.status, busy], [503, ["timeout", "overloaded"]]);
  resolve(new Response("late"));
  assertEquals([await idle, gate.pending()], [true, 0]);
});

Deno.test("createGate() frees the place of work that fails", async () => {
  const { gate } = setUp();

  await assertRejects(() => gate.run(() => Promise.reject(new Error("bug")), LONG_MS), Error, "bug");

  assertEquals(gate.pending(), 0);
});
