/**
 * The loader between a nats-server and ClickHouse. `LOAD_KILL_ROUNDS` says how often each of them is
 * killed, 1 by default.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { createFileReader, createFileSink, type EventSink } from "../../src/ingest/mod.ts";
import { createClickHouseReader } from "../../src/ingest/stores/clickhouse/clickhouse_reader.ts";
import { createClickHouseTarget } from "../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import { createJetStreamSink } from "../../src/ingest/stores/jetstream/jetstream_sink.ts";
import { createLoader, type Loader, type LoaderOptions } from "../../src/ingest/loader/mod.ts";
import type { LoadTarget } from "../../src/ingest/ports/load_target.ts";
import { headersOf, KEY, ORIGIN, OTHER_KEY } from "../ingest/fixtures.ts";
import { buildPageview, buildQuery, SITE } from "../ingest/reports/fixtures.ts";
import { batchOf, STORED } from "../ingest/stores/sink_contract.ts";
import { type ClickHouseProcess, startClickHouse } from "./clickhouse.ts";
import { type IngestProcessOptions, runIngest, startIngest } from "./ingest_process.ts";
import { startLoad, until } from "./traffic.ts";
import { startLoadProcess } from "./load_process.ts";
import { type NatsCluster, startNatsCluster } from "./nats_cluster.ts";
import { bundleOnce } from "./program.ts";

const ROUNDS = Number(Deno.env.get("LOAD_KILL_ROUNDS") ?? 1);

/** What a test starts with: a stream of its own, with a sink that fills it, and a database. */
interface Road {
  readonly nats: NatsCluster;
  readonly clickHouse: ClickHouseProcess;
  readonly stream: string;
  readonly database: string;
  readonly sink: EventSink;
  /** Starts a loader on the stream; it ends with the test. */
  load(target: LoadTarget, options?: Partial<LoaderOptions>): Promise<Loader>;
  /** Opens the store; it closes with the test. */
  openTarget(): Promise<LoadTarget>;
  /** Returns how many events the store counts, and how many rows these have. */
  count(): Promise<{ readonly events: number; readonly rows: number }>;
}

/** What runs. */
interface Servers {
  readonly nats: NatsCluster;
  readonly clickHouse: ClickHouseProcess;
}

let shared: Partial<Servers> = {};
let streams = 0;

Deno.test.beforeAll(async () => {
  shared = await startServers();
});

Deno.test.afterAll(async () => {
  await shared.nats?.stop();
  await shared.clickHouse?.stop();
});

async function startServers(): Promise<Servers> {
  const [nats, clickHouse] = await Promise.all([startNatsCluster(1), startClickHouse()]);
  return { nats, clickHouse };
}

/** For tests that kill. */
async function withOwnRoad(use: (road: Road) => Promise<void>, ...options: { duplicateWindowMs: number }[]) {
  const own = await startServers();
  try {
    await withRoad(use, own, ...options);
  } finally {
    await own.nats.stop();
    await own.clickHouse.stop();
  }
}

async function withRoad(
  use: (road: Road) => Promise<void>,
  { nats, clickHouse }: Partial<Servers> = shared,
  sinkOptions: { readonly duplicateWindowMs?: number } = {},
): Promise<void> {
  if (!nats || !clickHouse) throw new Error("nothing was started");
  const { servers } = nats;
  const { url } = clickHouse;
  streams += 1;
  const [stream, subjectPrefix] = [`LOAD_${streams}`, `load.${streams}`];
  const database = await clickHouse.createDatabase();
  const sink = await createJetStreamSink({ servers, stream, subjectPrefix, replicas: 1, ...sinkOptions });
  const closers: (() => Promise<void>)[] = [() => sink.close()];
  try {
    await use({
      nats,
      clickHouse,
      stream,
      database,
      sink,
      async load(target, options = {}) {
        const deadLetterSubject = `dead.${streams}`;
        const loader = await createLoader({ servers, stream, subjectPrefix, deadLetterSubject, target, ...options });
        closers.unshift(() => loader.close());
        return loader;
      },
      async openTarget() {
        const target = await createClickHouseTarget({ url, database });
        closers.push(() => target.close());
        return target;
      },
      async count() {
        const query = "SELECT (SELECT count() FROM events FINAL) AS events, (SELECT count() FROM events) AS rows";
        const [row] = await clickHouse.select(database, query);
        return { events: Number(row?.events), rows: Number(row?.rows) };
      },
    });
  } finally {
    for (const close of closers) await close();
  }
}

function manyEvents(count: number, prefix: string) {
  return Array.from({ length: count }, (_, index) => ({ ...STORED, id: `${prefix}-${index}` }));
}

Deno.test("createLoader() moves events from the stream into ClickHouse, each once, with several loaders", () =>
  withRoad(async ({ sink, load, openTarget, count }) => {
    const loaders = [await load(await openTarget()), await load(await openTarget(), { maxBlockEvents: 100 })];

    for (let batch = 0; batch < 20; batch++) await sink.store(batchOf(manyEvents(100, `batch-${batch}`)));
    await sink.store(batchOf(manyEvents(100, "batch-0"), OTHER_KEY));
    await until("all are there", async () => (await count()).events === 2_100);

    await until("all are counted", () => loaders.reduce((sum, loader) => sum + loader.counts().loaded, 0) === 2_100);
    assert(loaders.every((loader) => loader.counts().loaded > 0));
    assertEquals((await count()).rows, 2_100);
  }));

Deno.test("createLoader() keeps what is no event, or doesn't fit, with its reason, and goes on", () =>
  withRoad(async ({ clickHouse, nats, database, stream, sink, load, openTarget, count }) => {
    const connection = await connect({ servers: [...nats.servers] });
    const subject = `load.${streams}.0123456789abcdef0123456789abcdef`;
    const target = await openTarget();
    await clickHouse.run(database, "ALTER TABLE events ADD CONSTRAINT named CHECK name <> 'nameless'");
    await jetstream(connection).publish(subject, "not JSON");
    await jetstream(connection).publish(subject, JSON.stringify({ ...STORED, timestamp: "yesterday" }));
    await jetstream(connection).publish(`load.${streams}.nobody`, JSON.stringify(STORED));
    await sink.store(batchOf([STORED, { ...STORED, id: "e-2", name: "nameless" }]));

    const loader = await load(target);
    await until("all are done", () => loader.counts().deadLetters === 4);
    await until("the good one is there", async () => (await count()).events === 1);

    const consumer = await jetstream(connection).consumers.get(`${stream}_DEAD_LETTERS`);
    const letters: (readonly [string, string])[] = [];
    for await (const { headers, data, info } of await consumer.consume()) {
      letters.push([new TextDecoder().decode(data).slice(0, 8), headers?.get("Vendor-Reason") ?? ""]);
      if (info.pending === 0) break;
    }
    const { num_ack_pending } = await (await jetstreamManager(connection)).consumers.info(stream, "vendor_loader");
    await connection.close();
    assertEquals(letters.map(([, reason]) => reason.slice(0, 30)).sort(), [
      "ClickHouse: Constraint `named`",
      "it isn't JSON: Unexpected toke",
      "it's no event: timestamp must ",
      "the subject doesn't end with t",
    ]);
    assert(letters.some(([text]) => text === "not JSON"));
    assertEquals([num_ack_pending, loader.counts().loaded], [0, 1]);
  }));

Deno.test("createLoader() waits for a stream that isn't there yet, and for a store that is away", () =>
  withOwnRoad(async ({ clickHouse, nats, load, openTarget, count }) => {
    const target = await openTarget();
    const [stream, subjectPrefix] = [`LATE_${streams}`, `late.${streams}`];
    const loader = await load(target, { stream, subjectPrefix });
    await until("it has looked", () => loader.counts().failures > 0);
    const late = await createJetStreamSink({ servers: nats.servers, stream, subjectPrefix, replicas: 1 });
    await late.store(batchOf(manyEvents(50, "before")));
    await until("the first are there", async () => (await count()).events === 50);

    await clickHouse.kill();
    const failures = loader.counts().failures;
    await late.store(batchOf(manyEvents(50, "while-away")));
    await until("it has tried", () => loader.counts().failures > failures + 1);
    await clickHouse.restart();
    await until("the others are there", async () => (await count()).events === 100);

    await late.close();
  }));

Deno.test("createLoader() removes what every consumer has acknowledged, and a repeat after that is counted once", () =>
  withOwnRoad(async (road) => {
    const { nats, stream, sink, load, openTarget, count } = road;
    const connection = await connect({ servers: [...nats.servers] });
    const manager = await jetstreamManager(connection);
    await manager.consumers.add(stream, { durable_name: "archive", ack_policy: "explicit" });
    const loader = await load(await openTarget(), { purgeAfterMs: 300 });
    const events = manyEvents(10, "event");
    await sink.store(batchOf(events));
    await until("they are there", async () => (await count()).events === 10);

    await new Promise((resolve) => setTimeout(resolve, 700));
    const kept = (await manager.streams.info(stream)).state.messages;
    const archive = await jetstream(connection).consumers.get(stream, "archive");
    const delivered = await archive.fetch({ max_messages: 10, expires: 1000 });
    for await (const message of delivered) await message.ackAck();
    await until("they are gone", () => loader.counts().purged === 10);
    const { storage } = await manager.getAccountInfo();
    await until("the window has passed", async () => {
      const result = await sink.store(batchOf(events));
      return "accepted" in result && result.accepted > 0;
    });
    await nats.kill(0);
    nats.restart(0);
    await until("they came again", () => loader.counts().loaded >= 20);
    await sink.store(batchOf([...events, { ...STORED, id: "last" }]));
    await until("the last is there", async () => (await count()).events === 11);
    await connection.close();

    assertEquals([kept, storage], [10, 0]);
    assert((await count()).rows > 11, "nothing came twice");
  }, { duplicateWindowMs: 500 }));

/** Moves an event from an ingest into the reports of ClickHouse, by processes on some runtime. */
async function moveEvent(options: IngestProcessOptions): Promise<void> {
  await withOwnRoad(async ({ nats, clickHouse, database }) => {
    const own = ["--nats-stream", "PROGRAM"];
    const ofClickHouse = ["--clickhouse-database", database];
    const to = `clickhouse:${clickHouse.url}`;
    const from = `nats:${nats.servers.join(",")}`;
    const loader = await startLoadProcess(
      ["--from", from, "--to", to, ...own, ...ofClickHouse, "--metrics-port", "0"],
      options,
    );
    const [, metricsUrl = ""] = /"metrics":"([^"]+)"/.exec(loader.output()) ?? [];
    const beforeStream = await (await fetch(metricsUrl)).text();
    const unready = await (await fetch(new URL("/readyz", metricsUrl))).text();
    const ingest = await startIngest([
      ...["--key", `${KEY}=${ORIGIN}`, "--sink", from, "--nats-replicas", "1", ...own],
      ...["--reports", to, "--report-secret", "sk_test_0123456789", ...ofClickHouse],
    ], options);
    const events = [buildPageview({ pageUrl: `${SITE}/` })].map(({ collection: _, receivedAt: __, ...event }) => event);
    const body = JSON.stringify({
      ...{ type: "event", batchId: "b-1", sessionId: "s-1", identity: { userId: null }, sentAt: STORED.receivedAt },
      ...{ context: STORED.context, events },
    });
    const answer = await fetch(ingest.endpoint, { method: "POST", headers: headersOf(), body });
    const stored = await answer.json();
    let report = { current: { pageviews: { full: 0 } } };
    await until("the report has it", async () => {
      const url = `${ingest.origin}/reports?format=json`;
      report = await (await fetch(url, { headers: { Authorization: "Bearer sk_test_0123456789" } })).json();
      return report.current.pageviews.full === 1;
    });
    let metrics = "";
    await until("the message is acknowledged", async () => {
      metrics = await (await fetch(metricsUrl)).text();
      return metrics.includes("\nvendor_load_messages_waiting 0\n");
    });
    const ready = await (await fetch(new URL("/readyz", metricsUrl))).text();
    const { code, stdout, stderr } = await loader.end();
    await ingest.end();

    assertEquals(stored, { accepted: 1, duplicates: 0 });
    assertEquals([code, stderr], [0, ""]);
    assertMatch(beforeStream, /\nvendor_load_events_total 0\n[^]*\nvendor_load_messages_waiting NaN\n/i);
    assertMatch(metrics, /\nvendor_load_events_total 1\n[^]*\nvendor_load_dead_letters_total 0\n/);
    assertEquals([unready, ready], ["not ready\n", "ready\n"]);
    assertMatch(stdout, /"message":"stopped","loaded":1,"blocks":1,"erased":0,"deadLetters":0,/);
  });
}

Deno.test("ingest load on Deno: moves events, shows them in the reports of another process, and stops at a signal", async () => {
  await moveEvent({});
});

Deno.test("ingest load on Node: moves events, with the clients installed beside it", async () => {
  await moveEvent({ nodeProgram: await bundleOnce() });
});

Deno.test("ingest load: says in one line why it can't start", async () => {
  const from = ["--from", `nats:${shared.nats?.servers.join(",")}`];

  const away = await runIngest(["load", ...from, "--to", "clickhouse:http://127.0.0.1:1"]);
  const to = ["--to", `clickhouse:${shared.clickHouse?.url}`];
  const nowhere = await runIngest(["load", "--from", "nats:127.0.0.1:1", ...to]);
  const wrong = await runIngest(["load", ...from, "--to", "postgres:x"]);

  assertEquals([away.code, nowhere.code, wrong.code], [1, 1, 2]);
  assertStringIncludes(
    away.stderr,
    "ingest: the store can't be used: ClickHouse can't be used at http://127.0.0.1:1: ",
  );
  assertStringIncludes(nowhere.stderr, "ingest: the stream can't be read: NATS can't be reached at 127.0.0.1:1");
  assertEquals(wrong.stderr, "ingest: to must be clickhouse:URL, such as clickhouse:http://localhost:8123\n");
});

Deno.test("ingest load: copies a folder beside live loading, anew after kill -9, and compares the counts", () =>
  withRoad(async ({ clickHouse, database, sink, load, openTarget, count }) => {
    const directory = await Deno.makeTempDir();
    const path = `${directory}/events`;
    const old = await createFileSink({ path });
    const years = Array.from({ length: 45_000 }, (_, index) => {
      const timestamp = new Date(Date.UTC(2024, 0, 1, index % 20_000)).toISOString();
      return buildPageview({
        timestamp,
        receivedAt: "2024-05-31T00:00:00.000Z",
        pageUrl: `${SITE}/${index % 50}`,
        // A session lasts ten hours: ClickHouse counts none of over two days as one.
        sessionId: `s-${Math.floor(index / 10)}`,
      });
    });
    await old.store(batchOf(years));
    await old.store(batchOf(years.slice(0, 100), OTHER_KEY));
    // The last of them came to both, as while the sink is changed.
    await load(await openTarget());
    await sink.store(batchOf([...years.slice(-100), STORED]));
    const args = [
      "--from",
      `file:${path}`,
      "--to",
      `clickhouse:${clickHouse.url}`,
      "--clickhouse-database",
      database,
    ];

    const killed = await startLoadProcess(args);
    await until("a block is in", async () => (await count()).events > 10_000);
    await killed.end("SIGKILL");
    const { code, stdout } = await runIngest(["load", ...args]);
    await until("the live ones are there", async () => (await count()).events === 45_101);

    const readers = [
      createFileReader({ path }),
      await createClickHouseReader({ url: clickHouse.url, database }),
    ];
    const query = buildQuery({ from: "2024-01-01", to: "2024-12-31" });
    const reports = await Promise.all(readers.map(async (reader) => ({
      overview: await reader.overview(query, []),
      pages: await reader.pages(query, 100),
      sources: await reader.sources(query, { by: "referrer" }, 100),
      steps: await reader.steps(query, 100),
    })));
    const allowances = await Promise.all(readers.map((reader) => reader.countPageviews(KEY, "2024-05")));
    await Promise.all([old.close(), ...readers.map((reader) => reader.close())]);
    await Deno.remove(directory, { recursive: true });

    assertEquals(code, 0);
    assertMatch(stdout, /"copied all","copied":45100,"erased":0,"counted":4510[01],"unfit":0/);
    assertEquals(reports[0], reports[1]);
    assertEquals(allowances[0], allowances[1]);
    assert((allowances[0] ?? 0) > 0);
  }));

Deno.test("kill -9 of loader, nats-server and ClickHouse under load: nothing is lost, nothing counted twice", () =>
  withOwnRoad(async ({ nats, clickHouse, database, count }) => {
    const from = `nats:${nats.servers.join(",")}`;
    const args = ["--nats-stream", "KILLED", "--clickhouse-database", database, "--block-events", "500"];
    const start = () => startLoadProcess(["--from", from, "--to", `clickhouse:${clickHouse.url}`, ...args]);
    const sink = ["--sink", from, "--nats-replicas", "1", "--nats-stream", "KILLED"];
    const ingest = await startIngest(["--key", `${KEY}=${ORIGIN}`, ...sink]);
    const load = startLoad({ endpoint: () => ingest.endpoint, prefix: "kill", senders: 4, batchSize: 20 });
    const loaders = [await start(), await start()];
    const more = async (): Promise<void> => {
      const before = load.acknowledged.size;
      await until("more is acknowledged", () => load.acknowledged.size > before + 2_000);
    };

    for (let round = 0; round < ROUNDS; round++) {
      await more();
      await loaders[round % 2]?.end("SIGKILL");
      loaders[round % 2] = await start();
      await more();
      await clickHouse.kill();
      await more();
      await clickHouse.restart();
      await more();
      await nats.kill(0);
      nats.restart(0);
    }
    await more();
    await load.stop();
    const { acknowledged } = load;
    // A killed loader's messages come again after a minute; the ones in hand of the others come at once.
    const ids = async (): Promise<ReadonlySet<string>> => {
      const rows = await clickHouse.select(database, "SELECT id FROM events FINAL");
      return new Set(rows.map(({ id }) => String(id)));
    };
    const limitMs = Date.now() + 90_000;
    let stored = await ids();
    while (!acknowledged.isSubsetOf(stored) && Date.now() < limitMs) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      stored = await ids();
    }
    const { events, rows } = await count();
    await ingest.end();
    for (const loader of loaders) await loader.end();

    console.log(`sent and acknowledged ${acknowledged.size}, stored ${events} in ${rows} rows`);
    assertEquals([...acknowledged.difference(stored)], []);
    assertEquals(events, stored.size);
  }));
