/**
 * `deno task demo`: a site that uses the SDK, and an ingest that stores what it sends. `--once` runs a scripted
 * visit instead, without a browser; `--cluster` runs the ingest on many processes, and kills some; `--help` lists the
 * options.
 *
 * @module
 */
import { DemoFault } from "./demo/demo_fault.ts";
import { parseOptions, USAGE } from "./demo/options.ts";

const EXIT_USAGE = 2;

async function main(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if (!parsed.isValid) return fail(parsed.message, EXIT_USAGE);
  const { options } = parsed;
  if (options.isHelp) {
    console.log(USAGE);
    return 0;
  }
  try {
    // Loaded when needed: the visit does without esbuild, the site without happy-dom, both without NATS.
    if (options.cluster) return await (await import("./demo/run_cluster.ts")).runCluster(options.cluster);
    if (options.isOnce) return await (await import("./demo/run_once.ts")).runOnce(options);
    return await (await import("./demo/run_site.ts")).runSite(options);
  } catch (error) {
    if (error instanceof DemoFault) return fail(error.message, error.exitCode);
    throw error;
  }
}

function fail(message: string, code: number): number {
  console.error(`demo: ${message}`);
  return code;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
