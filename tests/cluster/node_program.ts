import { findImport, INGEST } from "../../scripts/package/packages.ts";
import { runProcess } from "../../scripts/support/process.ts";

/** What npm, or its user, installs beside the program. */
const PACKAGES = ["@duckdb/node-api", "@nats-io/jetstream", "@nats-io/transport-node", "@clickhouse/client"] as const;

/**
 * Bundles the program as the npm package has it, and installs packages beside it, in the versions of this project; returns its
 * path in the directory.
 */
export async function buildNodeProgram(directory: string): Promise<string> {
  const { bundleProgram } = await import("../../scripts/package/bundle_program.ts");
  const path = `${directory}/ingest.mjs`;
  await bundleProgram(path);
  await Deno.writeTextFile(`${directory}/package.json`, `{"private":true}`);
  const packages = PACKAGES.map((name) => findImport(INGEST, name));
  const args = ["install", "--silent", "--no-audit", "--no-fund", ...packages];
  const { code, output } = await runProcess("npm", { args, cwd: directory, isQuiet: true });
  if (code !== 0) throw new Error(`npm install ${packages.join(" ")} failed:\n${output}`);
  return path;
}
