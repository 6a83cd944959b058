import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createStoredLog } from "../../../../src/ingest/server/ops/stored_log.ts";
import { anEvent } from "../../stores/data_fixtures.ts";

Deno.test("createStoredLog() says once a minute what came, and nothing when nothing came", async () => {
  using time = new FakeTime();
  const lines: unknown[] = [];
  const arrivals = createStoredLog((...line) => lines.push(line));

  arrivals.add([anEvent("1", {}), anEvent("2", { name: "$engagement" }), anEvent("3", { name: "$pageview" })]);
  arrivals.add([anEvent("4", { collection: "aggregate" })]);
  const atOnce = lines.splice(0);
  await time.tickAsync(60_000);
  const first = lines.splice(0);
  await time.tickAsync(120_000);
  const quiet = lines.splice(0);
  arrivals.add([anEvent("5", { collection: "aggregate" })]);
  await time.tickAsync(60_000);
  const third = lines.splice(0);
  arrivals.add([anEvent("6", {})]);
  arrivals.stop();
  await time.tickAsync(60_000);

  assertEquals([atOnce, quiet, lines], [[], [], []]);
  assertEquals(first, [["info", "stored", { steps: 2, pageviews: 1, aggregates: 1 }]]);
  assertEquals(third, [["info", "stored", { steps: 0, pageviews: 0, aggregates: 1 }]]);
});
