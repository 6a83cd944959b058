/**
 * Type-checks a project that depends on the package by its name on JSR, which Deno links to this repository, and runs
 * it without permissions.
 *
 * @module
 */
import { runProcess } from "./process.ts";

const PROJECT = "tests/deno_consumer";

for (const args of [["check", "main.ts", "ingest.ts"], ["run", "--no-prompt", "main.ts"]]) {
  const { code } = await runProcess(Deno.execPath(), { args, cwd: PROJECT });
  if (code !== 0) Deno.exit(code);
}
