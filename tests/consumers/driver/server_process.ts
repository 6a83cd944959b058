/** A fixture's own server. */
export interface ServerProcess {
  /** Origin, without a path. */
  readonly origin: string;
  /** Returns all strings in its memory that something still refers to, each as in JSON. */
  readMemory(): Promise<string>;
  /** Ends it and returns what it wrote. */
  close(): Promise<string>;
}

/** Settings of {@linkcode startServer}. */
export interface ServerOptions {
  /** Directory of the application. */
  readonly directory: string;
  /** The command, which has to begin with `node`: another process than ours couldn't be ended. */
  readonly command: string;
  /** Settings that the recipes find on the server as they do in the browser. */
  readonly settings: unknown;
  /** Port to listen on. */
  readonly port: number;
  /** Path of the Node that runs it; the one on the path by default. */
  readonly node?: string;
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A test run that is killed has no time to end its servers: they notice by themselves. */
const END_WITH_PARENT = `
  const { ppid } = process;
  setInterval(() => process.ppid === ppid || process.exit(), 1000).unref();
`;
const START_LIMIT_MS = 30_000;
const SNAPSHOT_LIMIT_MS = 60_000;
const POLL_MS = 50;

/** On a signal, the server writes down what its memory holds, with strings in full. */
function buildSnapshotPreload(path: string): string {
  return `
    import { renameSync } from "node:fs";
    import v8 from "node:v8";
    v8.setFlagsFromString("--heap-snapshot-string-limit=1000000");
    process.on("SIGUSR2", () => renameSync(v8.writeHeapSnapshot("${path}.part"), "${path}"));
  `;
}

/** Starts the server of an application and waits until it listens. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { directory, command, settings, port, node = "node", env = {} } = options;
  const [program, ...args] = command.split(" ");
  if (program !== "node") throw new Error(`A server has to be started with node: ${command}`);
  const origin = `http://127.0.0.1:${port}`;
  const snapshot = `${directory}/memory.heapsnapshot`;
  const preload = `globalThis.testSettings = ${JSON.stringify(settings)};${END_WITH_PARENT}${
    buildSnapshotPreload(snapshot)
  }`;
  const child = new Deno.Command(node, {
    args,
    cwd: directory,
    env: {
      ...env,
      NODE_ENV: "production",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
      HOST: "127.0.0.1",
      HOSTNAME: "127.0.0.1",
      PORT: String(port),
      ORIGIN: origin,
      NEXT_TELEMETRY_DISABLED: "1",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  let hasEnded = false;
  const ended = child.status.then(() => void (hasEnded = true));
  const close = async (): Promise<string> => {
    if (!hasEnded) child.kill("SIGKILL");
    await ended;
    return (await output).join("");
  };
  const waitUntil = async (holds: () => Promise<boolean>, what: string, limitMs: number): Promise<void> => {
    const deadline = Date.now() + limitMs;
    while (!(await holds())) {
      if (hasEnded || Date.now() > deadline) throw new Error(`The server didn't ${what}: ${command}\n${await close()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const readMemory = async (): Promise<string> => {
    child.kill("SIGUSR2");
    await waitUntil(() => exists(snapshot), "write its memory down", SNAPSHOT_LIMIT_MS);
    const text = await Deno.readTextFile(snapshot);
    await Deno.remove(snapshot);
    return text.slice(text.indexOf('"strings":['));
  };
  await waitUntil(() => canConnect(port), "start", START_LIMIT_MS);
  return { origin, readMemory, close };
}

function exists(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}

async function canConnect(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false; // nobody listens yet
  }
}
