/**
 * `deno task bench:load`: how fast a loader moves events from a NATS JetStream into ClickHouse, beside a bare loop that
 * inserts the same rows; what nats-server keeps in memory, with a loader and a short window and without; and how long the
 * report of a year takes on ClickHouse before merges, and on SQLite.
 *
 *     deno task bench:load --events=500000 --year=10000000 --sqlite-year=1000000
 *
 * It needs nats-server, Node and npm, which installs the engine of ClickHouse at the first run.
 *
 * @module
 */
import {
  createReports,
  createSqliteReader,
  createSqliteSink,
  type EventSink,
  type ReportReader,
} from "../../src/ingest/mod.ts";
import { createClickHouseReader, createClickHouseTarget } from "../../src/ingest/stores/clickhouse/mod.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import { openClickHouse } from "../../src/ingest/stores/clickhouse/clickhouse_client.ts";
import { buildRows } from "../../src/ingest/stores/clickhouse/clickhouse_row.ts";
import { createJetStreamSink } from "../../src/ingest/stores/jetstream/jetstream_sink.ts";
import type { KeyedEvent, LoadTarget } from "../../src/ingest/ports/load_target.ts";
import { type ClickHouseProcess, startClickHouse } from "../../tests/cluster/clickhouse.ts";
import { startLoadProcess } from "../../tests/cluster/load_process.ts";
import { type NatsCluster, startNatsCluster } from "../../tests/cluster/nats_cluster.ts";
import { generateVisits } from "./report_data/generate_visits.ts";
import { SHOP_ORIGIN } from "./report_data/shop.ts";
import { storeYear } from "./report_data/store_year.ts";

const LAST_DAY = "2026-11-20";

const API_KEY = "pk_bench";

const SECRET_KEY = "sk_bench_0123456789";

/** Rows of a block, as the loader's default has it. */
const BLOCK_EVENTS = 20_000;

/** Events that are published at a time. */
const BATCH_EVENTS = 500;

/** Rows of the bare loop: they are all in memory before it starts. */
const MAX_BARE_EVENTS = 100_000;

const REPORT_RUNS = 3;

/** Between two looks at what is loaded: the engine answers one request after the other. */
const LOOK_MS = 250;

/** Windows of the two streams whose memory is compared, in milliseconds: 8 days, and ten seconds. */
const [LONG_WINDOW_MS, SHORT_WINDOW_MS] = [691_200_000, 10_000] as const;

function readNumber(name: string, byDefault: number): number {
  const value = Deno.args.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? byDefault;
  if (Number.isInteger(Number(value)) && Number(value) > 0) return Number(value);
  console.error(`--${name} must be a whole number`);
  Deno.exit(2);
}

function makeYear(events: number): readonly (readonly KeyedEvent[])[] {
  const blocks: KeyedEvent[][] = [[]];
  for (const visit of generateVisits({ events, lastDay: LAST_DAY, seed: 1 })) {
    for (const event of visit) {
      if (blocks.at(-1)?.length === BLOCK_EVENTS) blocks.push([]);
      blocks.at(-1)?.push({ keyHash: HASH, event });
    }
  }
  return blocks;
}

async function measureMs(act: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await act();
  return performance.now() - startMs;
}

function toRate(events: number, tookMs: number): string {
  return `${Math.round(events / tookMs * 1000).toLocaleString("en")} events/s`;
}

async function publish(nats: NatsCluster, blocks: readonly (readonly KeyedEvent[])[], windowMs: number): Promise<void> {
  const { servers } = nats;
  const sink = await createJetStreamSink({ servers, replicas: 1, duplicateWindowMs: windowMs });
  for (const block of blocks) {
    for (let first = 0; first < block.length; first += BATCH_EVENTS) {
      const events = block.slice(first, first + BATCH_EVENTS).map(({ event }) => event);
      await sink.store({ apiKey: API_KEY, events });
    }
  }
  await sink.close();
}

async function count(clickHouse: ClickHouseProcess, database: string): Promise<number> {
  const rows = await clickHouse.select(database, "SELECT count() AS count FROM events").catch(() => []);
  return Number(rows[0]?.count ?? 0);
}

/** Inserts rows that are made already, and nothing else. */
async function measureBareLoop(clickHouse: ClickHouseProcess, events: number): Promise<void> {
  const database = await clickHouse.createDatabase();
  await (await createClickHouseTarget({ url: clickHouse.url, database })).close();
  const blocks = makeYear(events).map((block) => buildRows(block));
  const client = await openClickHouse({ url: clickHouse.url, database });
  const tookMs = await measureMs(async () => {
    for (const [index, rows] of blocks.entries()) await client.insert("events", rows, String(index));
  });
  await client.close();
  console.log(`bare loop that inserts: ${toRate(events, tookMs)}`);
}

async function measureLoader(clickHouse: ClickHouseProcess, events: number): Promise<void> {
  const database = await clickHouse.createDatabase();
  const blocks = makeYear(events);
  const [kept, purged] = [await startNatsCluster(1), await startNatsCluster(1)];
  await publish(kept, blocks, LONG_WINDOW_MS);
  await publish(purged, blocks, SHORT_WINDOW_MS);
  const args = ["--from", `nats:${purged.servers[0]}`, "--to", `clickhouse:${clickHouse.url}`];
  const loader = await startLoadProcess([...args, "--clickhouse-database", database, "--purge-after-minutes", "0"]);
  const tookMs = await measureMs(async () => {
    while (await count(clickHouse, database) < events) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  });
  console.log(`from the stream into ClickHouse: ${toRate(events, tookMs)}`);
  await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_WINDOW_MS));
  await loader.end();
  const [without, withLoader] = await Promise.all([kept.memoryOf(0), purged.memoryOf(0)]);
  console.log(
    `nats-server after ${events} events: ${toMegabytes(without)} without a loader and with a window of 8 days, ` +
      `${toMegabytes(withLoader)} with a loader and a window of 10 seconds`,
  );
  await kept.stop();
  await purged.stop();
}

function toMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** Asks for the whole report of a year, as the page does. */
async function measureReport(name: string, reader: ReportReader): Promise<void> {
  const keys = [{ apiKey: API_KEY, secretKey: SECRET_KEY, origins: [SHOP_ORIGIN] }];
  const reports = createReports({ keys, reader, now: () => Date.parse(LAST_DAY) });
  const url = `http://localhost/reports?from=2025-11-21&to=${LAST_DAY}`;
  const times: number[] = [];
  for (let run = 0; run < REPORT_RUNS; run++) {
    times.push(
      await measureMs(async () => {
        const answer = await reports(new Request(url, { headers: { Authorization: `Bearer ${SECRET_KEY}` } }));
        if (answer?.status !== 200) {
          throw new Error(`the report was answered ${answer?.status}: ${await answer?.text()}`);
        }
        await answer.text();
      }),
    );
  }
  const [first = NaN, ...others] = times.map(Math.round);
  console.log(`report of a year on ${name}: ${first} ms the first time, then ${others.join(" and ")} ms`);
}

/** Makes a target a sink, for the generator. */
function toSink(target: LoadTarget): EventSink {
  return {
    async store({ events }) {
      await target.store(events.map((event) => ({ keyHash: HASH, event })));
      return { accepted: events.length, duplicates: 0 };
    },
    close: () => target.close(),
  };
}

async function measureClickHouseReport(clickHouse: ClickHouseProcess, events: number): Promise<void> {
  const options = { url: clickHouse.url, database: await clickHouse.createDatabase() };
  const sink = toSink(await createClickHouseTarget(options));
  await clickHouse.run(options.database, "SYSTEM STOP MERGES events");
  await storeYear(sink, { apiKey: API_KEY, batchSize: BLOCK_EVENTS, events, lastDay: LAST_DAY, seed: 1 });
  await sink.close();
  const reader = await createClickHouseReader(options);
  await measureReport(`ClickHouse, ${events.toLocaleString("en")} events before merges`, reader);
  await reader.close();
}

async function measureSqliteReport(events: number): Promise<void> {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/events.db`;
  const sink = await createSqliteSink({ path });
  await storeYear(sink, { apiKey: API_KEY, batchSize: BATCH_EVENTS, events, lastDay: LAST_DAY, seed: 1 });
  await sink.close();
  const reader = await createSqliteReader({ path });
  await measureReport(`SQLite, ${events.toLocaleString("en")} events`, reader);
  await reader.close();
  await Deno.remove(directory, { recursive: true });
}

const HASH = await hashKey(API_KEY);
const events = readNumber("events", 500_000);
const clickHouse = await startClickHouse();
await measureBareLoop(clickHouse, Math.min(events, MAX_BARE_EVENTS));
await measureLoader(clickHouse, events);
await measureSqliteReport(readNumber("sqlite-year", 1_000_000));
await measureClickHouseReport(clickHouse, readNumber("year", 10_000_000));
await clickHouse.stop();
