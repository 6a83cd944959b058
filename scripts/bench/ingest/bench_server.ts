import { runProcess } from "../../support/process.ts";
import { bundleServer, SERVER } from "./bundle_server.ts";

/** A server of the bench, in its own process. */
export interface BenchServer {
  /** Port. */
  readonly port: number;
  /** Returns the CPU time it has used, in microseconds. */
  readCpuUs(): Promise<number>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** What a server runs on. */
export interface BenchServerOptions {
  /** Path of its database. */
  readonly databasePath: string;
  /** What starts it, of {@linkcode prepareServer}. */
  readonly command: readonly string[];
}

/** What runs the servers. */
export type BenchRuntime = "deno" | "node";

/** Returns the command that runs the server: Deno its source, Node 22 a bundle, for Node 20 has no SQLite. */
export async function prepareServer(runtime: BenchRuntime, directory: string): Promise<readonly string[]> {
  if (runtime === "deno") return [Deno.execPath(), "run", "-A", "--quiet", "--no-lock", SERVER];
  const bundle = `${await Deno.makeTempDir({ dir: directory })}/server.mjs`;
  await bundleServer(bundle);
  // The binary itself: a signal ends npx, and not what it started.
  const { output } = await runProcess("npx", { args: ["-y", "node@22", "-p", "process.execPath"], isQuiet: true });
  return [output.trim().split("\n").at(-1) ?? "node", bundle];
}

/** Starts a server: `bare`, `memory` or `sqlite`. */
export async function startBenchServer(kind: string, options: BenchServerOptions): Promise<BenchServer> {
  const { databasePath, command: [program = "", ...args] } = options;
  const child = new Deno.Command(program, {
    args: [...args, kind, databasePath],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const input = child.stdin.getWriter();
  const readNumber = async (): Promise<number> => Number((await lines.read()).value);
  const port = await readNumber();
  return {
    port,
    readCpuUs: async () => {
      await input.write(new TextEncoder().encode("\n"));
      return await readNumber();
    },
    stop: async () => {
      await input.close();
      child.kill("SIGKILL");
      await child.status;
      await lines.cancel();
    },
  };
}
