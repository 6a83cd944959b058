/**
 * The launcher of `deno task test:browser`: drives the bundled SDK in a real, headless Chromium. A machine without
 * one fails the suite; a test that didn't run proves nothing. Arguments go on to `deno test`.
 *
 * @module
 */
import { runProcess } from "./process.ts";
import { findRegistry } from "./registry.ts";

const chromium = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";
const version = await runProcess(chromium, { args: ["--version"], isQuiet: true }).catch(() => undefined);
if (version?.code !== 0) {
  console.error(`There is no Chromium at ${chromium}: install one (apt-get install chromium) or set CHROMIUM.`);
  Deno.exit(1);
}
const registry = await findRegistry();
console.log(`${version.output.split("\n")[0]}; ${registry.summary}`);
const { code } = await runProcess(Deno.execPath(), {
  args: ["test", "-A", ...registry.denoArgs, ...Deno.args, "tests/browser"],
  env: { CHROMIUM: chromium },
});
Deno.exit(code);
