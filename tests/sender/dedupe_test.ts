import { createHmac } from "node:crypto";
import { assertEquals, assertMatch } from "@std/assert";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { SECRET, setUp } from "./script.ts";

const OTHER_SECRET = "ss_fedcba9876543210fedcba9876543210";

/** Sends a step with each of the IDs, and returns the IDs of their events. */
async function send(dedupeIds: readonly string[], secret = SECRET): Promise<readonly string[]> {
  const { sender, sent } = setUp(undefined, { secret });
  for (const dedupeId of dedupeIds) sender.step({ userId: "u-1", name: "purchase", dedupeId });
  await sender.close();
  return sent.flatMap(({ body }) => body.events.map(({ id }) => id));
}

Deno.test("a dedupeId becomes a UUID of version 8 by HMAC-SHA-256 under the secret, always the same", async () => {
  const ids = ["order-17", "order-17", "Bestellung № 18"];
  const [first, second, third = ""] = await send(ids);

  const [expected = ""] = ids.map((id) => createHmac("sha256", SECRET).update(id).digest("hex"));
  const digits = first?.replaceAll("-", "") ?? "";
  assertEquals(first, second);
  assertMatch(first ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // All but the digits of version and variant.
  assertEquals(
    digits.replace(/^(.{12}).(.{3})./, "$1-$2-"),
    expected.slice(0, 32).replace(/^(.{12}).(.{3})./, "$1-$2-"),
  );
  assertEquals(third === first, false);
  assertEquals((await send(ids, OTHER_SECRET)).includes(first ?? ""), false);
});

Deno.test("of two steps with a dedupeId one is stored, whichever process sends them", async () => {
  const sink = createMemorySink();
  const keys = [{ apiKey: "pk_test_1", origins: ["https://shop.example"], sendingSecrets: { billing: SECRET } }];
  const ingest = createIngest({ keys, sink });
  const flushed: string[] = [];
  for (const total of [12, 13]) {
    const { sender } = setUp([], { fetch: (url, init) => ingest(new Request(url, init)) });
    const properties = { total };
    sender.step({ userId: "u-1", name: "purchase", properties, dedupeId: "order-17" });
    sender.step({ userId: "u-1", name: "purchase", properties, dedupeId: "order-17" });
    flushed.push(await sender.close());
  }

  const stored = await sink.events();
  assertEquals(flushed, ["stored", "stored"]);
  assertEquals(stored.map(({ properties }) => properties), [{ total: 12 }]);
});
