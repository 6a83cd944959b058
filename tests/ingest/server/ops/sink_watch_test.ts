import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Registry } from "prom-client";
import { createMemorySink } from "../../../../src/ingest/mod.ts";
import { watchSink } from "../../../../src/ingest/server/ops/sink_watch.ts";

Deno.test("watchSink() says once that a sink is lost, and when it is back", async () => {
  using time = new FakeTime();
  const lines: unknown[] = [];
  const registry = new Registry();
  let fault: string | undefined;
  const check = () => fault === undefined ? Promise.resolve() : Promise.reject(new Error(fault));
  const log = (level: string, message: string, { lostForMs: _, ...fields } = {} as Record<string, unknown>) =>
    void lines.push([level, message, fields]);
  const stop = watchSink({ ...createMemorySink(), check }, { name: "nats", log, registry });

  await time.tickAsync(5_000);
  fault = "no leader";
  await time.tickAsync(10_000);
  const lost = [lines.splice(0), await registry.metrics()] as const;
  fault = undefined;
  await time.tickAsync(5_000);
  const back = [lines.splice(0), await registry.metrics()] as const;
  stop();
  fault = "closed";
  await time.tickAsync(60_000);

  assertEquals(lost[0], [["warn", "the sink is lost", { sink: "nats", reason: "no leader" }]]);
  assertStringIncludes(lost[1], "vendor_ingest_sink_ready 0\n");
  assertEquals(back[0], [["info", "the sink is back", { sink: "nats" }]]);
  assertStringIncludes(back[1], "vendor_ingest_sink_ready 1\n");
  assertEquals(lines, []);
});
