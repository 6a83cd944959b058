/**
 * The launcher of `deno task test:cluster`: the ingest as processes, killed and restarted under load, attacked, alone, behind
 * nginx and on a NATS cluster. A machine without these servers fails the suite; a test that didn't run proves nothing.
 * Arguments go on to `deno test`.
 *
 * @module
 */
import { runProcess } from "./process.ts";
import { findRegistry } from "./registry.ts";

/** What the tests start, where Debian puts it, and the variable that names another place. */
const SERVERS = [
  { variable: "NATS_SERVER", path: "/usr/sbin/nats-server", versionFlag: "--version", package: "nats-server" },
  { variable: "NGINX", path: "/usr/sbin/nginx", versionFlag: "-v", package: "nginx-light" },
] as const;

for (const { variable, path, versionFlag, package: name } of SERVERS) {
  const program = Deno.env.get(variable) ?? path;
  const version = await runProcess(program, { args: [versionFlag], isQuiet: true }).catch(() => undefined);
  if (version?.code !== 0) {
    console.error(`There is nothing that runs at ${program}: apt-get install ${name}, or set ${variable}.`);
    Deno.exit(1);
  }
  Deno.env.set(variable, program);
  console.log(version.output.trim());
}
const registry = await findRegistry();
console.log(registry.summary);
const { code } = await runProcess(Deno.execPath(), {
  args: ["test", "-A", ...registry.denoArgs, ...Deno.args, "tests/cluster"],
});
Deno.exit(code);
