import { until } from "../../../tests/cluster/load.ts";
import type { NatsCluster } from "../../../tests/cluster/nats_cluster.ts";
import type { Road } from "./road.ts";

/** Something that is killed and started again while events come in. */
export interface Fault {
  /** What it is. */
  readonly name: string;
  /** What its death means for the others. */
  readonly meaning: string;
  /** Kills it by SIGKILL, and returns its exit code. */
  kill(): Promise<number>;
  /** Starts it again, and resolves when it is of use again. */
  restart(): Promise<void>;
}

const STREAM = "VENDOR_EVENTS";

/** First version of nats-server whose clusters lose nothing by the kill of a leader. */
const FIRST_SOUND_VERSION = "2.10.23";

/**
 * Returns what is killed, one of each kind, in order. The loader and the nats-server are first: what they had in hand
 * comes again after half a minute.
 */
export async function listFaults({ nats, store, ingests, loaders, ...road }: Road): Promise<readonly Fault[]> {
  const natsServer = await pickNatsServer(nats);
  const meaning = "events wait in the stream";
  const ofClickHouse = store.process ? [{ name: "ClickHouse", meaning, ...store.process }] : [];
  return [
    {
      name: "loader 1 of 2",
      meaning: "the other one goes on, and gets after 30 s what this one had in hand",
      kill: async () => (await loaders[0]?.end("SIGKILL"))?.code ?? -1,
      restart: () => road.restartLoader(0),
    },
    {
      ...natsServer,
      kill: () => nats.kill(natsServer.node),
      async restart() {
        nats.restart(natsServer.node);
        await until("the nats-server listens", () => isListening(nats.servers[natsServer.node] ?? ""));
      },
    },
    {
      name: "ingest 1 of 2",
      meaning: "visitors send to the other one",
      kill: async () => (await ingests[0]?.end("SIGKILL"))?.code ?? -1,
      restart: () => road.restartIngest(0),
    },
    ...ofClickHouse,
  ];
}

/** Returns the stream's leader, but of a version that may lose what a killed leader alone has: docs/sinks.md says why. */
async function pickNatsServer(
  { servers, leaderOf, version }: NatsCluster,
): Promise<{ readonly node: number } & Pick<Fault, "name" | "meaning">> {
  let leader = -1;
  await until("the stream has a leader", async () => {
    leader = await leaderOf(STREAM).catch(() => -1);
    return leader >= 0;
  });
  const running = await version();
  const isOld = running.localeCompare(FIRST_SOUND_VERSION, "en", { numeric: true }) < 0;
  const node = isOld ? (leader + 1) % servers.length : leader;
  const name = `nats-server ${node + 1} of ${servers.length}, ${isOld ? "not " : ""}the stream's leader`;
  const meaning = isOld
    ? `the others go on; of version ${running} a killed leader may lose events, from ${FIRST_SOUND_VERSION} on it doesn't`
    : "the others elect a new one, visitors try again";
  return { node, name, meaning };
}

async function isListening(server: string): Promise<boolean> {
  const [hostname = "", port] = server.split(":");
  try {
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return true;
  } catch {
    return false;
  }
}
