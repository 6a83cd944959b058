import { until } from "../../../tests/cluster/load.ts";
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

/**
 * Returns what is killed, one of each kind, in order. The loader and the nats-server are first: what they had in hand
 * comes again after half a minute.
 */
export async function listFaults({ nats, store, ingests, loaders, ...road }: Road): Promise<readonly Fault[]> {
  let leader = -1;
  await until("the stream has a leader", async () => {
    leader = await nats.leaderOf(STREAM).catch(() => -1);
    return leader >= 0;
  });
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
      name: `nats-server ${leader + 1} of ${nats.servers.length}, the stream's leader`,
      meaning: "the others elect a new one, visitors try again",
      kill: () => nats.kill(leader),
      async restart() {
        nats.restart(leader);
        await until("the nats-server listens", () => isListening(nats.servers[leader] ?? ""));
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

async function isListening(server: string): Promise<boolean> {
  const [hostname = "", port] = server.split(":");
  try {
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return true;
  } catch {
    return false;
  }
}
