import { assertEquals } from "@std/assert";
import { resolveConfig } from "../../src/client/config.ts";
import { namesOf, startVisit } from "../support/visit.ts";

const DEFAULT = resolveConfig({ apiKey: "pk" }).maxBatchSize;

for (
  const [what, maxBatchSize, sizes] of [
    ["effective range starts at 1", 1, [1, 1]],
    ["effective range ends at 100", 100, [100, 1]],
    ["fractional values are floored", 2.9, [2, 2, 1]],
    ["values below 1 are treated as 1", 0.99, [1, 1]],
    ["0 is treated as 1", 0, [1, 1]],
    ["negative values are treated as 1", -7, [1, 1]],
    ["values above 100 are capped to 100", 101, [100, 1]],
    ["so are much larger ones", 1e300, [100, 1]],
    ["NaN is the default", NaN, [DEFAULT, 1]],
    ["so is infinity", Infinity, [100, 1]],
    ["negative infinity is treated as 1", -Infinity, [1, 1]],
    ["text is the default", "20", [DEFAULT, 1]],
    ["null is the default", null, [DEFAULT, 1]],
  ] as const
) {
  Deno.test(`SPEC 2.1 and 8 maxBatchSize: ${what}`, async () => {
    const { client, page, accepted } = startVisit({ maxBatchSize: maxBatchSize as number });
    for (let i = sizes.reduce((sum: number, size) => sum + size, 0); i > 0; i--) client.step("a");

    await accepted();

    assertEquals(page.requests.map(({ body }) => body.events.length), [...sizes]);
  });
}

Deno.test("SPEC 4.1 and 8 events per ingest request: at most 100, of aggregates too", async () => {
  const { page, accepted } = startVisit({ maxBatchSize: 100, trackPageviews: "auto", consent: "pending" });

  for (let i = 0; i < 120; i++) page.pushState(`/${i}`);
  await accepted();

  assertEquals(page.requests.map(({ body }) => body.events.length), [100, 21]);
});

Deno.test("SPEC 2.6 and 8 event name length: 1-100 characters", async () => {
  const { client, accepted } = startVisit();

  client.step("");
  client.step("a");
  client.step("b".repeat(100));
  client.step("c".repeat(101));

  assertEquals(namesOf(await accepted()), ["a", "b".repeat(100)]);
});

Deno.test("SPEC 8 event name length: characters are code points", async () => {
  const { client, accepted } = startVisit();

  client.step("🍵".repeat(100));
  client.step("🍵".repeat(101));

  assertEquals(namesOf(await accepted()), ["🍵".repeat(100)]);
});
