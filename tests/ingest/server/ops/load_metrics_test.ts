import { assertStringIncludes } from "@std/assert";
import { createLoadMetrics } from "../../../../src/ingest/server/ops/load_metrics.ts";

Deno.test("createLoadMetrics() shows the counts as they are at each scrape, from zero on", async () => {
  let counts = { loaded: 0, blocks: 0, erased: 0, deadLetters: 0, purged: 0, failures: 0 };
  let waiting: () => Promise<number> = () => Promise.resolve(7);
  const registry = createLoadMetrics({ counts: () => counts, countWaiting: () => waiting() });

  const first = await registry.metrics();
  counts = { loaded: 40, blocks: 2, erased: 3, deadLetters: 1, purged: 20, failures: 5 };
  await registry.metrics();
  waiting = () => Promise.reject(new Error("no answer"));
  const last = await registry.metrics();

  for (const line of ["vendor_load_events_total 0", "vendor_load_failures_total 0", "vendor_load_messages_waiting 7"]) {
    assertStringIncludes(first, `\n${line}\n`);
  }
  for (
    const line of [
      ...["vendor_load_events_total 40", "vendor_load_blocks_total 2", "vendor_load_events_erased_total 3"],
      ...["vendor_load_dead_letters_total 1", "vendor_load_messages_purged_total 20", "vendor_load_failures_total 5"],
      ...["vendor_load_messages_waiting Nan"],
    ]
  ) {
    assertStringIncludes(last, `\n${line}\n`);
  }
  assertStringIncludes(last, "\nprocess_resident_memory_bytes ");
});
