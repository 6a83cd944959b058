import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createRefusalLog } from "../../../../src/ingest/server/ops/refusal_log.ts";

Deno.test("createRefusalLog() says each kind when it begins, and once a minute how many there were", async () => {
  using time = new FakeTime();
  const lines: unknown[] = [];
  const refusals = createRefusalLog((...line) => lines.push(line));

  for (let count = 0; count < 5; count++) refusals.add({ code: "rate_limited", keyName: "shop" });
  refusals.add({ code: "unknown_key" });
  await time.tickAsync(60_000);
  const first = lines.splice(0);
  refusals.add({ code: "rate_limited", keyName: "shop" });
  refusals.add({ code: "unknown_key" });
  await time.tickAsync(60_000);
  const second = lines.splice(0);
  refusals.add({ code: "rate_limited", keyName: "shop" });
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

Deno.test("createRefusalLog() says why the newest of a kind was refused, and counts the events of a request", () => {
  const lines: unknown[] = [];
  const refusals = createRefusalLog((...line) => lines.push(line));

  refusals.add({
    code: "origin_not_registered",
    keyName: "shop",
    reason: "the origin https://a.example isn't registered",
  });
  refusals.add({
    code: "origin_not_registered",
    keyName: "shop",
    reason: "the origin https://b.example isn't registered",
  });
  refusals.add({
    code: "origin_not_registered",
    keyName: "shop",
    reason: "the origin https://c.example isn't registered",
  });
  refusals.add({ code: "refused_by_plan", keyName: "shop", count: 3 });
  refusals.add({ code: "refused_by_plan", keyName: "shop", count: 2 });
  refusals.stop();

  assertEquals(lines, [
    ["info", "refused", {
      code: "origin_not_registered",
      key: "shop",
      count: 1,
      reason: "the origin https://a.example isn't registered",
    }],
    ["info", "refused", { code: "refused_by_plan", key: "shop", count: 3 }],
    ["info", "refused", {
      code: "origin_not_registered",
      key: "shop",
      count: 2,
      reason: "the origin https://c.example isn't registered",
    }],
    ["info", "refused", { code: "refused_by_plan", key: "shop", count: 2 }],
  ]);
});
