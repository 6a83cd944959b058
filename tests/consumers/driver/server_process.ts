/** A fixture's own server. */
export interface ServerProcess {
  /** Origin, without a path. */
  readonly origin: string;
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
}

/** A test run that is killed has no time to end its servers: they notice by themselves. */
const END_WITH_PARENT = `
  const { ppid } = process;
  setInterval(() => process.ppid === ppid || process.exit(), 1000).unref();
`;
const START_LIMIT_MS = 30_000;
const POLL_MS = 50;

/** Returns a port that nobody listens on. */
export function findFreePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** Starts the server of an application and waits until it listens. */
export async function startServer({ directory, command, settings, port }: ServerOptions): Promise<ServerProcess> {
  const [program, ...args] = command.split(" ");
  if (program !== "node") throw new Error(`A server has to be started with node: ${command}`);
  const origin = `http://127.0.0.1:${port}`;
  const preload = `globalThis.testSettings = ${JSON.stringify(settings)};${END_WITH_PARENT}`;
  const child = new Deno.Command(program, {
    args,
    cwd: directory,
    env: {
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
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await canConnect(port))) {
    if (hasEnded || Date.now() > deadline) throw new Error(`The server didn't start: ${command}\n${await close()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { origin, close };
}

async function canConnect(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false; // nobody listens yet
  }
}
