import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createRefusalLog } from "../../../../src/ingest/server/ops/refusal_log.ts";

Deno.test("createRefusalLog() says each kind when it begins, and once a minute how many there were", async () => {
  using time = new FakeTime();
  const lines: unknown[] = [];
  const refusals = createRefusalLog((...line) => lines.push(line));

  for (let count = 0; count < 5; count++) refusals.add("rate_limited", "shop");
  refusals.add("unknown_key");
  await time.tickAsync(60_000);
  const first = lines.splice(0);
  refusals.add("rate_limited", "shop");
  refusals.add("unknown_key");
  await time.tickAsync(60_000);
  const second = lines.splice(0);
  refusals.add("rate_limited", "shop");
  refusals.stop();

  assertEquals(first, [
    ["info", "refused", { code: "rate_limited", key: "shop", count: 1 }],
    ["info", "refused", { code: "unknown_key", count: 1 }],
    ["info", "refused", { code: "rate_limited", key: "shop", count: 4 }],
  ]);
  assertEquals(second, [
    ["info", "refused", { code: "unknown_key", count: 1 }],
    ["info", "refused", { code: "rate_limited", key: "shop", count: 1 }],
  ]);
  assertEquals(lines, [["info", "refused", { code: "rate_limited", key: "shop", count: 1 }]]);
});
