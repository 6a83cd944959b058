import { assertEquals } from "@std/assert";
import { createFeed } from "../../scripts/demo/feed.ts";
import type { FeedRow } from "../../scripts/demo/feed_row.ts";

const ROW: FeedRow = { kind: "duplicates", count: 1, at: "2026-01-01T00:00:00.000Z" };
const OTHER_ROW: FeedRow = { kind: "duplicates", count: 2, at: "2026-01-01T00:00:01.000Z" };

Deno.test("createFeed() sends a row to a browser that watches", async () => {
  const feed = createFeed();
  const text = feed.open().text();

  feed.publish(ROW);
  feed.close();

  assertEquals(messages(await text), [ROW]);
});

Deno.test("createFeed() sends earlier rows, too, to a browser that comes later or again", async () => {
  const feed = createFeed();
  feed.publish(ROW);

  const text = feed.open().text();
  feed.publish(OTHER_ROW);
  feed.close();

  assertEquals(messages(await text), [ROW, OTHER_ROW]);
});

Deno.test("createFeed() goes on when a browser has left", async () => {
  const feed = createFeed();
  await feed.open().body?.cancel();
  const text = feed.open().text();

  feed.publish(ROW);
  feed.close();

  assertEquals(messages(await text), [ROW]);
});

function messages(text: string): unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}
