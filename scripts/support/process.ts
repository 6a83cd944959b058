/** Result of a child process. */
export interface ProcessResult {
  /** Exit code; 128 plus the signal's number where a signal ended it. */
  readonly code: number;
  /** Its standard output and error; empty where they went straight to ours. */
  readonly output: string;
}

/** Settings of {@linkcode runProcess}. */
export interface ProcessOptions {
  /** Arguments. */
  readonly args: readonly string[];
  /** Working directory. */
  readonly cwd?: string;
  /** Environment variables on top of ours. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the output is returned rather than shown. */
  readonly isQuiet?: boolean;
  /** Ends the process after that many milliseconds. */
  readonly timeoutMs?: number;
}

const TERMINATION_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs a program to its end. A Ctrl-C reaches the child from the terminal, as it shares our process group; we stay
 * until it has gone, so that nothing is left behind. A SIGTERM reaches us alone and is passed on.
 */
export async function runProcess(command: string, options: ProcessOptions): Promise<ProcessResult> {
  const stdio = options.isQuiet ? "piped" : "inherit";
  const child = new Deno.Command(command, {
    args: [...options.args],
    stdin: "null",
    stdout: stdio,
    stderr: stdio,
    ...(options.cwd && { cwd: options.cwd }),
    ...(options.env && { env: options.env }),
  }).spawn();
  const timer = options.timeoutMs === undefined
    ? undefined
    : setTimeout(() => kill(child, "SIGKILL"), options.timeoutMs);
  const onInterrupt = (): void => {};
  const onTerminate = (): void => kill(child, "SIGTERM");
  const listeners = [onInterrupt, onTerminate];
  TERMINATION_SIGNALS.forEach((signal, index) => Deno.addSignalListener(signal, listeners[index] ?? onTerminate));
  try {
    const [status, output] = await Promise.all([child.status, options.isQuiet ? collect(child) : ""]);
    return { code: status.code, output };
  } finally {
    clearTimeout(timer);
    TERMINATION_SIGNALS.forEach((signal, index) => Deno.removeSignalListener(signal, listeners[index] ?? onTerminate));
  }
}

async function collect(child: Deno.ChildProcess): Promise<string> {
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return out + err;
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended on its own meanwhile.
  }
}
