import { setTimeout as wait } from "node:timers/promises";
import { untilSignal } from "../../src/ingest/server/cli/signals.ts";
import { startSending } from "../../tests/cluster/traffic.ts";
import { findProgram } from "../support/programs.ts";
import { format, formatOutcome, isExact, readOutcome } from "./cluster/outcome.ts";
import { type Processes, REPORT_SECRET, type Stage, startProcesses } from "./cluster/processes.ts";
import { createVisitBatches } from "./cluster/visit_batches.ts";
import { DEMO_KEY } from "../../src/ingest/server/demo/demo_key.ts";
import { DemoFault } from "./demo_fault.ts";
import type { ClusterOptions } from "./options.ts";

const EXIT_INEXACT = 1;
const EXIT_MISSING = 2;
/** Exit code of a program that was interrupted, as shells have it. */
const EXIT_INTERRUPTED = 130;

const SENDERS = 8;
/** Longest time of the last answers. */
const ANSWERS_MS = 30_000;
/** Milliseconds for ClickHouse to have everything: events that a killed loader had in hand come again after 30 s. */
const STORED_MS = 90_000;
/** Between two looks at what is stored. */
const LOOK_MS = 500;

/**
 * Runs the ingest on many processes, kills one of each kind under load, and shows what became of the events. Returns 0
 * when nothing is lost or counted twice.
 *
 * @throws {DemoFault} When something is missing, or can't be used.
 */
export async function runCluster({ seconds, clickHouseUrl, isStaying }: ClusterOptions): Promise<number> {
  if (findProgram("NATS_SERVER") === undefined) throw new DemoFault(describeMissing(), { exitCode: EXIT_MISSING });
  const startMs = performance.now();
  const abort = new AbortController();
  const ends: (() => Promise<unknown>)[] = [];
  const signal = untilSignal();
  signal.received.then(() => {
    console.log("\nEnding everything …");
    abort.abort();
  });
  const stage: Stage = {
    say: (line) => console.log(`${formatSeconds(performance.now() - startMs).padStart(7)}  ${line}`),
    pause: (ms) => wait(ms, undefined, { signal: abort.signal }),
    async start(begin, end) {
      abort.signal.throwIfAborted();
      const starting = Promise.resolve(begin());
      ends.push(() => starting.then(end)); // also of what is still starting when the signal comes
      return await starting;
    },
  };
  try {
    const processes = await startProcesses(stage, clickHouseUrl);
    const isGood = await play(processes, { ...stage, seconds });
    console.log(`\nTook ${Math.round((performance.now() - startMs) / 1000)} s, the start included.`);
    if (isStaying) {
      const [address] = processes.origins;
      console.log(`The reports stay at ${address}/reports, password ${REPORT_SECRET}.\nCtrl-C ends everything.`);
      await signal.received;
    }
    return isGood ? 0 : EXIT_INEXACT;
  } catch (error) {
    if (abort.signal.aborted) return EXIT_INTERRUPTED;
    throw error;
  } finally {
    for (const end of ends.reverse()) await end().catch(() => {}); // what has ended by itself is no fault
    signal.release();
  }
}

function describeMissing(): string {
  const named = Deno.env.get("NATS_SERVER");
  const place = named === undefined ? "" : ` at ${named}`;
  return `there is no nats-server${place}: apt-get install nats-server on Debian, or ` +
    "https://github.com/nats-io/nats-server/releases; NATS_SERVER may name its path";
}

/** Sends events, kills one of each, and returns whether the outcome is exact. */
async function play(
  { faults, ...processes }: Processes,
  { seconds, say, pause, start }: Stage & Pick<ClusterOptions, "seconds">,
): Promise<boolean> {
  const { origins } = processes;
  let requests = 0;
  say(`Visitors of a shop send to both ingests for ${seconds} s, ${SENDERS} at a time`);
  const load = await start(() =>
    startSending(createVisitBatches(), {
      endpoint: () => `${origins[requests++ % origins.length]}/v1/events`,
      senders: SENDERS,
      apiKey: DEMO_KEY,
    }), ({ stop }) => stop());

  const partMs = 1000 * seconds / (2 * faults.length + 1);
  for (const { name, meaning, kill, restart } of faults) {
    await pause(partMs);
    const killedMs = performance.now();
    const before = load.acknowledged.size;
    say(`kill -9     ${name}, exit code ${await kill()}: ${meaning}`);
    await pause(partMs);
    await restart();
    const [count, away] = [format(load.acknowledged.size - before), formatSeconds(performance.now() - killedMs)];
    say(`            back after ${away}; ${count} events were acknowledged meanwhile`);
  }
  await pause(partMs);

  await Promise.race([load.finish(), pause(ANSWERS_MS)]);
  await load.stop();
  say(`${format(load.acknowledged.size)} of ${format(load.sent.size)} events are acknowledged`);
  const endMs = performance.now() + STORED_MS;
  let outcome = await readOutcome(load, processes);
  if (!isExact(outcome)) say("Not all is in ClickHouse yet: what a killed one had in hand comes again after 30 s");
  while (!isExact(outcome) && performance.now() < endMs) {
    await pause(LOOK_MS);
    outcome = await readOutcome(load, processes);
  }
  console.log(`\n${formatOutcome(outcome)}`);
  return isExact(outcome);
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
