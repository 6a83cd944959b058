/**
 * The launcher of `deno task test`: runs all tests that need no browser and no cluster, with the packages of JSR where it answers
 * and their stand-ins where it doesn't. Arguments go on to `deno test`.
 *
 * @module
 */
import { runProcess } from "./process.ts";
import { findRegistry } from "./registry.ts";

const registry = await findRegistry();
console.log(registry.summary);
const { code } = await runProcess(Deno.execPath(), {
  args: [
    "test",
    "-A",
    "--parallel", // a file at a time on each core, or as many as DENO_JOBS says
    "--unsafe-proto", // as browsers have it: without, Deno has no __proto__ setter, and what guards against it isn't tested
    ...registry.denoArgs,
    "--ignore=tests/browser,tests/consumers,tests/cluster,tests/faults",
    ...Deno.args,
  ],
});
Deno.exit(code);
