/**
 * `deno task check`: type-checks the whole repository, with or without JSR.
 *
 * @module
 */
import { runProcess } from "./process.ts";
import { findRegistry } from "./registry.ts";

const { denoArgs } = await findRegistry();
const { code } = await runProcess(Deno.execPath(), {
  args: ["check", "--quiet", ...denoArgs, "mod.ts", "src", "tests", "scripts"],
});
Deno.exit(code);
