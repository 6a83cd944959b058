import { type IngestProcessOptions, type RunningIngest, startIngest } from "../../../tests/cluster/ingest_process.ts";
import { type RunningLoad, startLoadProcess } from "../../../tests/cluster/load_process.ts";
import { type NatsCluster, startNatsCluster } from "../../../tests/cluster/nats_cluster.ts";
import { SHOP_ORIGIN } from "../../report_data/shop.ts";
import { DEMO_KEY } from "../demo_key.ts";
import { startStore, type Store, type StoreOptions, useStore } from "./store.ts";

/** Everything between the senders and the reports, as processes of this machine. */
export interface Road {
  /** Three nats-servers. */
  readonly nats: NatsCluster;
  /** Where events end. */
  readonly store: Store;
  /** Those that run, or were killed last. */
  readonly ingests: readonly RunningIngest[];
  /** Those that run, or were killed last. */
  readonly loaders: readonly RunningLoad[];
  /** Starts a killed ingest again, at its address. */
  restartIngest(index: number): Promise<void>;
  /** Starts a killed loader again. */
  restartLoader(index: number): Promise<void>;
}

/** Settings of {@linkcode startRoad}. */
export interface RoadOptions extends StoreOptions {
  /** ClickHouse of the user, in place of one that is started. */
  readonly clickHouseUrl?: string;
}

/** Opens the reports. */
export const REPORT_SECRET = "sk_demo_tidewater_tea";

const NATS_SERVERS = 3;

const INDEXES = [0, 1] as const;

/**
 * Starts three nats-servers, ClickHouse, two loaders and two ingests.
 *
 * @throws {DemoFault} When ClickHouse can't be used.
 */
export async function startRoad(options: RoadOptions): Promise<Road> {
  const { server, keeper, say, clickHouseUrl } = options;
  say(`Starting ${NATS_SERVERS} nats-servers${clickHouseUrl ? "" : ", ClickHouse"}, 2 loaders and 2 ingests`);
  const [nats, store] = await Promise.all([
    keeper.start(() => startNatsCluster(NATS_SERVERS, server), ({ stop }) => stop()),
    clickHouseUrl === undefined ? startStore(options) : useStore(clickHouseUrl, keeper),
  ]);
  const stream = `nats:${nats.servers.join(",")}`;
  const clickHouse = `clickhouse:${store.url}`;
  // In the environment: other users of the machine can read a command line.
  const env = { INGEST_CLICKHOUSE_DATABASE: store.database };
  const loaderOptions: IngestProcessOptions = {
    ...server,
    env: { ...env, INGEST_FROM: stream, INGEST_TO: clickHouse },
  };
  const ingestOptions: IngestProcessOptions = {
    ...server,
    env: {
      ...env,
      INGEST_KEYS: `${DEMO_KEY}=${SHOP_ORIGIN}`,
      INGEST_SINK: stream,
      INGEST_REPORTS: clickHouse,
      INGEST_REPORT_SECRET: REPORT_SECRET,
    },
  };
  const kill = (process: RunningIngest | RunningLoad): Promise<unknown> => process.end("SIGKILL");
  const startLoader = (): Promise<RunningLoad> => keeper.start(() => startLoadProcess([], loaderOptions), kill);
  const startOneIngest = (...args: string[]): Promise<RunningIngest> =>
    keeper.start(() => startIngest(args, ingestOptions), kill);

  // First, as they make the tables that the reports need.
  const loaders = await Promise.all(INDEXES.map(startLoader));
  const ingests = await Promise.all(INDEXES.map(() => startOneIngest()));
  return {
    nats,
    store,
    ingests,
    loaders,
    async restartIngest(index) {
      const port = new URL(ingests[index]?.origin ?? "").port;
      ingests[index] = await startOneIngest("--port", port);
    },
    async restartLoader(index) {
      loaders[index] = await startLoader();
    },
  };
}
