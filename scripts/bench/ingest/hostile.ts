/**
 * `deno task bench:ingest --hostile`: what honest senders notice while 100 connections of one address send the worst
 * bodies there are, on Deno and on Node. `--rounds=N`, `--seconds=N`, `--without=node`.
 *
 * @module
 */
import { checkBody } from "../../../src/ingest/http/read_batch.ts";
import { decompress } from "../../../src/ingest/http/body.ts";
import { type IngestProcessOptions, startIngest } from "../../../tests/cluster/ingest_process.ts";
import { buildNodeProgram } from "../../../tests/cluster/node_program.ts";
import { EVENT, FULL } from "../../../tests/ingest/fixtures.ts";
import { BENCH_KEY } from "./body.ts";
import { HOSTILE_BODIES } from "./hostile_bodies.ts";
import { connect, type HttpConnection, type HttpMessage } from "./http_connection.ts";

/** Bytes that all hostile connections send a second, headers included; the first is the comparison. */
const RATES_BYTES_PER_S = [0, 16_000, 33_000] as const;

const HOSTILE_CONNECTIONS = 100;

const HOSTILE_ADDRESS = "198.51.100.7";

/** Honest senders, each of an address of its own, and how often each of them sends. */
const [HONEST_SENDERS, HONEST_EVERY_MS] = [20, 200];

/** Unfolded sizes of a body: the most that gzip may have at any size, and the most of a body. */
const SIZES = [64_000, 1_000_000] as const;

/** Number of bodies that are sent by turns: the worst for their bytes on the wire. */
const WORST = 6;

/** A hostile request, and what it costs in this process. */
interface HostileRequest {
  readonly name: string;
  readonly wireBytes: number;
  readonly costMs: number;
  readonly make: () => Promise<HttpMessage>;
}

/** Options of {@linkcode runHostile}. */
export interface HostileOptions {
  /** Turns of each rate. */
  readonly rounds: number;
  /** Duration of a turn in milliseconds. */
  readonly durationMs: number;
  /** Runtimes of the ingest: `deno`, `node`. */
  readonly runtimes: readonly string[];
}

/** Result of a turn. */
interface Figures {
  readonly latenciesMs: readonly number[];
  readonly statuses: ReadonlyMap<number, number>;
  readonly hostileBytes: number;
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Gives a body ids of its own: what is known already isn't stored. */
function renew(text: string): string {
  const id = crypto.randomUUID().slice(0, 8);
  return text.replaceAll('"id":"00000000-', `"id":"${id}-`).replaceAll('"id":"e-1"', `"id":"${id}"`);
}

async function buildHostile(): Promise<readonly HostileRequest[]> {
  const requests: HostileRequest[] = [];
  for (const { name, build } of HOSTILE_BODIES) {
    for (const size of SIZES) {
      const text = build(size);
      const make = async (): Promise<HttpMessage> => ({
        body: await gzip(renew(text)),
        headers: { "Content-Encoding": "gzip", "X-Forwarded-For": HOSTILE_ADDRESS },
      });
      const { body } = await make();
      requests.push({
        name: `${name}, ${size / 1000} KB`,
        wireBytes: body.byteLength,
        costMs: await measureCost(body),
        make,
      });
    }
  }
  return requests.toSorted((one, other) => other.costMs / other.wireBytes - one.costMs / one.wireBytes);
}

async function measureCost(body: Uint8Array<ArrayBuffer>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const startMs = performance.now();
    const unfolded = await decompress(body);
    if (!("status" in unfolded)) checkBody(unfolded);
    times.push(performance.now() - startMs);
  }
  return Math.min(...times);
}

/** Sends the worst bodies until the end, all connections together so many bytes a second. */
async function attack(
  connections: readonly HttpConnection[],
  { requests, bytesPerS, endMs }: {
    readonly requests: readonly HostileRequest[];
    readonly bytesPerS: number;
    readonly endMs: number;
  },
): Promise<Pick<Figures, "statuses" | "hostileBytes">> {
  const statuses = new Map<number, number>();
  const startMs = performance.now();
  let hostileBytes = 0;
  let sent = 0;

  async function run(connection: HttpConnection): Promise<void> {
    while (performance.now() < endMs) {
      const request = requests[sent++ % requests.length];
      if (request === undefined) return;
      hostileBytes += request.wireBytes + connection.headBytes;
      const dueMs = startMs + (hostileBytes / bytesPerS) * 1000;
      if (dueMs > endMs) return;
      await sleepUntil(dueMs);
      const status = await connection.send(await request.make());
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }

  if (bytesPerS > 0) await Promise.all(connections.map(run));
  return { statuses, hostileBytes };
}

/** Sends what pages send until the end; a latency begins when its request was due. */
async function sendHonestly(connection: HttpConnection, index: number, endMs: number): Promise<readonly number[]> {
  const latenciesMs: number[] = [];
  const address = `203.0.113.${index + 1}`;
  let dueMs = performance.now() + (index / HONEST_SENDERS) * HONEST_EVERY_MS;
  for (; dueMs < endMs; dueMs += HONEST_EVERY_MS) {
    await sleepUntil(dueMs);
    const events = Array.from({ length: 5 }, () => ({ ...EVENT, id: crypto.randomUUID() }));
    const body = new TextEncoder().encode(JSON.stringify({ ...FULL, events }));
    const status = await connection.send({ body, headers: { "X-Forwarded-For": address } });
    if (status !== 202) throw new Error(`an honest request was answered ${status}`);
    latenciesMs.push(performance.now() - dueMs);
  }
  return latenciesMs;
}

async function sleepUntil(timeMs: number): Promise<void> {
  const leftMs = timeMs - performance.now();
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
}

async function measure(
  port: number,
  load: { readonly requests: readonly HostileRequest[]; readonly bytesPerS: number; readonly durationMs: number },
): Promise<Figures> {
  const open = (count: number): Promise<readonly HttpConnection[]> =>
    Promise.all(Array.from({ length: count }, () => connect(port, BENCH_KEY)));
  const [honest, hostile] = [await open(HONEST_SENDERS), await open(HOSTILE_CONNECTIONS)];
  const endMs = performance.now() + load.durationMs;
  const attacking = attack(hostile, { ...load, endMs });
  const latencies = await Promise.all(honest.map((connection, index) => sendHonestly(connection, index, endMs)));
  const attacked = await attacking;
  for (const connection of [...honest, ...hostile]) connection.close();
  return { latenciesMs: latencies.flat().toSorted((one, other) => one - other), ...attacked };
}

/** Prints the median of what the rounds gave: now and then a machine does something else. */
function printFigures(runtime: string, bytesPerS: number, rounds: readonly Figures[]): void {
  const at = (share: number): string => {
    const values = rounds.map(({ latenciesMs }) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? NaN);
    return (values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN).toFixed(1);
  };
  const honest = rounds.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0);
  const counts = new Map<number, number>();
  for (const [status, count] of rounds.flatMap(({ statuses }) => [...statuses])) {
    counts.set(status, (counts.get(status) ?? 0) + count);
  }
  const answers = [...counts].toSorted().map(([status, count]) => `${count} x ${status}`).join(", ");
  const cells = [String(bytesPerS / 1000), String(honest), at(0.5), at(0.99)];
  console.log([runtime.padEnd(8), ...cells.map((cell) => cell.padStart(12)), `  ${answers}`].join(" "));
}

/** Returns what runs the program: Deno its source, Node 22 its bundle, for 20 has no SQLite. */
async function findRuntime(name: string, directory: string): Promise<IngestProcessOptions> {
  if (name === "deno") return {};
  const program = await buildNodeProgram(directory);
  // The binary itself: a signal ends npx, and not what it started.
  const { stdout } = await new Deno.Command("npx", { args: ["-y", "node@22", "-p", "process.execPath"] }).output();
  return { launcher: { command: new TextDecoder().decode(stdout).trim(), args: [program] } };
}

/** Runs the bench, and prints its figures. */
export async function runHostile({ rounds, durationMs, runtimes }: HostileOptions): Promise<void> {
  const all = await buildHostile();
  const requests = all.slice(0, WORST);
  console.log("The worst bodies for their bytes on the wire:");
  for (const { name, wireBytes, costMs } of requests) {
    console.log(`  ${name.padEnd(44)} ${String(wireBytes).padStart(6)} bytes  ${costMs.toFixed(1).padStart(6)} ms`);
  }
  const [dearest] = all.toSorted((one, other) => other.costMs - one.costMs);
  console.log(`The dearest of ${all.length} takes ${dearest?.costMs.toFixed(1)} ms: ${dearest?.name}.\n`);
  console.log("runtime  hostile KB/s       honest       p50 ms       p99 ms   answers to hostile requests");
  const directory = await Deno.makeTempDir();
  try {
    for (const runtime of runtimes) {
      const store = `file:${directory}/${runtime}`;
      const args = ["--sink", store, "--trust-proxy", "127.0.0.1", "--key", `${BENCH_KEY}=any`];
      const ingest = await startIngest(args, await findRuntime(runtime, directory));
      const port = Number(new URL(ingest.origin).port);
      try {
        await measure(port, { requests, bytesPerS: 33_000, durationMs: 3000 }); // warms up
        const figures = new Map<number, Figures[]>(RATES_BYTES_PER_S.map((bytesPerS) => [bytesPerS, []]));
        for (let round = 0; round < rounds; round++) {
          for (const [bytesPerS, ofRate] of figures) {
            ofRate.push(await measure(port, { requests, bytesPerS, durationMs }));
          }
        }
        for (const [bytesPerS, ofRate] of figures) printFigures(runtime, bytesPerS, ofRate);
      } finally {
        await ingest.end("SIGKILL");
      }
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
