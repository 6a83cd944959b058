import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess } from "../../support/process.ts";
import { bundleServer } from "./bundle_server.ts";

/** A server of the bench, in its own process. */
export interface BenchServer {
  /** Port. */
  readonly port: number;
  /** Returns the CPU time it has used, in microseconds. */
  readCpuUs(): Promise<number>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Runtime of a server. */
export interface BenchServerOptions {
  /** Path of its folder of events. */
  readonly folder: string;
  /** Command that starts it, of {@linkcode prepareServer}. */
  readonly command: readonly string[];
}

/** Runtime of the servers. */
export type BenchRuntime = "deno" | "node";

/** This repository. */
export const REPOSITORY: string = fileURLToPath(new URL("../../../", import.meta.url));

const SCRIPTS = ["scripts/bench/ingest/server.ts", "scripts/bench/ingest/body.ts"] as const;

/**
 * Returns the command that runs the server with the ingest of a folder: Deno its source, Node 22 a bundle, for Node 20 has
 * no SQLite. The server itself is that of today.
 */
export async function prepareServer(
  runtime: BenchRuntime,
  { folder, directory }: { readonly folder: string; readonly directory: string },
): Promise<readonly string[]> {
  if (folder !== REPOSITORY) {
    for (const path of SCRIPTS) await Deno.copyFile(join(REPOSITORY, path), join(folder, path));
  }
  if (runtime === "deno") return [Deno.execPath(), "run", "-A", "--quiet", "--no-lock", join(folder, SCRIPTS[0])];
  const bundle = `${await Deno.makeTempDir({ dir: directory })}/server.mjs`;
  await bundleServer(folder, bundle);
  // The binary itself: a signal ends npx, and not what it started.
  const { output } = await runProcess("npx", { args: ["-y", "node@22", "-p", "process.execPath"], isQuiet: true });
  return [output.trim().split("\n").at(-1) ?? "node", bundle];
}

/** Starts a server: `bare`, `memory` or `file`. */
export async function startBenchServer(kind: string, options: BenchServerOptions): Promise<BenchServer> {
  const { folder, command: [program = "", ...args] } = options;
  const child = new Deno.Command(program, {
    args: [...args, kind, folder],
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
