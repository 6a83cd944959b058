import { assert } from "@std/assert";
import { createLog } from "../../src/ingest/server/ops/log.ts";
import { measureBest, timeMs } from "./measure_best.ts";

Deno.test("createLog() hides one more of 20,000 secrets without a long task", async () => {
  const secrets = new Set(Array.from({ length: 20_000 }, (_, index) => `pk_live_${index * 7919}`));
  const log = createLog({ level: "info", write: () => true, now: () => 0, secrets });

  const bestMs = await measureBest(50, () => {
    secrets.add(`pk_new_${secrets.size}`);
    return timeMs(() => log("info", "a key was refused", { reason: "pk_live_7919 is off" }));
  });

  assert(bestMs <= 50, `${bestMs} ms`);
});
