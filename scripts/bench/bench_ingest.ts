/**
 * `deno task bench:ingest`: events per second and latency of the ingest, with the memory and the SQLite sink, beside a
 * bare server of the runtime that only parses the JSON; in one run, in shuffled order, as medians with their ranges.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { buildTable } from "../docs/table.ts";
import { describeMoment, writeSection } from "./guide.ts";
import { type BenchRuntime, type BenchServer, prepareServer, startBenchServer } from "./ingest/bench_server.ts";
import { runLoad } from "./ingest/load.ts";
import { measureValidation } from "./ingest/validation.ts";
import { findMedian, findQuantile, shuffle } from "./statistics.ts";

const USAGE = `Usage: deno task bench:ingest [options]

Sends events to the ingest over 32 connections: each as soon as its last request is answered, and then at half of the
rate that this gave. Prints medians of the rounds, with the lowest and the highest.

  --rounds N        how often each is measured (default 5)
  --seconds N       how long each time (default 2)
  --runtime NAME    what runs the ingest: deno or node (default deno)
  --write           puts the table into docs/benchmarks.md
  --help            shows this text`;

const { values: OPTIONS } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    runtime: { type: "string", default: "deno" },
    write: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

const RUNTIME: BenchRuntime = OPTIONS.runtime === "node" ? "node" : "deno";

const KINDS = ["bare", "memory", "sqlite"] as const;

const SIZES = [1, 10, 50] as const;

const CONNECTIONS = 32;

/** What a server did in a round, as much as it could, and what it did at half of that. */
interface Sample {
  readonly eventsPerS: number;
  readonly cpuUs: number;
  readonly p99Ms: number;
}

/** Samples by the name of the server and the events of a request, in the order of the rounds. */
type Samples = Map<string, Sample[]>;

async function measure(server: BenchServer, eventsPerRequest: number, eventsPerS?: number): Promise<Sample> {
  const before = await server.readCpuUs();
  const { events, elapsedMs, latenciesMs } = await runLoad({
    port: server.port,
    eventsPerRequest,
    connections: CONNECTIONS,
    durationMs: Number(OPTIONS.seconds) * 1000,
    ...(eventsPerS && { requestsPerS: eventsPerS / eventsPerRequest }),
  });
  return {
    eventsPerS: events / elapsedMs * 1000,
    cpuUs: (await server.readCpuUs() - before) / events,
    p99Ms: findQuantile(latenciesMs, 0.99),
  };
}

async function startServers(directory: string): Promise<ReadonlyMap<string, BenchServer>> {
  const servers = new Map<string, BenchServer>();
  const command = await prepareServer(RUNTIME, directory);
  for (const kind of KINDS) {
    servers.set(kind, await startBenchServer(kind, { command, databasePath: `${directory}/events.db` }));
  }
  return servers;
}

/** Measures each server with each size once a round; the first round warms up and isn't counted. */
async function measureRounds(
  servers: ReadonlyMap<string, BenchServer>,
  findRate: (name: string, size: number) => number | undefined,
): Promise<Samples> {
  const samples: Samples = new Map();
  for (let round = 0; round <= Number(OPTIONS.rounds); round++) {
    for (const size of SIZES) {
      for (const [name, server] of shuffle([...servers])) {
        const sample = await measure(server, size, findRate(name, size));
        if (round > 0) samples.set(`${name} ${size}`, [...samples.get(`${name} ${size}`) ?? [], sample]);
      }
    }
  }
  return samples;
}

/** What was measured at full load, and at half of it. */
interface Measured {
  readonly full: Samples;
  readonly half: Samples;
}

async function measureAll(): Promise<Measured> {
  const directory = await Deno.makeTempDir();
  const servers = await startServers(directory);
  try {
    const full = await measureRounds(servers, () => undefined);
    const half = await measureRounds(
      servers,
      (name, size) => findMedian(full.get(`${name} ${size}`)?.map(({ eventsPerS }) => eventsPerS) ?? []) / 2,
    );
    return { full, half };
  } finally {
    for (const server of servers.values()) await server.stop();
    await Deno.remove(directory, { recursive: true });
  }
}

function buildRows({ full, half }: Measured): readonly (readonly string[])[] {
  return SIZES.flatMap((size) =>
    KINDS.map((name) => {
      const read = (samples: Samples, of: string, figure: keyof Sample): readonly number[] =>
        samples.get(`${of} ${size}`)?.map((sample) => sample[figure]) ?? [];
      const rates = read(full, name, "eventsPerS");
      // Of the same round: what else the machine did was mostly the same.
      const bare = read(full, "bare", "eventsPerS");
      return [
        `${name}, ${size}`,
        formatRange(rates),
        formatRange(rates.map((rate, round) => rate / (bare[round] ?? NaN))),
        format(findMedian(read(full, name, "cpuUs"))),
        format(findMedian(read(full, name, "p99Ms"))),
        formatRange(read(half, name, "p99Ms")),
      ];
    })
  );
}

function formatRange(values: readonly number[]): string {
  return `${format(findMedian(values))} (${format(Math.min(...values))} to ${format(Math.max(...values))})`;
}

function format(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

async function buildText(measured: Measured): Promise<string> {
  const titles = ["sink, events per request", "events/s", "of bare", "CPU µs per event", "p99 ms", "p99 ms at half"];
  const { parseUs, checkUs } = measureValidation();
  const runtime = RUNTIME === "node" ? "Node 22" : `Deno ${Deno.version.deno}`;
  return `On ${runtime}:

${buildTable([titles, ...buildRows(measured)])}
Medians of ${OPTIONS.rounds} rounds of ${OPTIONS.seconds} s with the lowest and the highest, measured ${await describeMoment()}.
Of the time of an event of 50, \`JSON.parse\` takes ${parseUs.toFixed(1)} µs and the whole check of a body ${
    checkUs.toFixed(1)
  } µs.`;
}

async function main(): Promise<void> {
  if (OPTIONS.help) return console.log(USAGE);
  const text = await buildText(await measureAll());
  console.log(text);
  if (OPTIONS.write) await writeSection(RUNTIME === "node" ? "ingest-node" : "ingest", text);
}

await main();
