import { assertEquals } from "@std/assert";
import { createMemorySink } from "../../src/ingest/mod.ts";
import { createApp } from "../../src/ingest/server/app.ts";
import { FULL, KEY, manyEvents, ORIGIN, post } from "./fixtures.ts";

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
  await new Promise((resolve) => setTimeout(resolve, 100));
  const first = storing;
  release();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);

  assertEquals(statuses, statuses.map(() => 202));
  assertEquals((await memory.events()).length, 21);
  assertEquals([first, most], [9, 9]);
});
