import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { createMemorySink } from "../../../../src/ingest/mod.ts";
import { type App, createApp } from "../../../../src/ingest/server/http/app.ts";
import { EVENT, FULL, KEY, manyEvents, ORIGIN, post } from "../../fixtures.ts";
import { ask } from "./ask.ts";

const ADDRESS = "203.0.113.7";

function sleep(timeMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timeMs));
}

/** Most that a busy machine may take for something, in milliseconds. */
const LIMIT_MS = 100_000;

async function until(holds: () => boolean): Promise<void> {
  const endMs = Date.now() + LIMIT_MS;
  while (!holds() && Date.now() < endMs) await sleep(10);
}

/**
 * Stops the clock by which work is measured: it moves when it's told, however busy the machine is. Its times are whole, so
 * that sums of them are exact: of fractions, a wait of 1e-12 ms can be left, which ends only where the clock goes on.
 */
function stopClock(): Disposable & { pass(timeMs: number): void } {
  let nowMs = Math.floor(performance.now());
  const stubbed = stub(performance, "now", () => nowMs);
  return { pass: (timeMs) => nowMs += timeMs, [Symbol.dispose]: () => stubbed.restore() };
}

/** An app whose work for the event `dear` takes 100 ms, and nothing for the others. */
function setUpBusy(pass: (timeMs: number) => void): { readonly app: App; readonly stored: string[] } {
  const stored: string[] = [];
  const app = createApp({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    path: "/v1/events",
    maxPending: 200,
    requestTimeoutMs: LIMIT_MS,
    log: () => {},
    sink: {
      store: ({ events: [event] }) => {
        const id = event?.id ?? "";
        stored.push(id);
        if (id === "dear") pass(100);
        return Promise.resolve({ accepted: 1, duplicates: 0 });
      },
      close: () => Promise.resolve(),
    },
  });
  return { app, stored };
}

function postId(id: string): Request {
  return post({ ...FULL, events: [{ ...EVENT, id }] });
}

/** Builds a body of a little less than 1 MiB. */
function buildLarge(id: string): string {
  return JSON.stringify({ ...FULL, events: manyEvents(1, id) }).padEnd(1_048_000);
}

Deno.test("createApp() parses 8 MiB of bodies at a time, and lets a small one pass those that wait", async () => {
  const memory = createMemorySink();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let storing = 0;
  let most = 0;
  const app = createApp({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    path: "/v1/events",
    maxPending: 100,
    requestTimeoutMs: LIMIT_MS,
    log: () => {},
    sink: {
      ...memory,
      store: async (batch) => {
        most = Math.max(most, storing += 1);
        await released;
        storing -= 1;
        return await memory.store(batch);
      },
    },
  });

  const answers = Array.from({ length: 20 }, (_, index) => ask(app, post(buildLarge(`r${index}`))));
  answers.push(ask(app, post(FULL)));
  await until(() => storing >= 9);
  await sleep(100);
  const first = storing;
  release();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  assertEquals(statuses, statuses.map(() => 202));
  assertEquals((await memory.events()).length, 21);
  assertEquals([first, most], [9, 9]);
});

Deno.test("createApp() gives an address a quarter of its time, and the rest to the others", async () => {
  using clock = stopClock();
  const { app, stored } = setUpBusy(clock.pass);

  const answers = ["dear", "mine", "mine", "theirs", "unknown"].map((id) => {
    const address = { dear: ADDRESS, mine: ADDRESS, theirs: "203.0.113.8", unknown: undefined }[id];
    return ask(app, postId(id), { address });
  });
  await until(() => stored.length >= 3);
  // 100 ms of work, 25 of which are free: the rest is a quarter of 300.
  clock.pass(295);
  await sleep(400);
  const before = [...stored];
  clock.pass(5);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  assertEquals(statuses, [202, 202, 202, 202, 202]);
  assertEquals(before, ["dear", "theirs", "unknown"]);
  assertEquals(stored, [...before, "mine", "mine"]);
});

Deno.test("createApp() turns away what an address sends while 64 of its bodies wait", async () => {
  using clock = stopClock();
  const { app, stored } = setUpBusy(clock.pass);
  let refused = 0;

  const answers = ["dear", ...Array(70).fill("cheap")].map(async (id) => {
    const { status } = await ask(app, postId(id), { address: ADDRESS });
    if (status === 429) refused += 1;
    return status;
  });
  await until(() => refused >= 6);
  clock.pass(300);
  const statuses = await Promise.all(answers);

  assertEquals([202, 429].map((status) => statuses.filter((other) => other === status).length), [65, 6]);
  assertEquals(stored.length, 65);
});
