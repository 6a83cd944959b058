/**
 * `deno task test:docs`: runs the examples in the documentation of the modules.
 *
 * @module
 */
import { runProcess } from "./process.ts";
import { findRegistry } from "./registry.ts";

const { denoArgs } = await findRegistry();
const { code } = await runProcess(Deno.execPath(), {
  args: ["test", "-A", "--doc", ...denoArgs, ...Deno.args, "mod.ts", "src"],
});
Deno.exit(code);
