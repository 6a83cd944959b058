/**
 * `deno task bench:report`: stores a made-up year of a shop, asks for each view of its report, opens the page in a real,
 * headless Chromium, and fails if that takes too long.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { createFileReader, createReports, type EventSink, type ReportReader } from "../../src/ingest/mod.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import { createClickHouseReader, createClickHouseTarget } from "../../src/ingest/stores/clickhouse/mod.ts";
import { CHROMIUM_ARGS, CHROMIUM_PATH } from "../../tests/browser/chromium.ts";
import { type ClickHouseProcess, startClickHouse } from "../../tests/cluster/clickhouse.ts";
import { buildTable } from "../docs/table.ts";
import { runProcess } from "../support/process.ts";
import { describeMoment, writeSection } from "./guide.ts";
import { measureFiles } from "./report_data/measure_files.ts";
import { measureViews, type ViewTime } from "./report_data/measure_views.ts";
import { SHOP_ORIGIN } from "./report_data/shop.ts";
import { storeYear, storeYearSealed } from "./report_data/store_year.ts";
import { findMedian } from "./statistics.ts";

const USAGE = `Usage: deno task bench:report [options]

Stores a made-up year of a shop in a folder, asks for each view of 30 days and of the year, and opens the page of the year
in Chromium. It fails where a view or the page takes longer than it may.

  --events N        events of the year (default 1000000)
  --batch N         events that are stored at a time (default 1000)
  --folder FOLDER   keeps the year there, and takes one that is there already as it is
  --store           stores the year, and measures nothing
  --runs N          how often each view is asked for (default 20)
  --clickhouse      stores the year in ClickHouse, which is started, and asks for the views there; nothing fails
  --files           prints what storing, sealing, opening and erasing take; nothing fails
  --write           puts what is measured into docs/benchmarks.md
  --help            shows this text`;

/** Longest time of the page, from the request to the end of its load event. */
const LIMIT_MS = 2000;

/** Number of times that the page is opened, each in a new browser profile. */
const RUNS = 7;

/** Seconds without a merge, after which none is to come. */
const QUIET_S = 5;

const LAST_DAY = "2026-11-20";

const API_KEY = "pk_bench";

const SECRET_KEY = "sk_bench_0123456789";

const { values: OPTIONS } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    batch: { type: "string", default: "1000" },
    folder: { type: "string" },
    runs: { type: "string", default: "20" },
    store: { type: "boolean" },
    clickhouse: { type: "boolean" },
    files: { type: "boolean" },
    write: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

const YEAR = { apiKey: API_KEY, events: readNumber("events"), batchSize: readNumber("batch"), lastDay: LAST_DAY };

function readNumber(name: "events" | "batch" | "runs"): number {
  const value = Number(OPTIONS[name]);
  if (!Number.isInteger(value) || value <= 0) throw new Error(`--${name} must be a whole number`);
  return value;
}

async function store(path: string): Promise<void> {
  const partPath = `${path}.part`; // an unfinished year must not be taken for a whole one
  const { storeMs } = await storeYearSealed(partPath, { ...YEAR, seed: 1 });
  await Deno.rename(partPath, path);
  const rate = Math.round(YEAR.events / storeMs * 1000);
  console.log(`stored ${YEAR.events} events of a year, ${YEAR.batchSize} at a time: ${rate} events/s`);
}

/** Opens the page of the year; returns the milliseconds of each time, each in a new profile. */
async function openPages(reader: ReportReader): Promise<readonly number[]> {
  const keys = [{ apiKey: API_KEY, secretKey: SECRET_KEY, origins: [SHOP_ORIGIN] }];
  const reports = createReports({ keys, reader, now: () => Date.parse(LAST_DAY) });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => await reports(request) ?? new Response(null, { status: 404 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}/reports?from=2025-11-21&to=${LAST_DAY}`;
  const browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: [...CHROMIUM_ARGS] });
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const context = await browser.newContext({ httpCredentials: { username: "bench", password: SECRET_KEY } });
    const page = await context.newPage();
    const startMs = performance.now();
    await page.goto(url, { waitUntil: "load" });
    times.push(performance.now() - startMs);
    await page.locator(".figures").waitFor();
    await context.close();
  }
  await browser.close();
  await server.shutdown();
  return times;
}

async function checkPage(reader: ReportReader): Promise<void> {
  const times = await openPages(reader);
  const [firstMs = Infinity, medianMs] = [times[0], findMedian(times)];
  console.log(`page of the year: ${Math.round(firstMs)} ms the first time, ${Math.round(medianMs)} ms in the median`);
  fail(Math.max(firstMs, medianMs) > LIMIT_MS, `that is more than ${LIMIT_MS} ms`);
}

async function checkViews(reader: ReportReader): Promise<readonly ViewTime[]> {
  const times = await measureViews(reader, { apiKey: API_KEY, lastDay: LAST_DAY, runs: readNumber("runs") });
  const late = times.filter(({ p95Ms, limitMs }) => p95Ms > limitMs).map(({ name, days }) => `${name}, ${days} days`);
  fail(late.length > 0, `too slow: ${late.join("; ")}`);
  return times;
}

function fail(isFailure: boolean, message: string): void {
  if (!isFailure) return;
  console.error(message);
  Deno.exitCode = 1;
}

async function write(times: readonly ViewTime[]): Promise<void> {
  const rows = times.filter(({ days }) => days === 30).map(({ name, p95Ms, cpuMs }) => {
    const year = times.find((other) => other.name === name && other.days === 365);
    return [name, ...[p95Ms, year?.p95Ms, cpuMs, year?.cpuMs].map((ms = NaN) => `${Math.round(ms)}`)];
  });
  const table = buildTable([["ms", "30 days, p95", "a year, p95", "CPU of 30 days", "CPU of a year"], ...rows]);
  const events = YEAR.events.toLocaleString("en");
  const moment =
    `Of ${OPTIONS.runs} times, each of other days, over ${events} events of a year, measured ${await describeMoment()}.`;
  await writeSection("report", `${table}\n${moment}`);
}

/** Waits until ClickHouse has merged the parts that it merges by itself: a year arrives in a year, not in minutes. */
async function awaitMerges(server: ClickHouseProcess, database: string): Promise<void> {
  const read = async (count: string): Promise<number> =>
    Number((await server.select(database, `SELECT ${count} AS found`))[0]?.found);
  let quietS = 0;
  while (quietS < QUIET_S) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const merges = await read("count() FROM system.merges WHERE database = currentDatabase()");
    quietS = merges > 0 ? 0 : quietS + 1;
  }
  const parts = await read("count() FROM system.parts WHERE active AND database = currentDatabase()");
  console.log(`merged into ${parts} parts`);
}

/** Measures a year in ClickHouse. */
async function measureClickHouse(): Promise<void> {
  const server = await startClickHouse();
  const options = { url: server.url, database: await server.createDatabase() };
  const target = await createClickHouseTarget(options);
  const keyHash = await hashKey(API_KEY);
  const sink: EventSink = {
    async store({ events }) {
      await target.store(events.map((event) => ({ keyHash, event })));
      return { accepted: events.length, duplicates: 0 };
    },
    close: () => target.close(),
  };
  await storeYear(sink, { ...YEAR, batchSize: 20_000, seed: 1 });
  await sink.close();
  await awaitMerges(server, options.database);
  const reader = await createClickHouseReader(options);
  await measureViews(reader, { apiKey: API_KEY, lastDay: LAST_DAY, runs: readNumber("runs") });
  await reader.close();
  await server.stop();
}

/** Waits until all that is stored is counted, which takes longer than a call waits where there are millions of events. */
async function awaitCount(reader: ReportReader): Promise<void> {
  const startMs = performance.now();
  const reports = createReports({ keys: [{ apiKey: API_KEY, secretKey: SECRET_KEY, origins: [SHOP_ORIGIN] }], reader });
  for (let isCounted = false; !isCounted;) {
    isCounted = await reports.live({ apiKey: API_KEY }).then(() => true, (error: unknown) => {
      if (!`${error}`.includes("is being counted")) throw error;
      return false;
    });
  }
  console.log(`first view: ${Math.round(performance.now() - startMs)} ms`);
}

async function measureFolder(path: string): Promise<void> {
  const reader = createFileReader({ path });
  await awaitCount(reader);
  const times = await checkViews(reader);
  const [damaged] = await reader.damaged?.() ?? [];
  // Of another tree, say: what can't be read takes no time.
  if (damaged !== undefined) throw new Error(damaged.message);
  await checkPage(reader);
  await reader.close();
  if (OPTIONS.write) await write(times);
}

/** Prints what storing, sealing, opening and erasing take, and puts it into the guide. */
async function printFiles(folder: string): Promise<void> {
  // In a process of its own: what that takes of memory isn't the reader's.
  const storing = ["--store", `--folder=${folder}`, `--events=${YEAR.events}`, `--batch=${YEAR.batchSize}`];
  await runProcess(Deno.execPath(), { args: ["run", "-A", "--no-check", import.meta.filename ?? "", ...storing] });
  const rows = await measureFiles({ ...YEAR, folder, runs: readNumber("runs") });
  for (const { figure, measured, asked } of rows) console.log(`${figure}: ${measured}, of at most ${asked}`);
  if (!OPTIONS.write) return;
  const table = buildTable([
    ["of a folder", "measured", "at most"],
    ...rows.map(({ figure, measured, asked }) => [figure, measured, asked]),
  ]);
  const events = YEAR.events.toLocaleString("en");
  await writeSection("files", `${table}\nOf ${events} events of a year, measured ${await describeMoment()}.`);
}

async function main(): Promise<void> {
  if (OPTIONS.help) return console.log(USAGE);
  if (OPTIONS.clickhouse) return await measureClickHouse();
  const directory = await Deno.makeTempDir({ prefix: "vendor-reports-" });
  try {
    if (OPTIONS.files) return await printFiles(`${directory}/events`);
    const path = OPTIONS.folder ?? `${directory}/year`;
    if (!await Deno.stat(path).then(() => true, () => false)) await store(path);
    if (!OPTIONS.store) await measureFolder(path);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

await main();
