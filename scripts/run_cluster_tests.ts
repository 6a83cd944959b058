/**
 * The launcher of `deno task test:cluster`: the ingest as processes, killed and restarted under load, alone and on a
 * NATS cluster. A machine without nats-server fails the suite; a test that didn't run proves nothing. Arguments go on
 * to `deno test`.
 *
 * @module
 */
import { runProcess } from "./process.ts";
import { findRegistry } from "./registry.ts";

const natsServer = Deno.env.get("NATS_SERVER") ?? "/usr/sbin/nats-server";
const version = await runProcess(natsServer, { args: ["--version"], isQuiet: true }).catch(() => undefined);
if (version?.code !== 0) {
  console.error(
    `There is no nats-server at ${natsServer}: install one (apt-get install nats-server) or set NATS_SERVER.`,
  );
  Deno.exit(1);
}
const registry = await findRegistry();
console.log(`${version.output.trim()}; ${registry.summary}`);
const { code } = await runProcess(Deno.execPath(), {
  args: ["test", "-A", ...registry.denoArgs, ...Deno.args, "tests/cluster"],
  env: { NATS_SERVER: natsServer },
});
Deno.exit(code);
