import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type Collector, startCollector } from "../../../scripts/bench/client/collector.ts";

const EVENTS = JSON.stringify([{ properties: { bench_seq: 1 } }, { properties: { bench_seq: 20, plan: "pro" } }]);

/** Posts to a collector of its own; returns how many events it found. */
async function countIn(body: BodyInit, path: string = "/"): Promise<number> {
  return await withCollector(async (collector) => {
    await (await fetch(collector.url + path, { method: "POST", body })).text();
    return collector.countArrived();
  });
}

async function withCollector<T>(use: (collector: Collector) => Promise<T>): Promise<T> {
  const collector = startCollector();
  try {
    return await use(collector);
  } finally {
    await collector.close();
  }
}

Deno.test("the collector of the benchmark finds events in JSON, and in JSON inside JSON", async () => {
  assertEquals([await countIn(EVENTS), await countIn(JSON.stringify({ batch: EVENTS }))], [2, 2]);
});

Deno.test("the collector of the benchmark finds events in forms and queries", async () => {
  const query = `/track?data=${encodeURIComponent(EVENTS)}`;

  assertEquals([await countIn(new URLSearchParams({ data: EVENTS })), await countIn("", query)], [2, 2]);
});

Deno.test("the collector of the benchmark finds events in base64, and compressed", async () => {
  const urlSafe = btoa(EVENTS).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  const counts = [await countIn(JSON.stringify({ ue_px: urlSafe })), await countIn(new Uint8Array(gzipSync(EVENTS)))];

  assertEquals(counts, [2, 2]);
});

Deno.test("the collector of the benchmark counts an event once", async () => {
  assertEquals(await countIn(EVENTS + EVENTS), 2);
});

Deno.test("the collector of the benchmark lets every origin and header pass", async () => {
  const headers = await withCollector(async ({ url }) => {
    const response = await fetch(url, {
      method: "OPTIONS",
      headers: { "Origin": "https://shop.example", "Access-Control-Request-Headers": "x-api-key" },
    });
    return response.headers;
  });

  const names = ["Access-Control-Allow-Origin", "Access-Control-Allow-Headers"];
  assertEquals(names.map((name) => headers.get(name)), ["https://shop.example", "x-api-key"]);
});

Deno.test("the collector of the benchmark refuses while it's told to", async () => {
  const statuses = await withCollector(async (collector) => {
    const post = async (): Promise<number> => {
      const response = await fetch(collector.url, { method: "POST", body: EVENTS });
      await response.text();
      return response.status;
    };
    collector.setMode("refuse");
    const refused = await post();
    collector.setMode("accept");
    return [refused, await post()];
  });

  assertEquals(statuses, [503, 200]);
});

Deno.test("drain() ends with the last event, or after a while of silence", async () => {
  await withCollector(async (collector) => {
    await (await fetch(collector.url, { method: "POST", body: EVENTS })).text();

    await collector.drain(2, { quietMs: 60_000, maxMs: 60_000 });
    await collector.drain(3, { quietMs: 1, maxMs: 60_000 });
    await collector.drain(3, { quietMs: 60_000, maxMs: 1 });

    assertEquals(collector.countArrived(), 2);
  });
});
