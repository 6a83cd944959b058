/**
 * The JetStream sink in front of a server that hangs: stopped in the middle, with its connections left open.
 *
 * @module
 */
import { assertEquals, assertRejects } from "@std/assert";
import { createJetStreamSink } from "../../src/ingest/stores/jetstream/jetstream_sink.ts";
import { batchOf, STORED } from "../ingest/stores/sink_contract.ts";
import { until } from "./traffic.ts";
import { type NatsCluster, startNatsCluster } from "./nats_cluster.ts";

/** Ends the cluster whatever comes: a frozen process would stay for ever. */
async function withCluster(size: number, use: (cluster: NatsCluster) => Promise<void>): Promise<void> {
  const cluster = await startNatsCluster(size);
  try {
    await use(cluster);
  } finally {
    await cluster.stop();
  }
}

const event = (id: string) => ({ ...STORED, id });

const isStored = (storing: Promise<object>) => storing.then((result) => "accepted" in result, () => false);

Deno.test("createJetStreamSink() leaves a node that hangs for another one of the cluster", () =>
  withCluster(3, async (cluster) => {
    const [first = ""] = cluster.servers;
    // It knows of one node, so that it is connected to that one.
    const sink = await createJetStreamSink({ servers: [first] });
    await sink.store(batchOf([event("before")]));
    await cluster.untilWhole("VENDOR_EVENTS");
    cluster.freeze(0);

    let attempts = 0;
    const store = (): Promise<boolean> => {
      attempts += 1;
      return isStored(sink.store(batchOf([event(`e-${attempts}`)])));
    };
    try {
      // Two senders, one of which begins in the middle: the events under way go on with the new connection.
      await Promise.all([0, 5_000].map(async (waitMs) => {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        await until("stored again", store);
      }));
      await sink.check?.();
    } finally {
      await sink.close();
    }
    cluster.thaw(0);
    await cluster.untilWhole("VENDOR_EVENTS");
    const ids = (await cluster.read("VENDOR_EVENTS")).map(({ json }) => json.id);

    assertEquals([ids[0], ids.length > 2, new Set(ids).size], ["before", true, ids.length]);
  }));

Deno.test("createJetStreamSink() counts what a server that hangs hasn't read", () =>
  withCluster(1, async (cluster) => {
    const options = { servers: cluster.servers, replicas: 1, timeoutMs: 500, maxPendingEvents: 2 };
    const sink = await createJetStreamSink(options);
    cluster.freeze(0);
    try {
      await assertRejects(() => sink.store(batchOf([event("a"), event("b")])), Error, "wasn't acknowledged in time");
      const during = await sink.store(batchOf([event("c")]));
      cluster.thaw(0);
      await until("room again", () => isStored(sink.store(batchOf([event("c")]))));

      assertEquals("status" in during && [during.status, during.code], [503, "overloaded"]);
    } finally {
      await sink.close();
    }
  }));

Deno.test("createJetStreamSink() holds no more than 64 MiB for a server that hangs", () =>
  withCluster(1, async (cluster) => {
    const sink = await createJetStreamSink({ servers: cluster.servers, replicas: 1, timeoutMs: 500 });
    const properties = { text: "x".repeat(1_000_000) };
    cluster.freeze(0);
    try {
      const storing = Array.from({ length: 70 }, async (_, index) => {
        const result = await sink.store(batchOf([{ ...event(`e-${index}`), properties }]));
        return "status" in result && result.status;
      });
      const results = await Promise.allSettled(storing);

      assertEquals(results.map((result) => result.status === "fulfilled" && result.value), [
        ...Array.from({ length: 67 }, () => false),
        ...[503, 503, 503],
      ]);
    } finally {
      cluster.thaw(0);
      await sink.close();
    }
  }));

Deno.test("createJetStreamSink() counts an event as new whose acknowledgement was late", () =>
  withCluster(1, async (cluster) => {
    const sink = await createJetStreamSink({ servers: cluster.servers, replicas: 1 });
    const events = ["a", "b", "c"].map(event);
    cluster.freeze(0);

    const storing = sink.store(batchOf(events));
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    cluster.thaw(0);
    const result = await storing;
    await sink.close();

    assertEquals(result, { accepted: 3, duplicates: 0, events });
    assertEquals((await cluster.read("VENDOR_EVENTS")).length, 3);
  }));
