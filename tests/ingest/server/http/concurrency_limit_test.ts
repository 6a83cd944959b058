import { assertEquals, assertRejects } from "@std/assert";
import { type Answer, toResponse } from "../../../../src/ingest/http/answers.ts";
import { answerBusy } from "../../../../src/ingest/server/http/answer_busy.ts";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../../../src/ingest/server/http/concurrency_limit.ts";
import { assertReadable, assertRefused } from "../../answers.ts";

const LONG_MS = 10_000;

const OK: Answer = { status: 200, headers: {}, body: "ok" };

function inMs(timeMs: number): number {
  return performance.now() + timeMs;
}

function setUp(): { limit: ConcurrencyLimit; busy: string[] } {
  const busy: string[] = [];
  const limit = createConcurrencyLimit({
    maxPending: 1,
    turnAway: (code) => {
      busy.push(code);
      return answerBusy(code);
    },
  });
  return { limit, busy };
}

Deno.test("createConcurrencyLimit() turns away what is too much, with 503 and Retry-After", async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const { limit, busy } = setUp();

  const first = limit.run(() => promise, inMs(LONG_MS));
  const second = toResponse(await limit.run(() => promise, inMs(LONG_MS)));

  assertEquals([limit.pending(), busy], [1, ["overloaded"]]);
  assertEquals(second.headers.get("Retry-After"), "2");
  await assertRefused(second, 503, { code: "overloaded", message: "too many requests at a time, try again later" });
  resolve(OK);
  assertEquals([(await first).status, limit.pending()], [200, 0]);
});

Deno.test("createConcurrencyLimit() answers a request that takes too long, and keeps counting it until its work has ended", async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const { limit, busy } = setUp();
  let isIdle = false;

  const answer = toResponse(await limit.run(() => promise, inMs(20)));
  const next = await limit.run(() => promise, inMs(LONG_MS));
  const idle = limit.idle().then(() => isIdle = true);

  assertEquals([answer.status, answer.headers.get("Retry-After"), limit.pending(), isIdle], [503, "2", 1, false]);
  assertReadable(answer);
  assertEquals([next.status, busy], [503, ["timeout", "overloaded"]]);
  resolve(OK);
  assertEquals([await idle, limit.pending()], [true, 0]);
});

Deno.test("createConcurrencyLimit() frees the place of work that fails", async () => {
  const { limit } = setUp();

  await assertRejects(() => limit.run(() => Promise.reject(new Error("bug")), inMs(LONG_MS)), Error, "bug");

  assertEquals(limit.pending(), 0);
});
