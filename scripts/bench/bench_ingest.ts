/**
 * `deno task bench:ingest`: events per second and latency of the ingest, with the memory sink and with a folder, beside a
 * bare server of the runtime that only parses the JSON; in one run, in shuffled order, as medians with their ranges.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { buildTable } from "../docs/table.ts";
import { extractEarlierTree } from "./earlier_tree.ts";
import { describeMoment, writeSection } from "./guide.ts";
import {
  type BenchRuntime,
  type BenchServer,
  prepareServer,
  REPOSITORY,
  startBenchServer,
} from "./ingest/bench_server.ts";
import { runHostile } from "./ingest/hostile.ts";
import { runLoad } from "./ingest/load.ts";
import { measureValidation } from "./ingest/validation.ts";
import { findMedian, findQuantile, shuffle } from "./statistics.ts";

const USAGE = `Usage: deno task bench:ingest [options]

Sends events to the ingest over 32 connections: each as soon as its last request is answered, and then at half of the
rate that this gave. Prints medians of the rounds, with the lowest and the highest.

  --rounds N        how often each is measured (default 5)
  --seconds N       how long each time (default 2)
  --runtime NAME    what runs the ingest: deno or node (default deno)
  --before COMMIT   also the ingest of that commit; its rate is the one that is halved
  --write           puts the table into docs/benchmarks.md, without the earlier commit
  --hostile         what honest senders notice of hostile ones instead, on Deno and on Node
  --without node    leaves that runtime out, with --hostile
  --help            shows this text`;

const { values: OPTIONS } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    runtime: { type: "string", default: "deno" },
    before: { type: "string" },
    write: { type: "boolean" },
    hostile: { type: "boolean" },
    without: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

const RUNTIME: BenchRuntime = OPTIONS.runtime === "node" ? "node" : "deno";

const KINDS = ["bare", "memory", "file"] as const;

/** The ingest of an earlier commit, beside that of today. */
const BEFORE: Readonly<Record<string, string>> = { memory: "memory before", file: "file before" };

const SIZES = [1, 10, 50] as const;

const CONNECTIONS = 32;

/** Figures of a server in a round: at its full rate, or at half of it. */
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
  const command = await prepareServer(RUNTIME, { folder: REPOSITORY, directory });
  for (const kind of KINDS) {
    servers.set(kind, await startBenchServer(kind, { command, folder: `${directory}/events` }));
  }
  if (OPTIONS.before === undefined) return servers;
  const earlier = await extractEarlierTree(OPTIONS.before, ["mod.ts", "src", "scripts", "deno.json"]);
  const options = {
    command: await prepareServer(RUNTIME, { folder: earlier.folder, directory }),
    folder: `${directory}/before`,
  };
  for (const [kind, name] of Object.entries(BEFORE)) servers.set(name, await startBenchServer(kind, options));
  await earlier.remove();
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

/** The samples at full load, and at half of it. */
interface Measured {
  readonly full: Samples;
  readonly half: Samples;
}

async function measureAll(): Promise<Measured> {
  const directory = await Deno.makeTempDir();
  const servers = await startServers(directory);
  try {
    const full = await measureRounds(servers, () => undefined);
    const half = await measureRounds(servers, (name, size) => {
      const compared = OPTIONS.before ? BEFORE[name] ?? name : name;
      return findMedian(full.get(`${compared} ${size}`)?.map(({ eventsPerS }) => eventsPerS) ?? []) / 2;
    });
    return { full, half };
  } finally {
    for (const server of servers.values()) await server.stop();
    await Deno.remove(directory, { recursive: true });
  }
}

function buildRows({ full, half }: Measured, hasBefore: boolean): readonly (readonly string[])[] {
  const names = [...KINDS, ...hasBefore ? Object.values(BEFORE) : []];
  return SIZES.flatMap((size) =>
    names.map((name) => {
      const read = (samples: Samples, of: string, figure: keyof Sample): readonly number[] =>
        samples.get(`${of} ${size}`)?.map((sample) => sample[figure]) ?? [];
      const rates = read(full, name, "eventsPerS");
      // Of the same round: what else the machine did was mostly the same.
      const compare = (other: string | undefined, figure: keyof Sample): string => {
        const others = other === undefined ? [] : read(full, other, figure);
        return others.length === 0 ? "" : formatRange(
          rates.map((_, round) => {
            const [own = NaN, its = NaN] = [read(full, name, figure)[round], others[round]];
            return figure === "cpuUs" ? its / own : own / its;
          }),
        );
      };
      return [
        `${name}, ${size}`,
        formatRange(rates),
        compare("bare", "eventsPerS"),
        ...hasBefore ? [compare(BEFORE[name], "eventsPerS"), compare(BEFORE[name], "cpuUs")] : [],
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

async function buildText(measured: Measured, hasBefore: boolean): Promise<string> {
  const titles = [
    "sink, events per request",
    "events/s",
    "of bare",
    ...hasBefore ? ["times before", "for a CPU second"] : [],
    "CPU µs per event",
    "p99 ms",
    "p99 ms at half",
  ];
  const { parseUs, checkUs } = measureValidation();
  const runtime = RUNTIME === "node" ? "Node 22" : `Deno ${Deno.version.deno}`;
  const before = hasBefore ? ` Before is ${OPTIONS.before}.` : "";
  return `On ${runtime}:

${buildTable([titles, ...buildRows(measured, hasBefore)])}
Medians of ${OPTIONS.rounds} rounds of ${OPTIONS.seconds} s with the lowest and the highest, measured ${await describeMoment()}.${before}
Of the time of an event of 50, \`JSON.parse\` takes ${parseUs.toFixed(1)} µs and the whole check of a body ${
    checkUs.toFixed(1)
  } µs.`;
}

async function main(): Promise<void> {
  if (OPTIONS.help) return console.log(USAGE);
  if (OPTIONS.hostile) {
    return await runHostile({
      rounds: Number(OPTIONS.rounds),
      durationMs: Number(OPTIONS.seconds) * 1000,
      runtimes: ["deno", "node"].filter((name) => name !== OPTIONS.without),
    });
  }
  const measured = await measureAll();
  console.log(await buildText(measured, OPTIONS.before !== undefined));
  if (OPTIONS.write) {
    await writeSection(RUNTIME === "node" ? "ingest-node" : "ingest", await buildText(measured, false));
  }
}

await main();
