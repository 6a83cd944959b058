import { fileURLToPath } from "node:url";

/** How the demo ended. */
export interface DemoResult {
  /** Exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** A demo that runs. */
export interface DemoProcess {
  /** Resolves with the output so far once it contains the text. */
  until(text: string): Promise<string>;
  /** Sends the signal and waits for the end. */
  end(signal: Deno.Signal): Promise<DemoResult>;
}

/** A demo that serves its site. */
export interface RunningDemo extends DemoProcess {
  /** Address of the site, without a path. */
  readonly site: string;
  /** Address of the ingest. */
  readonly endpoint: string;
  /** Folder of what is stored. */
  readonly directory: string;
}

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** Runs the demo as a process to its end, with further variables of its environment. */
export async function runDemo(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<DemoResult> {
  const { code, stdout, stderr } = await command(args, env).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** Starts the demo as a process on free ports and waits until it serves. */
export async function startDemo(args: readonly string[] = []): Promise<RunningDemo> {
  const demo = startDemoProcess(["--port", "0", "--ingest-port", "0", ...args]);
  const start = await demo.until("Ctrl-C");
  return {
    ...demo,
    site: /Shop +(http:\S+)\//.exec(start)?.[1] ?? "",
    endpoint: /Events +(http:[^, ]+)/.exec(start)?.[1] ?? "",
    directory: /kept in (\S+)/.exec(start)?.[1] ?? "",
  };
}

/** Starts the demo as a process. */
export function startDemoProcess(args: readonly string[]): DemoProcess {
  const child = command(args).spawn();
  const stderr = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let stdout = "";

  async function until(text: string): Promise<string> {
    while (!stdout.includes(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The demo ended before it printed ${text}: ${stdout}${await stderr}`);
      stdout += value;
    }
    return stdout;
  }

  return {
    until,
    async end(signal): Promise<DemoResult> {
      child.kill(signal);
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) stdout += chunk.value;
      const { code } = await child.status;
      return { code, stdout, stderr: await stderr };
    },
  };
}

function command(args: readonly string[], env: Readonly<Record<string, string>> = {}): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/demo/demo.ts", ...args],
    cwd: REPOSITORY,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}
