import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { openClickHouse } from "../../src/ingest/stores/clickhouse/clickhouse_client.ts";
import type { ClickHouse } from "../../src/ingest/stores/clickhouse/clickhouse_port.ts";
import { runProcess } from "../../scripts/support/process.ts";
import { findFreePort } from "../support/free_port.ts";
import { until } from "./traffic.ts";
import type { ServerOptions } from "./server_options.ts";

/** A ClickHouse on the loopback address, as a process of its own. */
export interface ClickHouseProcess {
  /** Address of its HTTP interface. */
  readonly url: string;
  /** Makes a database, and returns its name. */
  createDatabase(): Promise<string>;
  /** Runs a query in a database. */
  select: (database: string, query: string) => ReturnType<ClickHouse["select"]>;
  /** Runs a statement in a database. */
  run(database: string, statement: string): Promise<void>;
  /** Kills it as a power cut would; returns its exit code. */
  kill(): Promise<number>;
  /** Starts it again, on the files that it left. */
  restart(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Settings of {@linkcode startClickHouse}. */
export interface ClickHouseProcessOptions extends ServerOptions {
  /** Hears of the engine's installation before it begins: name of the package, and its folder, which stays. */
  readonly onInstall?: (name: string, folder: string) => void;
}

/** The engine of today. It has half a gigabyte: whoever runs these tests installs it, and nobody else. */
const CHDB = "chdb@3.4.0";

const PROGRAM = fileURLToPath(new URL("clickhouse_server.mjs", import.meta.url));

/** Starts a ClickHouse and waits until it answers. */
export async function startClickHouse(
  { directory: parent, isDetached = false, onInstall }: ClickHouseProcessOptions = {},
): Promise<ClickHouseProcess> {
  const cwd = await installEngine(onInstall);
  const folder = await Deno.makeTempDir({ ...(parent && { dir: parent }) });
  const port = findFreePort();
  const url = `http://127.0.0.1:${port}`;
  let databases = 0;
  let child = start();

  function start(): Deno.ChildProcess {
    const args = [PROGRAM, String(port), `${folder}/data`];
    const stdio = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command("node", { args, cwd, ...stdio, detached: isDetached }).spawn();
  }

  const untilReady = (): Promise<void> =>
    until("ClickHouse answers", async () => {
      const answer = await fetch(`${url}/ping`).catch(() => undefined);
      return await answer?.text() === "Ok.\n";
    });

  async function use<T>(database: string, act: (clickHouse: ClickHouse) => Promise<T>): Promise<T> {
    const clickHouse = await openClickHouse({ url, database });
    try {
      return await act(clickHouse);
    } finally {
      await clickHouse.close();
    }
  }

  async function kill(): Promise<number> {
    child.kill("SIGKILL");
    return (await child.status).code;
  }

  async function stop(): Promise<void> {
    await kill().catch(() => {}); // a test has killed it
    await Deno.remove(folder, { recursive: true });
  }

  try {
    await untilReady();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    async createDatabase() {
      const name = `test_${databases++}`;
      await use("default", ({ run }) => run(`CREATE DATABASE ${name}`));
      return name;
    },
    select: (database, query) => use(database, ({ select }) => select(query)),
    run: (database, statement) => use(database, ({ run }) => run(statement)),
    kill,
    async restart() {
      child = start();
      await untilReady();
    },
    stop,
  };
}

/** Returns a folder that has the engine, installed where it wasn't yet. */
async function installEngine(onInstall?: ClickHouseProcessOptions["onInstall"]): Promise<string> {
  const folder = `${tmpdir()}/vendor-sdk-${CHDB}`;
  if (existsSync(`${folder}/node_modules/chdb`)) return folder;
  onInstall?.(CHDB, folder);
  // Renamed when it is whole: an installation that was broken off isn't taken for one.
  const fresh = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${fresh}/package.json`, `{"private":true}`);
    const args = ["install", "--silent", "--no-audit", "--no-fund", CHDB];
    const { code, output } = await runProcess("npm", { args, cwd: fresh, isQuiet: true });
    if (code !== 0) throw new Error(`npm install ${CHDB} failed:\n${output}`);
    await Deno.rename(fresh, folder);
    return folder;
  } catch (error) {
    await Deno.remove(fresh, { recursive: true });
    throw error;
  }
}
