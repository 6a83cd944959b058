import { join } from "node:path";
import { fileURLToPath } from "node:url";

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
  /** Folder with the sources of the ingest. @default {this repository} */
  readonly folder?: string;
}

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** Starts a server: `bare`, `memory` or `sqlite`. */
export async function startBenchServer(kind: string, options: BenchServerOptions): Promise<BenchServer> {
  const { databasePath, folder = REPOSITORY } = options;
  const script = join(folder, "scripts/bench/ingest/server.ts");
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script, kind, databasePath],
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
