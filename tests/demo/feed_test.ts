import { assertEquals } from "@std/assert";
import { createFeed, type Feed } from "../../scripts/demo/feed.ts";
import type { FeedRow } from "../../scripts/demo/feed_row.ts";

const ROW: FeedRow = { kind: "duplicates", count: 1, at: "2026-01-01T00:00:00.000Z" };
const OTHER_ROW: FeedRow = { kind: "duplicates", count: 2, at: "2026-01-01T00:00:01.000Z" };

Deno.test("createFeed() sends a row to a browser that watches", async () => {
  const feed = createFeed();
  const text = watch(feed).text();

  feed.publish(ROW);
  feed.close();

  assertEquals(messages(await text), [{ isReplay: false, row: ROW }]);
});

Deno.test("createFeed() replays earlier rows to a browser that comes later", async () => {
  const feed = createFeed();
  feed.publish(ROW);

  const text = watch(feed).text();
  feed.publish(OTHER_ROW);
  feed.close();

  assertEquals(messages(await text), [{ isReplay: true, row: ROW }, { isReplay: false, row: OTHER_ROW }]);
});

Deno.test("createFeed() replays to a browser that reconnects only what it hasn't seen", async () => {
  const feed = createFeed();
  feed.publish(ROW);
  const first = watch(feed);
  feed.publish(OTHER_ROW);
  const lastId = await readFirstId(first);

  const text = watch(feed, lastId).text();
  feed.close();

  assertEquals(messages(await text), [{ isReplay: true, row: OTHER_ROW }]);
});

Deno.test("createFeed() replays everything to a browser that knows another run", async () => {
  const feed = createFeed();
  feed.publish(ROW);

  const text = watch(feed, "another-run/7").text();
  feed.close();

  assertEquals(messages(await text), [{ isReplay: true, row: ROW }]);
});

Deno.test("createFeed() goes on when a browser has left", async () => {
  const feed = createFeed();
  await watch(feed).body?.cancel();
  const text = watch(feed).text();

  feed.publish(ROW);
  feed.close();

  assertEquals(messages(await text), [{ isReplay: false, row: ROW }]);
});

function watch(feed: Feed, lastEventId?: string): Response {
  const headers = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
  return feed.open(new Request("http://127.0.0.1/_demo/feed", { headers }));
}

function messages(text: string): unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

async function readFirstId(response: Response): Promise<string> {
  for await (const chunk of response.body ?? []) {
    const id = /^id: (.*)$/m.exec(new TextDecoder().decode(chunk))?.[1];
    if (id !== undefined) return id;
  }
  throw new Error("The stream ended without an ID");
}
