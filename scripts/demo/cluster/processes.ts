import { describeError } from "../../../src/ingest/platform/describe_error.ts";
import { openClickHouse } from "../../../src/ingest/stores/clickhouse/clickhouse_client.ts";
import type { Row } from "../../../src/ingest/stores/clickhouse/clickhouse_port.ts";
import { startClickHouse } from "../../../tests/cluster/clickhouse.ts";
import { type RunningIngest, startIngest } from "../../../tests/cluster/ingest_process.ts";
import { until } from "../../../tests/cluster/traffic.ts";
import { type RunningLoad, startLoadProcess } from "../../../tests/cluster/load_process.ts";
import { type NatsCluster, startNatsCluster } from "../../../tests/cluster/nats_cluster.ts";
import { SHOP_ORIGIN } from "../../bench/report_data/shop.ts";
import { DEMO_KEY } from "../../../src/ingest/server/demo/demo_key.ts";
import { DemoFault } from "../demo_fault.ts";

/** Tools that the parts of the demo share. */
export interface Stage {
  /** Shows a line, with the time since the start. */
  readonly say: (line: string) => void;
  /** Resolves after that many milliseconds; rejects when a signal ends the demo. */
  readonly pause: (ms: number) => Promise<void>;
  /** Starts something that is ended with the demo; rejects once the signal has come. */
  start<T>(begin: () => T | Promise<T>, end: (started: T) => Promise<unknown>): Promise<T>;
}

/** Something that is killed and started again while events come in. */
export interface Fault {
  readonly name: string;
  /** Meaning of its death for the others. */
  readonly meaning: string;
  /** Kills it by SIGKILL, and returns its exit code. */
  kill(): Promise<number>;
  /** Starts it again. */
  restart(): Promise<unknown>;
}

/** Everything between the senders and the reports, as processes of this machine. */
export interface Processes {
  /** Addresses of the two ingests. */
  readonly origins: readonly string[];
  /** Processes that are killed, one of each kind. */
  readonly faults: readonly Fault[];
  /** Runs a query in ClickHouse. */
  readonly select: (query: string) => Promise<readonly Row[]>;
  /** The table of events there. */
  readonly table: string;
}

/** Opens the reports. */
export const REPORT_SECRET = "sk_demo_tidewater_tea";

const STREAM = "VENDOR_EVENTS";

/** First version of nats-server whose clusters lose nothing by the kill of a leader. */
const FIRST_SOUND_VERSION = "2.10.23";

/**
 * Starts three nats-servers, ClickHouse, two loaders and two ingests.
 *
 * @throws {DemoFault} When ClickHouse can't be used.
 */
export async function startProcesses({ say, start }: Stage, clickHouseUrl?: string): Promise<Processes> {
  const directory = await start(
    () => Deno.makeTempDir({ prefix: "vendor-demo-" }),
    (path) => Deno.remove(path, { recursive: true }),
  );
  // They end when we say so: a Ctrl-C in the terminal is for us alone.
  const server = { directory, isDetached: true };
  say(`Starting 3 nats-servers${clickHouseUrl ? "" : ", ClickHouse"}, 2 loaders and 2 ingests`);
  const nats = await start(() => startNatsCluster(3, server), ({ stop }) => stop());
  const onInstall = (name: string, folder: string): void =>
    say(`Installing ClickHouse, once: ${name} from npm, half a gigabyte, into ${folder}`);
  const own = clickHouseUrl === undefined
    ? await start(() => startClickHouse({ ...server, onInstall }), ({ stop }) => stop())
      .catch(throwFault("ClickHouse can't be started, name one of yours with --clickhouse: "))
    : undefined;
  const url = clickHouseUrl ?? own?.url ?? "";
  const database = `vendor_demo_${crypto.randomUUID().slice(0, 8)}`;
  const { run, select } = await start(() => openClickHouse({ url }), ({ close }) => close()).catch(throwFault());
  await start(() => run(`CREATE DATABASE ${database}`), () => run(`DROP DATABASE ${database}`)).catch(throwFault());

  const stream = `nats:${nats.servers.join(",")}`;
  // In the environment: other users of the machine can read a command line.
  const env = {
    INGEST_CLICKHOUSE_DATABASE: database,
    INGEST_FROM: stream,
    INGEST_TO: `clickhouse:${url}`,
    INGEST_KEYS: `${DEMO_KEY}=${SHOP_ORIGIN}`,
    INGEST_SINK: stream,
    INGEST_REPORTS: `clickhouse:${url}`,
    INGEST_REPORT_SECRET: REPORT_SECRET,
  };
  const options = { ...server, env };
  const end = (process: RunningIngest | RunningLoad): Promise<unknown> => process.end("SIGKILL");
  const startLoader = (): Promise<RunningLoad> => start(() => startLoadProcess([], options), end);
  const startOne = (...args: string[]): Promise<RunningIngest> => start(() => startIngest(args, options), end);

  // First, as they make the tables that the reports need.
  const [loader] = await Promise.all([startLoader(), startLoader()]);
  const ingests = await Promise.all([startOne(), startOne()]);
  const origins = ingests.map(({ origin }) => origin);
  for (const [index, origin] of origins.entries()) say(`Ingest ${index + 1}    ${origin}`);
  say(`ClickHouse  ${new URL(url).origin}, database ${database}`);
  say(`Reports     ${origins[0]}/reports, any user name, password ${REPORT_SECRET}`);
  say(`Files       ${directory}, removed at the end`);
  const kill = async (process: RunningIngest | RunningLoad): Promise<number> => (await process.end("SIGKILL")).code;
  const [ingest] = ingests;
  return {
    origins,
    table: `${database}.events`,
    select,
    // The first two come first: what they had in hand comes again after half a minute.
    faults: [
      {
        name: "loader 1 of 2",
        meaning: "the other one goes on, and gets after 30 s what this one had in hand",
        kill: () => kill(loader),
        restart: startLoader,
      },
      await pickNatsServer(nats),
      {
        name: "ingest 1 of 2",
        meaning: "visitors send to the other one",
        kill: () => kill(ingest),
        restart: () => startOne("--port", new URL(ingest.origin).port),
      },
      ...(own
        ? [{ name: "ClickHouse", meaning: "events wait in the stream", kill: own.kill, restart: own.restart }]
        : []),
    ],
  };
}

function throwFault(context = ""): (cause: unknown) => never {
  return (cause) => {
    // A signal is no fault.
    if (cause instanceof DOMException) throw cause;
    throw new DemoFault(context + describeError(cause), { cause });
  };
}

/** Returns the stream's leader, but of a version that may lose what a killed leader alone has: docs/sinks.md says why. */
async function pickNatsServer({ servers, leaderOf, version, kill, restart }: NatsCluster): Promise<Fault> {
  let leader = -1;
  await until("the stream has a leader", async () => {
    leader = await leaderOf(STREAM).catch(() => -1);
    return leader >= 0;
  });
  const running = await version();
  const isOld = running.localeCompare(FIRST_SOUND_VERSION, "en", { numeric: true }) < 0;
  const node = isOld ? (leader + 1) % servers.length : leader;
  const [hostname = "", port] = servers[node]?.split(":") ?? [];
  return {
    name: `nats-server ${node + 1} of ${servers.length}, ${isOld ? "not " : ""}the stream's leader`,
    meaning: isOld
      ? `the others go on; of version ${running} a killed leader may lose events, from ${FIRST_SOUND_VERSION} on it doesn't`
      : "the others elect a new one, visitors try again",
    kill: () => kill(node),
    async restart() {
      restart(node);
      await until("the nats-server listens", () =>
        Deno.connect({ hostname, port: Number(port) }).then((connection) => {
          connection.close();
          return true;
        }, () => false));
    },
  };
}
