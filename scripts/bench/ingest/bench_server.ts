/** A server of the bench, in its own process. */
export interface BenchServer {
  /** Port. */
  readonly port: number;
  /** Returns the CPU time it has used, in microseconds. */
  readCpuUs(): Promise<number>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts a server: `bare`, `memory` or `sqlite`. */
export async function startBenchServer(kind: string, databasePath: string): Promise<BenchServer> {
  const script = new URL("server.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script, kind, databasePath],
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
