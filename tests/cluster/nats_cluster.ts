import { connect, type NatsConnection } from "@nats-io/transport-node";
import { jetstream, jetstreamManager, type StreamConfig } from "@nats-io/jetstream";
import { findProgram } from "../../scripts/support/programs.ts";
import { findFreePort } from "../support/free_port.ts";
import { until } from "./traffic.ts";
import type { ServerOptions } from "./server_options.ts";

/** A cluster of nats-servers on the loopback address, with JetStream. */
export interface NatsCluster {
  /** Addresses for clients. */
  readonly servers: readonly string[];
  /** Returns the version of the nodes, such as `2.10.23`. */
  version(): Promise<string>;
  /** Kills a node as a power cut would; returns its exit code. */
  kill(node: number): Promise<number>;
  /** Stops a node without a word: its connections stay, and nothing is read from them. */
  freeze(node: number): void;
  /** Lets a frozen node go on. */
  thaw(node: number): void;
  /** Returns the memory that a node has, in bytes, as Linux counts it. */
  memoryOf(node: number): Promise<number>;
  /** Makes a stream as its operator does. */
  addStream(config: Partial<StreamConfig> & { readonly name: string }): Promise<void>;
  /** Changes a stream as its operator does. */
  changeStream(stream: string, changes: Partial<StreamConfig>): Promise<void>;
  /** Counts the messages of a stream; 0 where there is none. */
  countMessages(stream: string): Promise<number>;
  /** Removes the messages of a stream. */
  purge(stream: string): Promise<void>;
  /** Deletes a stream. */
  deleteStream(stream: string): Promise<void>;
  /** Starts a killed node again, on the files that it left. */
  restart(node: number): void;
  /** Returns which node leads the stream, or -1. */
  leaderOf(stream: string): Promise<number>;
  /** Resolves when all replicas of the stream are there and up to date. */
  untilWhole(stream: string): Promise<void>;
  /** Reads the messages of a stream, as many as its leader has, oldest first. */
  read(stream: string): Promise<readonly StreamMessage[]>;
  /** Reads which message ids each node has in its files of a stream from which nothing was removed. */
  readFiles(stream: string): Promise<readonly (readonly string[])[]>;
  /** Ends all nodes and removes their files. */
  stop(): Promise<void>;
}

/** A message of a stream. */
export interface StreamMessage {
  /** Its subject. */
  readonly subject: string;
  /** Its id for deduplication. */
  readonly messageId: string;
  /** Its JSON, parsed. */
  readonly json: { readonly id: string };
}

const NATS_SERVER = findProgram("NATS_SERVER") ?? "nats-server";

const CLUSTER_NAME = "vendor-test";

/** Starts a cluster and waits until it has a leader. */
export async function startNatsCluster(
  size: number,
  { directory: parent, isDetached = false }: ServerOptions = {},
): Promise<NatsCluster> {
  const directory = await Deno.makeTempDir({ ...(parent && { dir: parent }) });
  const ports = Array.from({ length: 2 * size }, findFreePort);
  const [clientPorts, routePorts] = [ports.slice(0, size), ports.slice(size)];
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const servers = clientPorts.map((port) => `127.0.0.1:${port}`);
  const nodes = clientPorts.map((_, node) => start(node));

  function start(node: number): Deno.ChildProcess {
    const clustered = ["--cluster", routes[node] ?? "", "--cluster_name", CLUSTER_NAME, "--routes", routes.join(",")];
    return new Deno.Command(NATS_SERVER, {
      args: [
        ...["-a", "127.0.0.1", "-p", String(clientPorts[node]), "-n", `node-${node}`],
        ...["-js", "-sd", `${directory}/node-${node}`, "-l", `${directory}/node-${node}.log`],
        ...(size > 1 ? clustered : []),
      ],
      stdout: "null",
      stderr: "null",
      detached: isDetached,
    }).spawn();
  }

  async function use<T>(act: (connection: NatsConnection) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: [...servers], timeout: 2_000 });
    try {
      return await act(connection);
    } finally {
      await connection.close();
    }
  }

  const inspect = (stream: string) => use(async (nats) => await (await jetstreamManager(nats)).streams.info(stream));

  const readOnce = (stream: string) =>
    use(async (nats) => {
      const messages: StreamMessage[] = [];
      const consumer = await jetstream(nats).consumers.get(stream);
      for await (const message of await consumer.consume()) {
        const { subject, headers } = message;
        messages.push({ subject, messageId: headers?.get("Nats-Msg-Id") ?? "", json: message.json() });
        if (message.info.pending === 0) break;
      }
      await consumer.delete();
      return messages;
    });

  const cluster: NatsCluster = {
    servers,
    version: () => use((nats) => Promise.resolve(nats.info?.version ?? "")),
    async kill(node): Promise<number> {
      nodes[node]?.kill("SIGKILL");
      return (await nodes[node]?.status)?.code ?? -1;
    },
    async memoryOf(node): Promise<number> {
      const status = await Deno.readTextFile(`/proc/${nodes[node]?.pid}/status`);
      return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    freeze: (node) => nodes[node]?.kill("SIGSTOP"),
    thaw: (node) => nodes[node]?.kill("SIGCONT"),
    addStream: (config) => use(async (nats) => void await (await jetstreamManager(nats)).streams.add(config)),
    changeStream: (stream, changes) =>
      use(async (nats) => void await (await jetstreamManager(nats)).streams.update(stream, changes)),
    countMessages: (stream) => inspect(stream).then(({ state }) => state.messages, () => 0),
    purge: (stream) => use(async (nats) => void await (await jetstreamManager(nats)).streams.purge(stream)),
    deleteStream: (stream) => use(async (nats) => void await (await jetstreamManager(nats)).streams.delete(stream)),
    restart(node): void {
      nodes[node] = start(node);
    },
    async leaderOf(stream): Promise<number> {
      const { cluster: state } = await inspect(stream);
      return Number(state?.leader?.split("-")[1] ?? -1);
    },
    untilWhole: (stream) =>
      until("all replicas are current", async () => {
        const { cluster: state } = await inspect(stream).catch(() => ({ cluster: undefined }));
        const replicas = state?.replicas ?? [];
        return replicas.length === size - 1 && replicas.every(({ current, offline }) => current && !offline);
      }),
    async read(stream): Promise<readonly StreamMessage[]> {
      let messages: readonly StreamMessage[] = [];
      // The consumer may be on a replica that lags behind: the leader alone has all that was acknowledged.
      await until("read what the leader has", async () => {
        const { state } = await inspect(stream);
        messages = state.messages === 0 ? [] : await readOnce(stream).catch(() => []);
        return messages.length >= state.messages;
      });
      return messages;
    },
    readFiles: (stream) =>
      Promise.all(
        nodes.map((_, node) => readMessageIds(`${directory}/node-${node}/jetstream/$G/streams/${stream}/msgs`)),
      ),
    async stop(): Promise<void> {
      for (const node of nodes) kill(node);
      await Promise.all(nodes.map(({ status }) => status));
      await Deno.remove(directory, { recursive: true });
    },
  };
  try {
    await until("the cluster has a leader", () =>
      use(async (nats) => {
        await (await jetstreamManager(nats)).streams.names().next();
        return true;
      }).catch(() => false));
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Finds the message ids in the blocks of a stream: files that hold each message as it was published. */
async function readMessageIds(folder: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".blk")) continue;
    const text = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`));
    for (const [, id = ""] of text.matchAll(/Nats-Msg-Id: ?(.+)\r\n/g)) ids.push(id);
  }
  return ids;
}

function kill(process: Deno.ChildProcess): void {
  try {
    process.kill("SIGKILL");
  } catch {
    // It was killed before.
  }
}
