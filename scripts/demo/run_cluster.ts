import { setTimeout as wait } from "node:timers/promises";
import { untilSignal } from "../../src/ingest/server/signals.ts";
import { type Load, startSending } from "../../tests/cluster/load.ts";
import { findProgram } from "../programs.ts";
import { type Fault, listFaults } from "./cluster/faults.ts";
import { createKeeper, type Keeper } from "./cluster/keeper.ts";
import { countStored, format, formatOutcome, isExact, readOutcome } from "./cluster/outcome.ts";
import { REPORT_SECRET, type Road, startRoad } from "./cluster/road.ts";
import { createVisitBatches } from "./cluster/visit_batches.ts";
import { DEMO_KEY } from "./demo_key.ts";
import { DemoFault } from "./demo_fault.ts";
import type { ClusterOptions } from "./options.ts";

/** What the parts of the demo share. */
interface Stage {
  /** Ends what is started. */
  readonly keeper: Keeper;
  /** Shows a line, with the time since the start. */
  readonly say: (line: string) => void;
  /** Resolves after that many milliseconds; rejects when a signal ends the demo. */
  readonly pause: (ms: number) => Promise<void>;
}

/** What was killed. */
interface Killed {
  /** Name of what was killed. */
  readonly name: string;
  /** Its exit code: 137 is SIGKILL. */
  readonly code: number;
  /** How long it was away, in milliseconds. */
  readonly awayMs: number;
}

const EXIT_INEXACT = 1;
const EXIT_MISSING = 2;

/** What a shell says of a program that was interrupted. */
const EXIT_INTERRUPTED = 130;

const SENDERS = 8;

/** How long the last answers may take. */
const ANSWERS_MS = 30_000;

/** How long ClickHouse may take to have everything: what a killed loader had in hand comes again after 30 s. */
const STORED_MS = 90_000;

/** Between two looks at what is stored. */
const LOOK_MS = 500;

/**
 * Runs the ingest on many processes, kills one of each kind under load, and shows what became of the events. Returns 0
 * when nothing is lost or counted twice.
 *
 * @throws {DemoFault} When something is missing, or can't be used.
 */
export async function runCluster(options: ClusterOptions): Promise<number> {
  if (findProgram("NATS_SERVER") === undefined) throw new DemoFault(describeMissing(), { exitCode: EXIT_MISSING });
  const startMs = performance.now();
  const abort = new AbortController();
  const keeper = createKeeper(abort.signal);
  const signal = untilSignal();
  signal.received.then(() => {
    console.log("\nEnding everything …");
    abort.abort();
  });
  const say = (line: string): void => console.log(`${formatSeconds(performance.now() - startMs)}  ${line}`);
  const pause = (ms: number): Promise<void> => wait(ms, undefined, { signal: abort.signal });
  try {
    const road = await prepare(options, { keeper, say });
    const isGood = await play(road, { ...options, keeper, say, pause });
    console.log(`\nTook ${Math.round((performance.now() - startMs) / 1000)} s, the start included.`);
    if (options.isStaying) {
      console.log(`The reports stay at ${describeReports(road)}.\nCtrl-C ends everything.`);
      await signal.received;
    }
    return isGood ? 0 : EXIT_INEXACT;
  } catch (error) {
    if (abort.signal.aborted) return EXIT_INTERRUPTED;
    throw error;
  } finally {
    await keeper.endAll();
    signal.release();
  }
}

function describeMissing(): string {
  const named = Deno.env.get("NATS_SERVER");
  const place = named === undefined ? "" : ` at ${named}`;
  return `there is no nats-server${place}: apt-get install nats-server on Debian, or ` +
    "https://github.com/nats-io/nats-server/releases; NATS_SERVER may name its path";
}

async function prepare(
  { clickHouseUrl }: ClusterOptions,
  { keeper, say }: Pick<Stage, "keeper" | "say">,
): Promise<Road> {
  const directory = await keeper.start(
    () => Deno.makeTempDir({ prefix: "vendor-demo-" }),
    (path) => Deno.remove(path, { recursive: true }),
  );
  // They end when we say so: a Ctrl-C in the terminal is for us alone.
  const server = { directory, isDetached: true };
  const road = await startRoad({ server, keeper, say, ...(clickHouseUrl !== undefined && { clickHouseUrl }) });
  for (const [index, { endpoint }] of road.ingests.entries()) say(`Ingest ${index + 1}    ${endpoint}`);
  say(`ClickHouse  ${new URL(road.store.url).origin}, database ${road.store.database}`);
  say(`Reports     ${describeReports(road)}`);
  say(`Files       ${directory}, removed at the end`);
  return road;
}

function describeReports({ ingests }: Road): string {
  return `${ingests[0]?.origin}/reports, any user name, password ${REPORT_SECRET}`;
}

/** Returns whether the outcome is exact. */
async function play(road: Road, { seconds, ...stage }: ClusterOptions & Stage): Promise<boolean> {
  const { keeper, say } = stage;
  const faults = await listFaults(road);
  let requests = 0;
  say(`Visitors of a shop send to both ingests for ${seconds} s, ${SENDERS} at a time`);
  const load = await keeper.start(() =>
    startSending(createVisitBatches(), {
      endpoint: () => road.ingests[requests++ % road.ingests.length]?.endpoint ?? "",
      senders: SENDERS,
      apiKey: DEMO_KEY,
    }), ({ stop }) => stop());

  const killed = await killEach(faults, { ...stage, load, everyMs: 1000 * seconds / (faults.length + 1) });
  await finish(load, stage);
  await untilStored(load, { ...stage, road });
  const outcome = await readOutcome(load, road);

  console.log(`\n${formatKilled(killed)}`);
  if (!road.store.process) console.log("ClickHouse is yours: it wasn't killed.");
  console.log(`\n${formatOutcome(outcome)}`);
  return isExact(outcome);
}

async function killEach(
  faults: readonly Fault[],
  { load, everyMs, say, pause }: Stage & { readonly load: Load; readonly everyMs: number },
): Promise<readonly Killed[]> {
  const killed: Killed[] = [];
  const startMs = performance.now();
  for (const [index, { name, meaning, kill, restart }] of faults.entries()) {
    await pause(Math.max(0, startMs + (index + 1) * everyMs - performance.now()));
    const killedMs = performance.now();
    const code = await kill();
    const before = load.acknowledged.size;
    say(`kill -9     ${name}: ${meaning}`);
    await pause(everyMs / 2);
    await restart();
    killed.push({ name, code, awayMs: performance.now() - killedMs });
    const restarted = load.acknowledged.size;
    say(`            it's back; ${format(restarted - before)} events were acknowledged meanwhile`);
    const limitMs = performance.now() + ANSWERS_MS;
    while (load.acknowledged.size === restarted && performance.now() < limitMs) await pause(LOOK_MS);
  }
  await pause(Math.max(everyMs / 2, startMs + (faults.length + 1) * everyMs - performance.now()));
  return killed;
}

/** Ends the load so that each sender gets its answer. */
async function finish(load: Load, { say, pause }: Stage): Promise<void> {
  await Promise.race([load.finish(), pause(ANSWERS_MS)]);
  await load.stop();
  const requests = [...load.statuses.values()].reduce((sum, count) => sum + count, 0);
  const again = requests - (load.statuses.get(202) ?? 0);
  const isAnswered = load.acknowledged.size === load.sent.size;
  const state = isAnswered
    ? "Every event is acknowledged"
    : `Some events aren't acknowledged after ${ANSWERS_MS / 1000} s`;
  say(`${state}: ${format(requests)} requests, ${format(again)} of them sent again`);
}

async function untilStored(load: Load, { road, say, pause }: Stage & { readonly road: Road }): Promise<void> {
  const endMs = performance.now() + STORED_MS;
  let stored = await countStored(road);
  if (stored < load.sent.size) {
    const missing = format(load.sent.size - stored);
    say(`${missing} events aren't in ClickHouse yet; what was in the hands of a killed one comes again after 30 s`);
  }
  while (stored < load.sent.size && performance.now() < endMs) {
    await pause(LOOK_MS);
    stored = await countStored(road);
  }
  say(`${format(stored)} events are in ClickHouse`);
}

function formatKilled(killed: readonly Killed[]): string {
  const width = Math.max(...killed.map(({ name }) => name.length));
  const lines = killed.map(({ name, code, awayMs }) =>
    `${name.padEnd(width)}  exit code ${code}, away for ${formatSeconds(awayMs).trim()}`
  );
  return ["Killed with kill -9:", ...lines].join("\n");
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(5)} s`;
}
