import { describeError } from "../../../src/ingest/describe_error.ts";
import { openClickHouse } from "../../../src/ingest/sinks/clickhouse/clickhouse_client.ts";
import type { Row } from "../../../src/ingest/sinks/clickhouse/clickhouse_port.ts";
import { startClickHouse } from "../../../tests/cluster/clickhouse.ts";
import type { ServerOptions } from "../../../tests/cluster/server_options.ts";
import { DemoFault } from "../demo_fault.ts";
import type { Keeper } from "./keeper.ts";

/** A database in ClickHouse for the demo alone. */
export interface Store {
  /** Address of the ClickHouse. */
  readonly url: string;
  /** Name of the database. */
  readonly database: string;
  /** Runs a query in the database. */
  select(query: string): Promise<readonly Row[]>;
  /** Kills the ClickHouse and starts it again; absent where it is the user's. */
  readonly process?: {
    /** Kills it, and returns its exit code. */
    kill(): Promise<number>;
    /** Starts it again. */
    restart(): Promise<void>;
  };
}

/** Settings of {@linkcode startStore}. */
export interface StoreOptions {
  /** How it is started. */
  readonly server: ServerOptions;
  /** Ends it. */
  readonly keeper: Keeper;
  /** Shows a line. */
  readonly say: (line: string) => void;
}

/**
 * Starts a ClickHouse: the engine from npm behind HTTP.
 *
 * @throws {DemoFault} When the engine can't be installed or started.
 */
export async function startStore({ server, keeper, say }: StoreOptions): Promise<Store> {
  const onInstall = (name: string, folder: string): void =>
    say(`Installing ClickHouse, once: ${name} from npm, half a gigabyte, into ${folder}`);
  const begin = () => startClickHouse({ ...server, onInstall });
  const clickHouse = await keeper.start(begin, ({ stop }) => stop()).catch((cause) => {
    const message = `ClickHouse can't be started, name one of yours with --clickhouse: ${describeError(cause)}`;
    throw new DemoFault(message, { cause });
  });
  const database = await clickHouse.createDatabase();
  const { url, kill, restart } = clickHouse;
  return { url, database, select: (query) => clickHouse.select(database, query), process: { kill, restart } };
}

/**
 * Makes a database in a ClickHouse of the user, and drops it at the end.
 *
 * @throws {DemoFault} When the ClickHouse can't be used.
 */
export async function useStore(url: string, keeper: Keeper): Promise<Store> {
  const database = `vendor_demo_${crypto.randomUUID().slice(0, 8)}`;
  try {
    const server = await keeper.start(() => openClickHouse({ url }), ({ close }) => close());
    await keeper.start(
      () => server.run(`CREATE DATABASE ${database}`),
      () => server.run(`DROP DATABASE ${database}`),
    );
    const own = await keeper.start(() => openClickHouse({ url, database }), ({ close }) => close());
    return { url, database, select: own.select };
  } catch (cause) {
    throw new DemoFault(describeError(cause), { cause });
  }
}
