import { assertEquals, assertGreater } from "@std/assert";
import { createMemorySink } from "../../../../src/ingest/mod.ts";
import { type App, createApp } from "../../../../src/ingest/server/http/app.ts";
import { EVENT, FULL, KEY, manyEvents, ORIGIN, post } from "../../fixtures.ts";

const ADDRESS = "203.0.113.7";

function sleep(timeMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timeMs));
}

function spin(timeMs: number): void {
  const endMs = performance.now() + timeMs;
  while (performance.now() < endMs);
}

/** An app whose work takes as long as is said for each event's id, in milliseconds of the processor. */
function setUpBusy(timesMs: Readonly<Record<string, number>>): { readonly app: App; readonly stored: string[] } {
  const stored: string[] = [];
  const app = createApp({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    path: "/v1/events",
    maxPending: 200,
    requestTimeoutMs: 10_000,
    log: () => {},
    sink: {
      store: ({ events: [event] }) => {
        const id = event?.id ?? "";
        stored.push(id);
        spin(timesMs[id] ?? 0);
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
    requestTimeoutMs: 10_000,
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

  const answers = Array.from({ length: 20 }, (_, index) => app.handle(post(buildLarge(`r${index}`))));
  answers.push(app.handle(post(FULL)));
  const endMs = performance.now() + 10_000;
  while (storing < 9 && performance.now() < endMs) await sleep(10);
  await sleep(100);
  const first = storing;
  release();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  assertEquals(statuses, statuses.map(() => 202));
  assertEquals((await memory.events()).length, 21);
  assertEquals([first, most], [9, 9]);
});

Deno.test("createApp() gives an address a quarter of its time, and the rest to the others", async () => {
  const { app, stored } = setUpBusy({ dear: 100 });
  const startMs = performance.now();

  const answers = ["dear", "mine", "mine", "theirs", "unknown"].map((id) => {
    const address = { dear: ADDRESS, mine: ADDRESS, theirs: "203.0.113.8", unknown: undefined }[id];
    return app.handle(postId(id), { address });
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  assertEquals(statuses, [202, 202, 202, 202, 202]);
  assertEquals(stored, ["dear", "theirs", "unknown", "mine", "mine"]);
  // 100 ms of work, 25 of which are free: the rest is a quarter of 300.
  assertGreater(performance.now() - startMs, 390);
});

Deno.test("createApp() turns away what an address sends while 64 of its bodies wait", async () => {
  const { app, stored } = setUpBusy({ dear: 100 });

  const answers = ["dear", ...Array(70).fill("cheap")].map((id) => app.handle(postId(id), { address: ADDRESS }));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  assertEquals([202, 429].map((status) => statuses.filter((other) => other === status).length), [65, 6]);
  assertEquals(stored.length, 65);
});
