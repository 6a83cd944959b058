import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { DataStore, PrunedData, PruneOptions } from "../../../../src/ingest/ports/data_store.ts";
import { pruneDaily } from "../../../../src/ingest/server/ops/prune_daily.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const AGES = { keepDays: 30, keepErasuresDays: 60 };

/** A store that is pruned, and notes it. */
function createFakeStore(prune: (options: PruneOptions) => Promise<PrunedData>) {
  const lines: unknown[] = [];
  const asked: PruneOptions[] = [];
  let [opened, closed] = [0, 0];
  const options = {
    ...AGES,
    open: () => {
      opened += 1;
      const store: Partial<DataStore> = {
        prune: (options) => {
          asked.push(options);
          return prune(options);
        },
        close: () => Promise.resolve(void (closed += 1)),
      };
      return store as DataStore;
    },
    log: (level: string, message: string, fields = {}) => void lines.push([level, message, fields]),
  };
  return { options, lines, asked, users: () => [opened, closed] };
}

Deno.test("pruneDaily() prunes at the start, once a day, and soon after it is told", async () => {
  using time = new FakeTime();
  const { options, lines, asked, users } = createFakeStore(() =>
    Promise.resolve({ events: asked.length === 2 ? 3 : 0, corrected: 0, erasures: 0 })
  );
  const pruning = pruneDaily(options);

  await time.tickAsync(0);
  const atStart = asked.length;
  await time.tickAsync(DAY_MS);
  pruning.soon();
  await time.tickAsync(119_000);
  const tooSoon = asked.length;
  await time.tickAsync(1_000);
  await pruning.stop();
  pruning.soon();
  await time.tickAsync(2 * DAY_MS);

  assertEquals([atStart, tooSoon, asked.length], [1, 2, 3]);
  assertEquals(asked[0], AGES);
  assertEquals(users(), [3, 3]);
  const counts = { events: 0, corrected: 0, erasures: 0 };
  assertEquals(lines, [
    ["debug", "pruned", counts],
    ["info", "pruned", { ...counts, events: 3 }],
    ["debug", "pruned", counts],
  ]);
});

Deno.test("pruneDaily() prunes also while it is told so all the time, and once more after the last", async () => {
  using time = new FakeTime();
  const { options, asked } = createFakeStore(() => Promise.resolve({ events: 0, corrected: 0, erasures: 0 }));
  const pruning = pruneDaily(options);

  for (let minute = 0; minute < 10; minute++) {
    pruning.soon();
    await time.tickAsync(60_000);
  }
  const meanwhile = asked.length;
  await time.tickAsync(DAY_MS / 2);
  await pruning.stop();

  // At the start, and every two minutes: the last was told at the ninth.
  assertEquals([meanwhile, asked.length], [6, 7]);
});

Deno.test("pruneDaily() says why it failed, and tries again soon", async () => {
  using time = new FakeTime();
  const { options, lines, asked, users } = createFakeStore(() =>
    asked.length === 1 ? Promise.reject(new Error("away")) : Promise.resolve({ events: 0, corrected: 1, erasures: 0 })
  );
  const pruning = pruneDaily(options);

  await time.tickAsync(120_000);
  await pruning.stop();

  assertEquals(lines, [
    ["error", "nothing could be pruned", { reason: "away" }],
    ["info", "pruned", { events: 0, corrected: 1, erasures: 0 }],
  ]);
  assertEquals(users(), [2, 2]);
});

Deno.test("pruneDaily() breaks off what it does when it is stopped, and says nothing of it", async () => {
  using time = new FakeTime();
  const closed = Promise.withResolvers<PrunedData>();
  const { options, lines } = createFakeStore(() => closed.promise);
  const pruning = pruneDaily(options);

  await time.tickAsync(0);
  const stopping = pruning.stop();
  closed.reject(new Error("the store is closed"));
  await stopping;
  await time.tickAsync(DAY_MS);

  assertEquals(lines, []);
});
