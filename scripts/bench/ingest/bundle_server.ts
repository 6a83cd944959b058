import { dirname, join } from "node:path";
import { installLocked, PROGRAM_LOCK_FOLDER } from "../../package/install_locked.ts";
import { buildSync } from "../../support/esbuild.ts";

/** CommonJS libraries ask for modules of Node by `require()`. */
const REQUIRE =
  `import { createRequire as createBundleRequire } from "node:module";\nconst require = createBundleRequire(import.meta.url);`;

const SERVER = "scripts/bench/ingest/server.ts";

/** The program of the threads of a folder, which the server looks for beside itself. */
const THREAD = { entry: "src/ingest/threads/worker/worker.ts", name: "worker/worker.ts" } as const;

/** Bundles the server of the bench for Node, with the ingest of a folder, which may be of an earlier commit. */
export async function bundleServer(folder: string, outPath: string): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const packages = await installLocked(PROGRAM_LOCK_FOLDER, directory);
    for (const [entry, outfile] of [[SERVER, outPath], [THREAD.entry, join(dirname(outPath), THREAD.name)]] as const) {
      buildSync({
        absWorkingDir: folder,
        entryPoints: [entry],
        nodePaths: [packages],
        alias: { "@vendor/sdk/contract": join(folder, "src/plan/contract.ts") },
        external: ["@clickhouse/client", "@nats-io/jetstream", "@nats-io/transport-node"],
        bundle: true,
        format: "esm",
        platform: "node",
        target: "node22",
        banner: { js: REQUIRE },
        outfile,
        logLevel: "silent",
      });
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
