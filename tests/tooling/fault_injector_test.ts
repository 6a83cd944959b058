import { assert, assertEquals, assertRejects } from "@std/assert";
import { always, inTurn, slowPreflight } from "../faults/fault.ts";
import { type Injector, KEY, startInjector } from "../faults/injector.ts";
import { pause, poll } from "../faults/pauses.ts";

const CONTEXT = { sdkName: "@vendor/sdk", sdkVersion: "0.1.0" };

/** Sends one event, as the SDK does, and returns the status. */
async function send({ endpoint }: Injector, signal?: AbortSignal): Promise<number> {
  const id = crypto.randomUUID();
  const timestamp = new Date().toISOString();
  const identity = { userId: null, anonymousId: "visitor" };
  const sessionId = "session";
  const body = {
    type: "event",
    batchId: crypto.randomUUID(),
    sessionId,
    identity,
    events: [{ id, name: id, timestamp, sessionId, identity, context: CONTEXT }],
    sentAt: timestamp,
    context: CONTEXT,
  };
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": KEY, "X-Vendor-SDK-Version": "0.1.0" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  await response.text();
  return response.status;
}

async function withInjector(run: (injector: Injector) => Promise<void>): Promise<void> {
  const injector = await startInjector();
  try {
    await run(injector);
  } finally {
    await injector.close();
  }
}

Deno.test("startInjector() passes requests on to the real ingest", () =>
  withInjector(async (injector) => {
    assertEquals(await send(injector), 202);
    assertEquals(injector.stored.length, 1);
    assertEquals(injector.attempts.map(({ isForwarded }) => isForwarded), [true]);
  }));

Deno.test("startInjector() answers in the ingest's place, with Retry-After, and stores nothing", () =>
  withInjector(async (injector) => {
    injector.plan(inTurn({ kind: "answer", status: 503, retryAfter: "2" }));
    assertEquals(await send(injector), 503);
    assertEquals(injector.stored.length, 0);
    assertEquals(await send(injector), 202);
  }));

Deno.test("startInjector() drops the connection before the body is read, or after", () =>
  withInjector(async (injector) => {
    injector.plan(inTurn({ kind: "drop_unread" }, { kind: "drop_read" }));
    await assertRejects(() => send(injector));
    assertEquals(injector.attempts.length, 0);
    await assertRejects(() => send(injector));
    assertEquals(injector.attempts.length, 1);
    assertEquals(injector.stored.length, 0);
  }));

Deno.test("startInjector() loses an answer after the event was stored", () =>
  withInjector(async (injector) => {
    injector.plan(always({ kind: "lose_answer" }));
    await assertRejects(() => send(injector));
    assertEquals(injector.stored.length, 1);
  }));

Deno.test("startInjector() never passes on what its sender broke off", () =>
  withInjector(async (injector) => {
    injector.plan(always({ kind: "delay", ms: 200 }));
    const abort = new AbortController();
    const sending = assertRejects(() => send(injector, abort.signal));
    await poll(() => injector.attempts.length === 1, 5000);

    abort.abort();

    await sending;
    await pause(300);
    assertEquals(injector.stored.length, 0);
    assertEquals(injector.attempts[0]?.isAborted, true);
  }));

Deno.test("startInjector() lets a request hang until its sender gives up", () =>
  withInjector(async (injector) => {
    injector.plan(always({ kind: "hang" }));
    const abort = new AbortController();
    const sending = assertRejects(() => send(injector, abort.signal));
    await pause(200);
    assertEquals(injector.attempts[0]?.isAborted, false);
    abort.abort();
    await sending;
    assert(await poll(() => injector.attempts[0]?.isAborted === true, 5000));
  }));

Deno.test("startInjector() keeps the answer to a preflight back", () =>
  withInjector(async (injector) => {
    injector.plan(slowPreflight(200));
    const startMs = performance.now();
    const response = await fetch(injector.endpoint, { method: "OPTIONS" });
    await response.text();
    assertEquals(response.status, 204);
    assert(performance.now() - startMs >= 190);
  }));

Deno.test("startInjector() goes away, and comes back on its port", () =>
  withInjector(async (injector) => {
    await injector.away();
    await assertRejects(() => send(injector));
    await injector.back();
    assertEquals(await send(injector), 202);
  }));
