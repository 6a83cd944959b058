/**
 * `deno task demo`: a site that uses the SDK, and an ingest that stores what it sends; `--help` lists the options.
 *
 * @module
 */
import { DemoFault } from "./demo_fault.ts";
import { parseOptions, USAGE } from "./options.ts";
import { runSite } from "./run_site.ts";

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args);
    if (!options.isHelp) return await runSite(options);
    console.log(USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof DemoFault)) throw error;
    console.error(`demo: ${error.message}`);
    return error.exitCode;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
