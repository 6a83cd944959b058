/**
 * `deno task bench:ingest`: events per second and latency of the ingest, with the memory and the SQLite sink, beside
 * a bare `Deno.serve` that only parses the JSON; in one run, by turns, as medians. Of SQLite also events per second until
 * the reports count all of them. `--rounds=N --seconds=N`. With `--hostile` what honest senders notice of hostile ones,
 * see `bench_ingest/hostile.ts`.
 *
 * @module
 */
import { type BenchServer, startBenchServer } from "./ingest/bench_server.ts";
import { runHostile } from "./ingest/hostile.ts";
import { measureValidation } from "./ingest/validation.ts";
import { runLoad } from "./ingest/load.ts";
import { createSqliteReader } from "../../src/ingest/mod.ts";

const KINDS = ["bare", "memory", "sqlite"] as const;

const SIZES = [1, 50, 100] as const;

const CONNECTIONS = 32;

const TARGET_EVENTS_PER_S = 20_000;

interface Sample {
  readonly eventsPerS: number;
  /** The same, until the reports count all of them: other servers than SQLite have none. */
  readonly countedPerS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerEvent: number;
}

type Kind = typeof KINDS[number];

interface MeasureOptions {
  readonly eventsPerRequest: number;
  readonly durationMs: number;
  readonly untilCounted: () => Promise<void>;
}

async function measure(
  server: BenchServer,
  { eventsPerRequest, durationMs, untilCounted }: MeasureOptions,
): Promise<Sample> {
  const startMs = performance.now();
  const before = await server.readCpuUs();
  const load = { port: server.port, eventsPerRequest, connections: CONNECTIONS, durationMs };
  const { events, elapsedMs, latenciesMs } = await runLoad(load);
  const cpuUs = await server.readCpuUs() - before;
  await untilCounted();
  const countedMs = performance.now() - startMs;
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? NaN;
  return {
    eventsPerS: events / (elapsedMs / 1000),
    countedPerS: events / (countedMs / 1000),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuUsPerEvent: cpuUs / events,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

function summarize(samples: readonly Sample[]): Sample {
  const of = (name: keyof Sample): number => median(samples.map((sample) => sample[name]));
  return {
    eventsPerS: of("eventsPerS"),
    countedPerS: of("countedPerS"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
    cpuUsPerEvent: of("cpuUsPerEvent"),
  };
}

function readNumber(name: string, fallback: number): number {
  return Number(Deno.args.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? fallback);
}

function printRow(cells: readonly string[]): void {
  const [first = "", ...rest] = cells;
  console.log([first.padEnd(8), ...rest.map((cell) => cell.padStart(10))].join("  "));
}

if (Deno.args.includes("--hostile")) {
  const runtimes = ["deno", "node"].filter((name) => !Deno.args.some((argument) => argument === `--without=${name}`));
  await runHostile({ rounds: readNumber("rounds", 5), durationMs: readNumber("seconds", 3) * 1000, runtimes });
  Deno.exit();
}
const rounds = readNumber("rounds", 3);
const durationMs = readNumber("seconds", 2) * 1000;
const directory = await Deno.makeTempDir();
const servers = new Map<Kind, BenchServer>();
const path = `${directory}/events.db`;
for (const kind of KINDS) servers.set(kind, await startBenchServer(kind, path));
const reader = await createSqliteReader({ path });

async function untilCounted(): Promise<void> {
  while (await reader.progress() < 1) await new Promise((resolve) => setTimeout(resolve, 20));
}

const samples = new Map<string, Sample[]>();
try {
  // The first round warms up and isn't counted.
  for (let round = 0; round <= rounds; round++) {
    for (const size of SIZES) {
      for (const [kind, server] of servers) {
        const sample = await measure(server, {
          eventsPerRequest: size,
          durationMs: round === 0 ? 1000 : durationMs,
          untilCounted: kind === "sqlite" ? untilCounted : () => Promise.resolve(),
        });
        if (round > 0) samples.set(`${kind} ${size}`, [...samples.get(`${kind} ${size}`) ?? [], sample]);
      }
    }
  }
} finally {
  await reader.close();
  for (const server of servers.values()) await server.stop();
  await Deno.remove(directory, { recursive: true });
}

const load = Deno.loadavg().map((value) => value.toFixed(1)).join(" ");
console.log(`${rounds} rounds of ${durationMs / 1000} s, ${CONNECTIONS} connections; load of the machine ${load}\n`);
printRow(["server", "per req.", "events/s", "of bare", "p50 ms", "p99 ms", "CPU us/ev."]);
for (const size of SIZES) {
  const bare = summarize(samples.get(`bare ${size}`) ?? []);
  for (const kind of KINDS) {
    const sample = summarize(samples.get(`${kind} ${size}`) ?? []);
    const ratio = `${((sample.eventsPerS / bare.eventsPerS) * 100).toFixed(0)} %`;
    const numbers = [sample.p50Ms, sample.p99Ms, sample.cpuUsPerEvent].map((value) => value.toFixed(1));
    printRow([kind, String(size), sample.eventsPerS.toFixed(0), ratio, ...numbers]);
  }
}
const { eventsPerS, countedPerS, cpuUsPerEvent } = summarize(samples.get("sqlite 50") ?? []);
const verdict = eventsPerS >= TARGET_EVENTS_PER_S ? "reached" : "missed";
console.log(
  `\nSQLite in batches of 50: ${eventsPerS.toFixed(0)} events/s; ${TARGET_EVENTS_PER_S} are ${verdict}. ` +
    `${countedPerS.toFixed(0)} events/s until the reports count all of them. ` +
    `What it takes of a processor is enough for ${(1e6 / cpuUsPerEvent).toFixed(0)} events/s on one that is free.`,
);
const { parseUs, checkUs } = measureValidation();
console.log(`Per event: JSON.parse ${parseUs.toFixed(2)} us, the whole check of a body ${checkUs.toFixed(2)}.`);
