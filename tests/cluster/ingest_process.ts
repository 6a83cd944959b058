import { fileURLToPath } from "node:url";

/** How a server ended. */
export interface IngestResult {
  /** Exit code; 128 plus the signal's number where a signal ended it. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** A server that listens. */
export interface RunningIngest extends AsyncDisposable {
  /** Where it takes events. */
  readonly endpoint: string;
  /** Its process. */
  readonly pid: number;
  /** Address without a path. */
  readonly origin: string;
  /** Resolves with the output so far once it contains the text. */
  until(text: string): Promise<string>;
  /** Leaves its output unread until the function that is returned is called. */
  stallOutput(): () => void;
  /** Reads its output no further: what it writes from now on fails. */
  closeOutput(): Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<IngestResult>;
  /** Sends the signal and waits for the end. */
  end(signal?: Deno.Signal): Promise<IngestResult>;
}

/** What is run, and how. */
export interface IngestProcessOptions {
  /** A bundle for Node; Deno runs the source without. */
  readonly nodeProgram?: string;
  /** What starts the server instead, with its arguments, and where. */
  readonly launcher?: { readonly command: string; readonly args: readonly string[]; readonly cwd?: string };
  /** Most file descriptors; as many as the system allows without. */
  readonly descriptors?: number;
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a Ctrl-C in the terminal doesn't reach it: whoever started it ends it. */
  readonly isDetached?: boolean;
}

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** Runs the server to its end. */
export async function runIngest(args: readonly string[], options: IngestProcessOptions = {}): Promise<IngestResult> {
  const { code, stdout, stderr } = await command(args, options).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** Starts the server on a free port, unless the arguments choose one, and waits until it listens. */
export async function startIngest(args: readonly string[], options: IngestProcessOptions = {}): Promise<RunningIngest> {
  const child = command(["--port", "0", ...args], options).spawn();
  const stderr = new Response(child.stderr).text();
  let stdout = "";
  let hear = Promise.withResolvers<void>();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let stalled: Promise<void> | undefined;
  const pumping = (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      stdout += read.value;
      await stalled;
      hear.resolve();
      hear = Promise.withResolvers();
    }
  })();

  async function until(text: string): Promise<string> {
    while (!stdout.includes(text)) {
      const isOver = await Promise.race([hear.promise.then(() => false), pumping.then(() => true)]);
      if (isOver) throw new Error(`The ingest ended before it printed ${text}: ${stdout}${await stderr}`);
    }
    return stdout;
  }

  const start = await until('"message":"listening"');
  const [line = "{}"] = start.split("\n").filter((candidate) => candidate.includes('"listening"'));
  const { port, path } = JSON.parse(line);
  const origin = `http://127.0.0.1:${port}`;
  const ended = (async () => {
    await pumping;
    const { code } = await child.status;
    return { code, stdout, stderr: await stderr };
  })();
  return {
    pid: child.pid,
    origin,
    endpoint: origin + path,
    until,
    stallOutput: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stalled = promise;
      return resolve;
    },
    closeOutput: () => reader.cancel(),
    ended,
    end(signal = "SIGTERM"): Promise<IngestResult> {
      child.kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended, as it mostly has.
      }
      await ended;
    },
  };
}

/** Returns the command that runs the program. */
export function command(args: readonly string[], options: IngestProcessOptions = {}): Deno.Command {
  const { launcher, env = {}, isDetached = false } = options;
  const [first = "", ...rest] = commandLine(args, options);
  return new Deno.Command(first, {
    args: rest,
    cwd: launcher?.cwd ?? REPOSITORY,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: isDetached,
  });
}

/** Returns what runs the program, and its arguments. */
export function commandLine(args: readonly string[], options: IngestProcessOptions): readonly string[] {
  const { nodeProgram, launcher, descriptors } = options;
  // What deno test runs with is not what a server runs with; the import map is, where JSR doesn't answer. On a new machine
  // Deno downloads first, and says so.
  const denoArgs = ["run", "--quiet", "-A", "--no-lock", "--import-map", "tests/offline/import_map.json"];
  const program = launcher ??
    (nodeProgram === undefined
      ? { command: Deno.execPath(), args: [...denoArgs, "src/ingest/server/bin.ts"] }
      : { command: "node", args: [nodeProgram] });
  // `exec` keeps the process's id.
  const limit = descriptors === undefined ? [] : ["sh", "-c", `ulimit -n ${descriptors} && exec "$@"`, "sh"];
  return [...limit, program.command, ...program.args, ...args];
}
