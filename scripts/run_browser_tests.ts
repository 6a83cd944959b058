/**
 * The launcher of `deno task test:browser`: drives the bundled SDK in a real, headless Chromium, and what differs
 * between engines in Firefox too. A machine without one of them fails the suite; a test that didn't run proves nothing.
 * Arguments go on to `deno test`.
 *
 * @module
 */
import { runProcess } from "./process.ts";
import { findRegistry } from "./registry.ts";
import { writeScripts } from "../tests/browser/sdk_bundle.ts";

const browsers = [
  { variable: "CHROMIUM", path: Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium", package: "chromium" },
  { variable: "FIREFOX", path: Deno.env.get("FIREFOX") ?? "/usr/bin/firefox-esr", package: "firefox-esr" },
];
for (const { variable, path, package: name } of browsers) {
  const version = await runProcess(path, { args: ["--version"], isQuiet: true }).catch(() => undefined);
  if (version?.code === 0) {
    console.log(version.output.split("\n")[0]);
    continue;
  }
  console.error(`There is no ${path}: install it (apt-get install ${name}) or set ${variable}.`);
  Deno.exit(1);
}
const registry = await findRegistry();
console.log(registry.summary);
const scripts = await Deno.makeTempDir({ prefix: "vendor_sdk_scripts_" });
const { code } = await runProcess(Deno.execPath(), {
  args: ["test", "-A", "--parallel", ...registry.denoArgs, ...Deno.args, "tests/browser"],
  env: {
    ...Object.fromEntries(browsers.map(({ variable, path }) => [variable, path])),
    ...writeScripts(scripts),
  },
});
await Deno.remove(scripts, { recursive: true });
Deno.exit(code);
