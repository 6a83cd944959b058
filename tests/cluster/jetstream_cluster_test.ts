/**
 * The ingest on a NATS cluster of three nodes: nodes killed under load, and the ingest scaled to three processes that
 * share one port. `SCALE_SECONDS` says how long each step of the scaling runs, 2 by default.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { FULL, KEY, ORIGIN } from "../ingest/fixtures.ts";
import { type RunningIngest, startIngest } from "./ingest_process.ts";
import { type Load, startLoad, until } from "./traffic.ts";
import { type NatsCluster, startNatsCluster } from "./nats_cluster.ts";
import { send } from "./program.ts";

const STREAM = "VENDOR_EVENTS";

const SCALE_MS = 1_000 * Number(Deno.env.get("SCALE_SECONDS") ?? 2);

const BATCH_SIZE = 50;

/** Acknowledged events between two kills. */
const EVENTS_BETWEEN_KILLS = 2_000;

async function withCluster(use: (cluster: NatsCluster) => Promise<void>): Promise<void> {
  const cluster = await startNatsCluster(3);
  try {
    await use(cluster);
  } finally {
    await cluster.stop();
  }
}

/** Starts that many processes. */
function startProcesses(count: number, { servers }: NatsCluster): Promise<readonly RunningIngest[]> {
  const args = ["--key", `${KEY}=${ORIGIN}`, "--sink", `nats://${servers.join(",")}`];
  return Promise.all(Array.from({ length: count }, () => startIngest(args)));
}

/**
 * Says what a throughput was measured with. It is printed and not asserted: where the cores are fewer than the programs
 * that share them, another process adds no core.
 */
function describeMachine(count: number): string {
  const load = Deno.loadavg()[0]?.toFixed(1);
  const processes = count === 1 ? "1 process" : `${count} processes`;
  return `${processes} of the ingest, three nats-servers and the load itself on ${navigator.hardwareConcurrency} cores` +
    ` (load average ${load})`;
}

/** Asserts that each acknowledged event is in the stream, and none twice. */
async function assertStoredOnce(cluster: NatsCluster, loads: readonly Load[]): Promise<void> {
  const stored = (await cluster.read(STREAM)).map(({ json }) => json.id);
  const distinct = new Set(stored);
  const acknowledged = loads.flatMap((load) => [...load.acknowledged]);
  console.log(`${acknowledged.length} events acknowledged, ${stored.length} stored`);
  assertEquals(acknowledged.filter((id) => !distinct.has(id)), []);
  assertEquals(stored.length, distinct.size);
}

/**
 * Asserts that each acknowledged event is in the files of most nodes, and none is there twice. One node may differ, and
 * be the one that is read: before 2.10.23 of nats-server, a leader that was killed may keep what it alone has in place
 * of what the others stored meanwhile.
 */
async function assertHeldOnce(cluster: NatsCluster, load: Load): Promise<void> {
  const acknowledged = [...load.acknowledged];
  let found: NodesCompared = { missing: acknowledged, twice: [], differing: acknowledged };
  try {
    // A node learns and writes a moment later what was acknowledged.
    await until("each acknowledged event is on most nodes", async () => {
      found = await compareNodes(cluster, acknowledged);
      return found.missing.length === 0;
    });
  } finally {
    const { missing, differing } = found;
    console.log(`${acknowledged.length} events acknowledged, ${differing.length} of them not on every node`);
    console.log(`${missing.length} not on most: ${missing.slice(0, 5)}`);
  }
  assertEquals(found.twice, []);
}

/** Ids of events, by what the nodes have in their files. */
interface NodesCompared {
  /** Acknowledged, and lacking on most nodes. */
  readonly missing: readonly string[];
  /** On most nodes twice. */
  readonly twice: readonly string[];
  /** Acknowledged, and lacking on any node. */
  readonly differing: readonly string[];
}

async function compareNodes(cluster: NatsCluster, acknowledged: readonly string[]): Promise<NodesCompared> {
  const nodes = (await cluster.readFiles(STREAM)).map((ids) => countEach(ids.map((id) => id.split(".")[1] ?? "")));
  const countHolders = (id: string, times: number): number =>
    nodes.filter((counts) => (counts.get(id) ?? 0) >= times).length;
  const stored = [...new Set(nodes.flatMap((counts) => [...counts.keys()]))];
  return {
    missing: acknowledged.filter((id) => countHolders(id, 1) <= nodes.length / 2),
    twice: stored.filter((id) => countHolders(id, 2) > nodes.length / 2),
    differing: acknowledged.filter((id) => countHolders(id, 1) < nodes.length),
  };
}

function countEach(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

Deno.test("JetStream on three new nodes: processes that start together all take events", () =>
  withCluster(async ({ servers }) => {
    const args = ["--key", `${KEY}=${ORIGIN}`, "--sink", `nats://${servers.join(",")}`];

    const processes = await Promise.all([startIngest(args), startIngest(args)]);
    const answers = await Promise.all(processes.map((ingest) => send(ingest, JSON.stringify(FULL))));
    const counts = await Promise.all(answers.map((answer) => answer.json()));
    await Promise.all(processes.map((ingest) => ingest.end()));

    assertEquals(counts.map(({ accepted, duplicates }) => accepted + duplicates), [1, 1], JSON.stringify(counts));
  }));

Deno.test("JetStream on three nodes, each killed and restarted under load: nothing acknowledged is lost, nothing is there twice", () =>
  withCluster(async (cluster) => {
    const [ingest] = await startProcesses(1, cluster);
    const endpoint = ingest?.endpoint ?? "";
    const load = startLoad({ endpoint: () => endpoint, prefix: "kill", senders: 8, batchSize: BATCH_SIZE });
    const progress = async (): Promise<void> => {
      const before = load.acknowledged.size;
      await until("acknowledged", () => load.acknowledged.size >= before + EVENTS_BETWEEN_KILLS);
    };

    // The stream's leader first: its kill costs an election in the middle of what is being published.
    const leader = await cluster.leaderOf(STREAM);
    for (const node of [leader, (leader + 1) % 3, (leader + 2) % 3]) {
      await progress();
      await cluster.kill(node);
      await progress();
      cluster.restart(node);
      await cluster.untilWhole(STREAM);
    }
    await progress();
    await load.stop();
    await ingest?.end();

    console.log(`answers by status: ${[...load.statuses].map((entry) => entry.join(": ")).join(", ")}`);
    assert(leader >= 0);
    await assertHeldOnce(cluster, load);
  }));

Deno.test("the ingest scaled to one, two and three processes, in front of three nodes", () =>
  withCluster(async (cluster) => {
    const loads: Load[] = [];
    for (const count of [1, 2, 3]) {
      const processes = await startProcesses(count, cluster);
      let next = 0;
      const load = startLoad({
        endpoint: () => processes[next++ % count]?.endpoint ?? "",
        prefix: `scale-${count}`,
        senders: 24,
        batchSize: BATCH_SIZE,
      });
      loads.push(load);
      const startMs = performance.now();
      await new Promise((resolve) => setTimeout(resolve, SCALE_MS));
      const eventsPerS = Math.round(1_000 * load.acknowledged.size / (performance.now() - startMs));
      await load.stop();
      const results = await Promise.all(processes.map((process) => process.end()));
      const requests = results.map(({ stdout }) => Number(/"stopped","requests":(\d+)/.exec(stdout)?.[1]));

      console.log(`${describeMachine(count)}: ${eventsPerS} events/s; requests of each: ${requests.join(", ")}`);
      assertEquals(results.map(({ code }) => code), results.map(() => 0));
      assertEquals(requests.filter((answered) => !(answered > 0)), []);
      assertEquals([...load.statuses.keys()], [202]);
    }
    await assertStoredOnce(cluster, loads);
  }));
