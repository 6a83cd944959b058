import { runProcess } from "../process.ts";
import { findRegistry } from "../registry.ts";

const ENTRY = "src/ingest/server/bin.ts";

/** What its users install for the sinks that need it. */
const SINK_CLIENTS = ["@nats-io/jetstream", "@nats-io/transport-node"] as const;

/**
 * Bundles the ingest's program into one file for Node. With the schema library in it, `npx` needs nothing else; the
 * clients of sinks stay outside, and are loaded when they are used. Deno bundles it, since esbuild alone would look for
 * packages in a node_modules that isn't there.
 */
export async function bundleProgram(outPath: string): Promise<void> {
  const { denoArgs } = await findRegistry();
  const { code, output } = await runProcess(Deno.execPath(), {
    args: [
      "bundle",
      ...denoArgs,
      "--platform=deno",
      ...SINK_CLIENTS.map((name) => `--external=${name}`),
      `--output=${outPath}`,
      ENTRY,
    ],
    isQuiet: true,
  });
  if (code !== 0) throw new Error(`deno bundle failed:\n${output}`);
}
