/**
 * `deno task demo`: a site that uses the SDK, and an ingest that stores what it sends. `--once` runs a scripted
 * visit instead, without a browser; `--cluster` runs the ingest on many processes, and kills some; `--help` lists the
 * options.
 *
 * @module
 */
import { DemoFault } from "./demo_fault.ts";
import { parseOptions, USAGE } from "./options.ts";

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args);
    if (options.isHelp) {
      console.log(USAGE);
      return 0;
    }
    if (options.cluster) {
      const { runCluster } = await load<typeof import("./run_cluster.ts")>("./run_cluster.ts");
      return await runCluster(options.cluster);
    }
    if (options.isOnce) {
      const { runOnce } = await load<typeof import("./run_once.ts")>("./run_once.ts");
      return await runOnce(options);
    }
    const { runSite } = await load<typeof import("./run_site.ts")>("./run_site.ts");
    return await runSite(options);
  } catch (error) {
    if (!(error instanceof DemoFault)) throw error;
    console.error(`demo: ${error.message}`);
    return error.exitCode;
  }
}

/** Loads a program, and downloads its packages then: Deno would download those of an import that it can read at once. */
function load<T>(path: string): Promise<T> {
  return import(path);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
