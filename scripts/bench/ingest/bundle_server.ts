import { join } from "node:path";
import { PROGRAM_LOCK_FOLDER } from "../../package/bundle_program.ts";
import { installLocked } from "../../package/install_locked.ts";
import { buildSync } from "../../support/esbuild.ts";

/** CommonJS libraries ask for modules of Node by `require()`. */
const REQUIRE = `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);`;

/** Bundles the server of the bench for Node, with the ingest of a folder, which may be of an earlier commit. */
export async function bundleServer(folder: string, outPath: string): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    buildSync({
      absWorkingDir: folder,
      entryPoints: ["scripts/bench/ingest/server.ts"],
      nodePaths: [await installLocked(PROGRAM_LOCK_FOLDER, directory)],
      alias: { "@vendor/sdk/contract": join(folder, "src/plan/contract.ts") },
      external: ["@clickhouse/client", "@nats-io/jetstream", "@nats-io/transport-node"],
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node22",
      banner: { js: REQUIRE },
      outfile: outPath,
      logLevel: "silent",
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
