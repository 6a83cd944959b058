/**
 * `deno task demo`: what `npx @vendor/ingest demo` is, of these sources. `--once` runs a scripted visit instead, without
 * a browser; `--cluster` runs the ingest on many processes, and kills some; `--help` lists the options.
 *
 * @module
 */
import { DemoFault } from "./demo_fault.ts";
import { parseOptions, USAGE } from "./options.ts";
import { ServerFault } from "../../src/ingest/server/ops/server_fault.ts";

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
    const { buildShop } = await load<typeof import("./build_shop.ts")>("./build_shop.ts");
    const { showDemo } = await load<typeof import("../../src/ingest/server/cli/run.ts")>(
      "../../src/ingest/server/cli/run.ts",
    );
    await showDemo(options, await buildShop());
    return 0;
  } catch (error) {
    if (!(error instanceof DemoFault || error instanceof ServerFault)) throw error;
    console.error(`demo: ${error.message}`);
    return error instanceof DemoFault ? error.exitCode : 1;
  }
}

/** Loads a program, and downloads its packages then: Deno would download those of an import that it can read at once. */
function load<T>(path: string): Promise<T> {
  return import(path);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
