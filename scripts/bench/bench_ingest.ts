/**
 * `deno task bench:ingest`: events per second and latency of the ingest, with the memory and the SQLite sink, beside a
 * bare `Deno.serve` that only parses the JSON; in one run, in shuffled order, as medians with their ranges.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { buildTable } from "../docs/table.ts";
import { extractEarlierTree } from "./earlier_tree.ts";
import { describeMoment, writeSection } from "./guide.ts";
import { type BenchServer, startBenchServer } from "./ingest/bench_server.ts";
import { runHostile } from "./ingest/hostile.ts";
import { runLoad } from "./ingest/load.ts";
import { measureValidation } from "./ingest/validation.ts";
import { findMedian, findQuantile, shuffle } from "./statistics.ts";

const USAGE = `Usage: deno task bench:ingest [options]

Sends events to the ingest over 32 connections, each with one request at a time, and prints medians of the rounds, with
the lowest and the highest.

  --rounds N        how often each is measured (default 5)
  --seconds N       how long each time (default 2)
  --before COMMIT   also the ingest of that commit
  --write           puts the table into docs/benchmarks.md
  --hostile         what honest senders notice of hostile ones instead, on Deno and on Node
  --without node    leaves that runtime out, with --hostile
  --help            shows this text`;

const { values: OPTIONS } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    before: { type: "string" },
    write: { type: "boolean" },
    hostile: { type: "boolean" },
    without: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

const KINDS = ["bare", "memory", "sqlite"] as const;
/** The ingest of an earlier commit, beside that of today. */
const BEFORE: Readonly<Record<string, string>> = { memory: "memory before", sqlite: "sqlite before" };

const SIZES = [1, 10, 50] as const;

const CONNECTIONS = 32;

interface Sample {
  readonly eventsPerS: number;
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(server: BenchServer, eventsPerRequest: number): Promise<Sample> {
  const before = await server.readCpuUs();
  const durationMs = Number(OPTIONS.seconds) * 1000;
  const { events, elapsedMs, latenciesMs } = await runLoad({
    ...{ port: server.port, eventsPerRequest, connections: CONNECTIONS, durationMs },
  });
  return {
    eventsPerS: events / elapsedMs * 1000,
    cpuUs: (await server.readCpuUs() - before) / events,
    p50Ms: findQuantile(latenciesMs, 0.5),
    p99Ms: findQuantile(latenciesMs, 0.99),
  };
}

async function startServers(directory: string): Promise<ReadonlyMap<string, BenchServer>> {
  const earlier = OPTIONS.before
    ? await extractEarlierTree(OPTIONS.before, ["mod.ts", "src", "scripts", "deno.json"])
    : undefined;
  const servers = new Map<string, BenchServer>();
  for (const kind of KINDS) servers.set(kind, await startBenchServer(kind, { databasePath: `${directory}/events.db` }));
  for (const [kind, name] of earlier ? Object.entries(BEFORE) : []) {
    const options = { databasePath: `${directory}/before.db`, ...earlier && { folder: earlier.folder } };
    servers.set(name, await startBenchServer(kind, options));
  }
  await earlier?.remove();
  return servers;
}

type Samples = ReadonlyMap<string, readonly Sample[]>;

async function measureAll(): Promise<Samples> {
  const directory = await Deno.makeTempDir();
  const servers = await startServers(directory);
  const samples = new Map<string, Sample[]>();
  try {
    // The first round warms up and isn't counted.
    for (let round = 0; round <= Number(OPTIONS.rounds); round++) {
      for (const size of SIZES) {
        for (const [name, server] of shuffle([...servers])) {
          const sample = await measure(server, size);
          if (round > 0) samples.set(`${name} ${size}`, [...samples.get(`${name} ${size}`) ?? [], sample]);
        }
      }
    }
  } finally {
    for (const server of servers.values()) await server.stop();
    await Deno.remove(directory, { recursive: true });
  }
  return samples;
}

function buildRows(samples: Samples): readonly (readonly string[])[] {
  const names = [...KINDS, ...OPTIONS.before ? Object.values(BEFORE) : []];
  return SIZES.flatMap((size) =>
    names.map((name) => {
      const own = samples.get(`${name} ${size}`) ?? [];
      const rates = own.map(({ eventsPerS }) => eventsPerS);
      const toRatio = (other: string): string => {
        const others = samples.get(`${other} ${size}`)?.map(({ eventsPerS }) => eventsPerS) ?? [];
        return others.length ? (findMedian(rates) / findMedian(others)).toFixed(2) : "";
      };
      return [
        `${name}, ${size}`,
        `${format(rates)} (${format([Math.min(...rates)])} to ${format([Math.max(...rates)])})`,
        toRatio("bare"),
        ...OPTIONS.before ? [toRatio(BEFORE[name] ?? "")] : [],
        ...(["cpuUs", "p50Ms", "p99Ms"] as const).map((figure) => format(own.map((sample) => sample[figure]))),
      ];
    })
  );
}

function format(values: readonly number[]): string {
  const median = findMedian(values);
  return median.toLocaleString("en", { maximumFractionDigits: median < 100 ? 1 : 0 });
}

async function main(): Promise<void> {
  if (OPTIONS.help) return console.log(USAGE);
  const [rounds, durationMs] = [Number(OPTIONS.rounds), Number(OPTIONS.seconds) * 1000];
  if (OPTIONS.hostile) {
    return await runHostile({
      rounds,
      durationMs,
      runtimes: ["deno", "node"].filter((name) => name !== OPTIONS.without),
    });
  }
  const rows = buildRows(await measureAll());
  const before = OPTIONS.before ? ["times before"] : [];
  const titles = ["sink, events per request", "events/s", "of bare", ...before, "CPU µs per event", "p50 ms", "p99 ms"];
  const { parseUs, checkUs } = measureValidation();
  const text = `${buildTable([titles, ...rows])}
Medians of ${rounds} rounds of ${
    durationMs / 1000
  } s with the lowest and the highest, measured ${await describeMoment()},
with Deno ${Deno.version.deno}. Of the time of an event of 50, \`JSON.parse\` takes ${
    parseUs.toFixed(1)
  } µs and the whole
check of a body ${checkUs.toFixed(1)} µs.`;
  console.log(text);
  if (OPTIONS.write) await writeSection("ingest", text);
}

await main();
